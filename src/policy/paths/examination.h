// Examines one entry of the filesystem lists, for entries.cc and glob_entries.cc.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "policy/paths/entries.h"

namespace mxc {

// Absent: the entry has no effect.
using Examined = Result<std::optional<ExaminedEntry>>;

struct Examination {
  const Host& host;
  PathWalker& walker;
  std::vector<Warning>& warnings;
  GrantedLinks links = GrantedLinks::kRoots;
  std::vector<ExaminedEntry> entries = {};
};

// "a socket"; "" for a type that can be granted.
[[nodiscard]] std::string_view TypeName(FileType type);

[[nodiscard]] Examined Examine(const PathEntry& written, Access access, Examination& all);

// Adds the matches of a pattern of `deniedPaths` or `readonlyPaths`. Grants come before denials.
[[nodiscard]] Status ExamineGlob(const PathEntry& written, Access access, Examination& all);

// Warns that matching files which appear later are not denied, where the command could create them.
void WarnOfSnapshots(const Config& config, Examination& all);

}  // namespace mxc
