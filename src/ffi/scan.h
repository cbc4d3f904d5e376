// Single members of JSON objects, found without reading the rest: the requests of callers, which the program
// judges as a whole, and the lines of the program. No recursion: callers may have small stacks.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mxc::ffi {

// The text of the member's value; empty: `object` has none of that name, or is no object.
[[nodiscard]] std::string_view MemberOf(std::string_view object, std::string_view name);
// The values of an array.
[[nodiscard]] std::vector<std::string_view> ItemsOf(std::string_view array);
// The text behind the value of a string; nothing: it is no string.
[[nodiscard]] std::optional<std::string> TextOf(std::string_view value);
// The same of a member; "": there is none.
[[nodiscard]] std::string TextMember(std::string_view object, std::string_view name);
[[nodiscard]] std::optional<int> NumberMember(std::string_view object, std::string_view name);
// As a string of JSON, with its quotes.
[[nodiscard]] std::string Quoted(std::string_view text);

}  // namespace mxc::ffi
