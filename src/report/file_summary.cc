#include "report/file_summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/quoted.h"

namespace mxc {
namespace {

std::string_view ListFor(FileUse use) {
  if (use == FileUse::kConnect) return "filesystem.sockets";
  return use == FileUse::kWrite ? "filesystem.readwritePaths" : "filesystem.readonlyPaths";
}

std::string_view FlagFor(FileUse use) {
  if (use == FileUse::kConnect) return "--socket";
  return use == FileUse::kWrite ? "--rw" : "--ro";
}

// The flag that became the clause; what is no flag's, by its pointer.
std::string_view FlagOf(std::string_view pointer) {
  if (pointer.starts_with("/filesystem/deniedPaths/")) return "--deny";
  if (pointer.starts_with("/filesystem/readonlyPaths/")) return "--ro";
  if (pointer == "/filesystem/protect") return "the default of --protect: the host's git would run it";
  return pointer;
}

bool HasClause(const FileDenial& denial) { return !denial.grant.empty() || !denial.pointer.empty(); }

// Most looks are no more than a search; no entry grants writing of the system's files.
constexpr int kToldAlone = 2;

int RankOf(const FileDenial& denial) {
  if (denial.use == FileUse::kLook) return kToldAlone;
  if (denial.use == FileUse::kWrite) return HasClause(denial) ? 0 : kToldAlone;
  return 1;
}

// Whoever pushes to a repository only looks at it first.
bool MayBePushedTo(const FileDenial& denial) {
  return (denial.use == FileUse::kLook || denial.use == FileUse::kRead) && denial.grant.ends_with(".git");
}

// Opened, and denied by a clause that the short report does not name.
bool IsKeptSecret(const FileDenial& denial) {
  return denial.untold && denial.use != FileUse::kLook && !denial.pointer.empty();
}

}  // namespace

std::string FileSummary::Remedy(const FileDenial& denial) const {
  const bool flags = form_ == PolicyForm::kFlags;
  if (!denial.advice.empty()) return Escaped(denial.advice);
  if (!denial.profile.empty() && form_ != PolicyForm::kLegacy) {
    return fmt::format("to have one of the sandbox's own, add {}",
                       flags ? "--profile " + denial.profile : Quoted(denial.profile) + " to profiles");
  }
  if (denial.grant.empty())
    return fmt::format("decided by {}", flags ? FlagOf(denial.pointer) : std::string_view{denial.pointer});
  const std::string first =
      denial.make.empty() ? ""
                          : fmt::format("run {} {} before, and ", denial.make, ShellQuoted(denial.grant));
  const bool pushed = MayBePushedTo(denial);
  if (flags)
    return fmt::format("to allow it, {}add {} {}{}", first, FlagFor(denial.use), ShellQuoted(denial.grant),
                       pushed ? ", for git push --rw" : "");
  return fmt::format("to allow it, {}add {} to {}{}", first, Quoted(denial.grant), ListFor(denial.use),
                     pushed ? ", for git push to filesystem.readwritePaths" : "");
}

const FileDenial* FileSummary::Take(const FileCall& call) {
  const std::tuple key(call.use, call.link_itself, call.path);
  if (known_.contains(key)) return nullptr;
  if (known_.size() >= kMaxKnown) {
    ++left_out_;
    return nullptr;
  }
  known_.insert(key);
  std::optional<FileDenial> denial = judge_(call);
  if (!denial) {
    if (call.use == FileUse::kWrite) denied_.erase(call.path);  // it makes what it did not find
    return nullptr;
  }
  const auto met = denied_.find(denial->path);
  if (met != denied_.end()) {
    // Whoever wants to write has looked before; writing is what needs the grant.
    FileDenial& known = met->second.denial;
    if (denial->use != FileUse::kWrite && known.use != FileUse::kLook) return nullptr;
    if (denial->use == known.use) return nullptr;
    met->second = {.denial = std::move(*denial), .order = ++met_};
    return &known;
  }
  if (denied_.size() >= kMaxDenials) {
    if (!others_.insert(denial->path).second) return nullptr;
    other_ = *std::move(denial);
    return &other_;
  }
  return &denied_.emplace(denial->path, Denied{.denial = *denial, .order = ++met_}).first->second.denial;
}

std::string FileSummary::Text() const {
  std::string text = fmt::format("mxc-exec: files: {} denied\n", denied_.size() + others_.size());
  for (const auto& [path, met] : denied_) {
    const FileDenial& denial = met.denial;
    text += fmt::format("  {} ({}): {}\n    {}\n", Quoted(path), Name(denial.use), Escaped(denial.reason),
                        Remedy(denial));
  }
  if (!others_.empty()) text += fmt::format("  and {} more\n", others_.size());
  if (left_out_ != 0)
    text += fmt::format("  {} calls were not looked at: there were too many of them\n", left_out_);
  return text;
}

std::vector<std::string> FileSummary::Short() const {
  std::vector<std::pair<int, const Denied*>> ranked;
  for (const auto& [path, met] : denied_) {
    const FileDenial& denial = met.denial;
    const bool helps = denial.use == FileUse::kExecute || denial.use == FileUse::kWrite || HasClause(denial);
    if (!denial.untold && helps) ranked.emplace_back(RankOf(denial), &met);
  }
  std::sort(ranked.begin(), ranked.end(), [](const auto& left, const auto& right) {
    return std::pair(left.first, right.second->order) < std::pair(right.first, left.second->order);
  });
  std::vector<std::string> lines;
  for (const auto& [rank, met] : ranked) {
    const FileDenial& denial = met->denial;
    if (rank == kToldAlone && !lines.empty()) break;
    lines.push_back(fmt::format("{} ({}): {}; {}", Quoted(denial.path), Name(denial.use),
                                Escaped(denial.reason), Remedy(denial)));
  }
  const auto secret = std::count_if(denied_.begin(), denied_.end(),
                                    [](const auto& met) { return IsKeptSecret(met.second.denial); });
  if (lines.empty() && secret != 0)
    lines.push_back(fmt::format("{} that the policy denies; mxc-exec --report names {}",
                                secret == 1 ? "a path" : fmt::format("{} paths", secret),
                                secret == 1 ? "it" : "them"));
  return lines;
}

}  // namespace mxc
