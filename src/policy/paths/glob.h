// Patterns in the filesystem lists, expanded when the policy is resolved.
//
//   *  ?  [a-z]  [!a-z]   inside one component; a leading dot is like any other character
//   **                    any number of directories, also none; redundant at the end
//   \*                    the character itself
//
// A name that is written exactly so matches as well: "/srv/[id]/x" is below the directory "[id]", too.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mxc/error.h"
#include "mxc/host.h"

namespace mxc {

// The names of a path, without "" and ".".
[[nodiscard]] std::vector<std::string> Components(std::string_view path);
[[nodiscard]] bool IsGlob(std::string_view path);
// `rest` below `directory`, whose characters are escaped.
[[nodiscard]] std::string Below(std::string_view directory, std::string_view rest);
[[nodiscard]] bool MatchesName(std::string_view pattern, std::string_view name);
// The directory above the first component with a pattern: "/srv" of "/srv/*/x".
[[nodiscard]] std::string GlobBase(std::string_view pattern);

struct GlobMatch {
  std::string path = {};
  FileType type = FileType::kRegular;  // of the path itself
};

enum class GlobLinks {
  kLeave,   // directories are entered, links are not
  kFollow,  // links too, but not below "**"; a directory too deep to search matches as a whole
};

// Sorted by name within each directory. Errors: kConflict without a pointer, if the matches or the search
// exceed limits.h, or if a directory that the caller owns cannot be listed.
[[nodiscard]] Result<std::vector<GlobMatch>> ExpandGlob(std::string_view pattern, GlobLinks links,
                                                        const Host& host);

}  // namespace mxc
