#include "ceiling/cuts.h"

#include <algorithm>
#include <utility>

#include "mxc/limits.h"

namespace mxc {

void Cuts::Add(const CeilingSection& by, const std::string& clause, std::string pointer,
               const std::string& what) {
  if (!ignored_.empty() && pointer == ignored_) return;
  const std::string message = what + " (" + by.At(clause) + ")";
  const bool known = std::any_of(all_.begin(), all_.end(), [&](const Warning& other) {
    return other.message == message && other.pointer == pointer;
  });
  if (known) return;
  if (by.refuses && refused_.size() < kMaxReportedErrors) {
    refused_.push_back({.code = ErrorCode::kConflict,
                        .message = "more than the ceiling of this machine allows: " + message,
                        .pointer = pointer,
                        .hint = "ask for less, or ask the operator: " + CeilingFile(OperatingSystem::kLinux) +
                                " refuses what goes beyond it"});
  }
  all_.push_back({.category = "clamped", .message = message, .pointer = std::move(pointer)});
}

Status Cuts::Refusal() const {
  if (refused_.empty()) return Done{};
  Error first = refused_.front();
  first.others.assign(refused_.begin() + 1, refused_.end());
  return first;
}

std::vector<Warning> Cuts::Warnings() const {
  if (all_.empty()) return {};
  std::string told = "the ceiling of this machine cuts the policy: " + all_.front().message;
  if (all_.size() > 1) told += "; and " + std::to_string(all_.size() - 1) + " more, which --explain lists";
  std::vector<Warning> warnings = {{.category = "ceiling", .message = std::move(told)}};
  warnings.insert(warnings.end(), all_.begin(), all_.end());
  return warnings;
}

}  // namespace mxc
