// Expands the patterns of the filesystem lists.
#include <algorithm>
#include <string>
#include <utility>

#include "policy/paths/baseline.h"
#include "policy/paths/examination.h"
#include "policy/paths/glob.h"

namespace mxc {
namespace {

// Whether it is a directory of the system's programs, or above one.
bool HoldsPrograms(std::string_view path) {
  const auto rows = BaselineRows();
  return std::any_of(rows.begin(), rows.end(), [path](const BaselineRow& row) {
    return IsAtOrBelow(row.path, path) || (row.path != "/etc" && IsAtOrBelow(path, row.path));
  });
}

// The matches of a pattern, one after the other.
class Matches {
 public:
  Matches(const PathEntry& written, Access access, Examination& all)
      : written_(written), access_(access), all_(all) {
    const Result<Walked> base = all.walker.Walk(GlobBase(written.path));
    if (base) base_ = base->path;
  }

  Status Take(std::string path, FileType type) {
    const bool denied = access_ == Access::kDenied;
    // Only a written path may be a link or a special file.
    if (!denied && type != FileType::kRegular && type != FileType::kDirectory) {
      skipped_ = Quoted(path) + " is " + std::string(TypeName(type));
      return Done{};
    }
    if (denied && Left(path, all_.walker.Walk(path))) return Done{};
    any_ = true;
    const PathEntry entry{.path = std::move(path), .pointer = written_.pointer};
    Examined examined = Examine(entry, access_, all_);
    if (!examined && denied) return examined.error();
    // A match that would be refused as a written grant is left out.
    if (!examined) skipped_ = examined.error().message;
    if (examined && *examined) all_.entries.push_back(std::move(**examined));
    return Done{};
  }

  void Warn() const {
    const std::string list{ListName(access_)};
    const bool denied = access_ == Access::kDenied;
    if (!skipped_.empty()) {
      all_.warnings.push_back({.category = "glob-skipped",
                               .message = "not all that " + Quoted(written_.path) + " of " + list +
                                          " matches is " + (denied ? "denied" : "granted") + ": " + skipped_,
                               .pointer = written_.pointer});
    }
    if (any_ || (denied && !skipped_.empty())) return;
    if (denied) {
      if (!written_.pointer.starts_with("/filesystem/")) return;  // the operator's, for many callers
      all_.warnings.push_back(
          {.category = "glob-unmatched",
           .message = Quoted(written_.path) + " of " + list + " matches nothing: nothing is denied",
           .pointer = written_.pointer});
      return;
    }
    all_.warnings.push_back(
        {.category = "path-missing",
         .message = Quoted(written_.path) + " of " + list + " matches nothing: nothing is granted",
         .pointer = written_.pointer});
  }

 private:
  // A link that a command may have created must not deny paths without which later commands cannot start.
  [[nodiscard]] bool DeniesTooMuch(const Walked& walked) const {
    const auto around = [&](const ExaminedEntry& entry) {
      return entry.access != Access::kDenied && IsAtOrBelow(entry.walked.path, walked.path);
    };
    const auto above = [&](const LinkMet& met) { return IsAtOrBelow(met.link.path, walked.path); };
    return HoldsPrograms(walked.path) || std::any_of(walked.links.begin(), walked.links.end(), above) ||
           std::any_of(all_.entries.begin(), all_.entries.end(), around);
  }

  // Whether the match is left out. A link below the base of the pattern is judged by its target.
  [[nodiscard]] bool Left(const std::string& path, const Result<Walked>& walked) {
    if (!walked)
      return !all_.host.MayAccess(path, Access::kReadOnly);  // a loop, or out of the caller's reach
    const auto planted = [this](const LinkMet& met) {
      return met.link.path != base_ && IsAtOrBelow(met.link.path, base_);
    };
    if (std::none_of(walked->links.begin(), walked->links.end(), planted)) return false;
    if (!walked->status || IsNeverFromHost(walked->path)) return true;
    if (!DeniesTooMuch(*walked)) return false;
    skipped_ = Quoted(path) + " leads to " + Quoted(walked->path) + ", without which no command could start";
    return true;
  }

  const PathEntry& written_;
  Access access_;
  Examination& all_;
  std::string base_ = {};     // where the search began, canonical
  std::string skipped_ = {};  // why one was left out, for the warning
  bool any_ = false;
};

}  // namespace

// A denial applies to the matches and to a file of exactly that name: with the latter alone, a command that
// creates one could lift the denial.
Status ExamineGlob(const PathEntry& written, Access access, Examination& all) {
  const bool denied = access == Access::kDenied;
  Result<std::vector<GlobMatch>> matches =
      ExpandGlob(written.path, denied ? GlobLinks::kFollow : GlobLinks::kLeave, all.host);
  if (!matches) {
    return Conflict("the pattern " + Quoted(written.path) + ": " + matches.error().message, written.pointer,
                    matches.error().hint);
  }
  Matches found(written, access, all);
  for (GlobMatch& match : *matches) {
    if (Status status = found.Take(std::move(match.path), match.type); !status) return status;
  }
  // A file of exactly that name matches as well.
  if (denied && all.host.LookAt(written.path).status) {
    if (Status status = found.Take(written.path, FileType::kRegular); !status) return status;
  }
  found.Warn();
  return Done{};
}

void WarnOfSnapshots(const Config& config, Examination& all) {
  for (const PathEntry& written : config.denied) {
    if (!IsGlob(written.path)) continue;
    const Result<Walked> base = all.walker.Walk(GlobBase(written.path));
    if (!base) continue;
    for (const ExaminedEntry& entry : all.entries) {
      const std::string& grant = entry.walked.path;
      if (entry.wanted != Access::kReadWrite) continue;
      if (!IsAtOrBelow(base->path, grant) && !IsAtOrBelow(grant, base->path)) continue;
      all.warnings.push_back({.category = "glob-snapshot",
                              .message = "the denial of " + Quoted(written.path) +
                                         " holds for what matches now, not for what the command creates in " +
                                         Quoted(grant),
                              .pointer = written.pointer});
      break;
    }
  }
}

}  // namespace mxc
