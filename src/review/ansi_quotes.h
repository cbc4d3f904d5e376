// "$'\x72m'" is "rm".
#pragma once

#include <string>
#include <string_view>

namespace mxc {

// What stands before the quote that closes it, behind "$'"; that one is left in `rest`.
[[nodiscard]] std::string TakeAnsiQuoted(std::string_view& rest);

}  // namespace mxc
