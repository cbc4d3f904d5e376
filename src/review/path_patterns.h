// What a path of a shell command may stand for, as far as its text tells.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mxc {

// Of one component: "*", "?", "[a-z]*", "!(x)". "*.o" and "a*" leave most files out.
[[nodiscard]] bool MayMatchEverything(std::string_view pattern);
// A pattern's components are, or are above, `path`, both absolute: "/w*" and "/work/a?p" of "/work/app".
[[nodiscard]] bool MayHold(const std::vector<std::string>& pattern, std::string_view path);
// A path without the components at its end that stand for all there is.
[[nodiscard]] std::string WithoutPatternsAtEnd(std::string path);

}  // namespace mxc
