// "Did you mean ...?": the nearest of the words that would have been right.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mxc {

// The candidate within an edit distance of a third of the word's length (at least 1), or "" when none is
// near. Distances count insertion, deletion, substitution and transposition as one; case does not count.
[[nodiscard]] std::string Nearest(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace mxc
