// Just enough JSON for tests: quoting on the way in, looking up on the way out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mxc::test {

[[nodiscard]] std::string Quote(std::string_view text);                     // "text", escaped
[[nodiscard]] std::string QuoteAll(const std::vector<std::string>& texts);  // ["a","b"]

// The value at an RFC 6901 pointer: the text of a string, the compact JSON of anything else.
// "absent" when there is no such value, "not JSON" when the document is none.
[[nodiscard]] std::string At(const std::string& document, const std::string& pointer);

}  // namespace mxc::test
