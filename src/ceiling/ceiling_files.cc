#include "ceiling/ceiling_files.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/quoted.h"
#include "policy/paths/entries.h"
#include "policy/paths/rules.h"

namespace mxc {
namespace {

bool ListsSocket(const CeilingSection& section, const Walked& socket, const Host& host, PathWalker& walker) {
  return std::any_of(
      section.bounds.sockets.begin(), section.bounds.sockets.end(), [&](const PathEntry& bound) {
        const Result<Walked> listed = walker.Walk(bound.path);
        return listed && listed->status && !listed->folded_missing &&
               listed->status->object.IsSame(socket.status->object) &&
               CheckGrantedLinks(bound, "the ceiling's " + Quoted(bound.path), *listed, host, walker);
      });
}

}  // namespace

Result<CeilingFiles> CeilingFiles::Resolve(const Ceiling* ceiling, const Host& host, PathWalker& walker) {
  CeilingFiles files;
  if (ceiling == nullptr) return files;
  for (const CeilingSection& section : ceiling->sections) {
    if (!section.filesystem) continue;
    Result<std::unique_ptr<CeilingPaths>> paths = CeilingPaths::Resolve(section, host, walker);
    if (!paths) return paths.error();
    files.sections_.push_back({.section = &section, .paths = std::move(*paths)});
  }
  return files;
}

CeilingVerdict CeilingFiles::Judge(const Walked& walked) const {
  CeilingVerdict strictest{.access = Access::kReadWrite};
  const std::optional<FileObject> object =
      walked.status ? std::optional(walked.status->object) : std::nullopt;
  for (const auto& [section, paths] : sections_) {
    CeilingVerdict verdict = paths->Judge(walked.path, object);
    const bool stricter = Stricter(verdict.access, strictest.access) != strictest.access;
    // Of two that deny, one that an entry denies.
    const bool by_entry = verdict.access == strictest.access && strictest.baseline && !verdict.baseline;
    if (!stricter && !by_entry) continue;
    verdict.clause = section->At(verdict.clause);
    strictest = std::move(verdict);
  }
  return strictest;
}

bool CeilingFiles::AllowsSocket(const PathEntry& socket, const Walked& walked, const Host& host,
                                PathWalker& walker, Cuts& cuts) const {
  for (const Section& each : sections_) {
    if (ListsSocket(*each.section, walked, host, walker)) continue;
    cuts.Add(*each.section, "/filesystem", socket.pointer,
             "the socket " + Quoted(walked.path) + " is not granted");
    return false;
  }
  return true;
}

}  // namespace mxc
