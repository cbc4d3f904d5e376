#include "report/file_summary.h"

#include <fmt/format.h>

#include "base/quoted.h"

namespace mxc {
namespace {

std::string_view ListFor(FileUse use) {
  return use == FileUse::kWrite ? "filesystem.readwritePaths" : "filesystem.readonlyPaths";
}

std::string Remedy(const FileDenial& denial) {
  if (denial.grant.empty()) return fmt::format("decided by {}", denial.pointer);
  return fmt::format("to allow it, add {} to {}", Quoted(denial.grant), ListFor(denial.use));
}

}  // namespace

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
    text +=
        fmt::format("  {} ({}): {}\n    {}\n", Quoted(path), Name(denial.use), denial.reason, Remedy(denial));
  }
  if (others_ != 0) text += fmt::format("  and {} more\n", others_);
  return text;
}

}  // namespace mxc
