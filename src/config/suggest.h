// "Did you mean": the nearest of the words that would have been right.
#pragma once

#include <string_view>
#include <vector>

namespace mxc {

// Empty when nothing is near: at most a third of the letters may differ. Case counts for nothing.
[[nodiscard]] std::string_view Nearest(std::string_view word, const std::vector<std::string_view>& choices);

}  // namespace mxc
