// One entry of the filesystem lists at a time, for entries.cc and what expands patterns.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "policy/paths/entries.h"

namespace mxc {

// What one entry was examined to be; none when there is nothing to grant.
using Examined = Result<std::optional<ExaminedEntry>>;

struct Examination {
  const Host& host;
  PathWalker& walker;
  std::vector<Warning>& warnings;
  GrantedLinks links = GrantedLinks::kRoots;
  std::vector<ExaminedEntry> entries = {};
};

// "a socket"; "" for what can be granted.
[[nodiscard]] std::string_view TypeName(FileType type);

[[nodiscard]] Examined Examine(const PathEntry& written, Access access, Examination& all);

// A pattern of `deniedPaths` or `readonlyPaths`: adds what it stands for. Grants come before denials.
[[nodiscard]] Status ExamineGlob(const PathEntry& written, Access access, Examination& all);

// Files that appear later and would match are not denied: says so where the command could create them.
void WarnOfSnapshots(const Config& config, Examination& all);

}  // namespace mxc
