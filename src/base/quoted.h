#pragma once

#include <string>
#include <string_view>

namespace mxc {

// In quotes, control characters as \xNN: for messages. Names of files are the command's to choose, and a
// terminal obeys what it is sent.
[[nodiscard]] std::string Quoted(std::string_view text);

}  // namespace mxc
