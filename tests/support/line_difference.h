// The lines that lead from one text to another: `-` is gone, `+` is new, and ` ` says where, in front of new
// lines that replace none and where the line alone would not. Each is looked for after the last one.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mxc::test {

std::string LineDifference(std::string_view from, std::string_view to);

// Nothing, if a line that is gone or says where is not in `from`.
std::optional<std::string> WithDifference(std::string_view from, std::string_view difference);

}  // namespace mxc::test
