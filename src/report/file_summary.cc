#include "report/file_summary.h"

#include <fmt/format.h>

#include "base/quoted.h"

namespace mxc {
namespace {

std::string_view ListFor(FileUse use) {
  return use == FileUse::kWrite ? "filesystem.readwritePaths" : "filesystem.readonlyPaths";
}

std::string_view FlagFor(FileUse use) { return use == FileUse::kWrite ? "--rw" : "--ro"; }

// The flag that became the clause; what is no flag's, by its pointer.
std::string_view FlagOf(std::string_view pointer) {
  if (pointer.starts_with("/filesystem/deniedPaths/")) return "--deny";
  if (pointer.starts_with("/filesystem/readonlyPaths/")) return "--ro";
  return pointer;
}

}  // namespace

std::string FileSummary::Remedy(const FileDenial& denial) const {
  const bool flags = form_ == PolicyForm::kFlags;
  if (!denial.advice.empty()) return Escaped(denial.advice);
  if (denial.grant.empty())
    return fmt::format("decided by {}", flags ? FlagOf(denial.pointer) : std::string_view{denial.pointer});
  const std::string first =
      denial.make.empty() ? ""
                          : fmt::format("run {} {} before, and ", denial.make, ShellQuoted(denial.grant));
  if (flags)
    return fmt::format("to allow it, {}add {} {}", first, FlagFor(denial.use), ShellQuoted(denial.grant));
  return fmt::format("to allow it, {}add {} to {}", first, Quoted(denial.grant), ListFor(denial.use));
}

const FileDenial* FileSummary::Take(const FileCall& call) {
  if (known_.size() >= kMaxKnown || !known_.emplace(call.use, call.path).second) return nullptr;
  std::optional<FileDenial> denial = judge_(call);
  if (!denial) return nullptr;
  const auto met = denied_.find(denial->path);
  if (met != denied_.end()) {
    // Whoever wants to write has looked before; writing is what needs the grant.
    if (denial->use != FileUse::kWrite && met->second.use != FileUse::kLook) return nullptr;
    if (denial->use == met->second.use) return nullptr;
    met->second = std::move(*denial);
    return &met->second;
  }
  if (denied_.size() >= kMaxDenials) {
    ++others_;
    return nullptr;
  }
  return &denied_.emplace(denial->path, *denial).first->second;
}

std::string FileSummary::Text() const {
  std::string text = fmt::format("mxc-exec: files: {} denied\n", denied_.size() + others_);
  for (const auto& [path, denial] : denied_) {
    text += fmt::format("  {} ({}): {}\n    {}\n", Quoted(path), Name(denial.use), Escaped(denial.reason),
                        Remedy(denial));
  }
  if (others_ != 0) text += fmt::format("  and {} more\n", others_);
  return text;
}

}  // namespace mxc
