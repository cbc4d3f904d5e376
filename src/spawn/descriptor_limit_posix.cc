#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

#include "spawn/descriptor_limit.h"

namespace mxc {
namespace {

// Numbers that are in use already or are needed besides the plan's files, by us and by the child's set-up.
constexpr rlim_t kSpare = 64;

}  // namespace

Result<DescriptorLimit> DescriptorLimit::Reserve(std::size_t files,
                                                 std::optional<std::uint64_t> child_limit) {
  DescriptorLimit limit;
  if (::getrlimit(RLIMIT_NOFILE, &limit.original_) != 0) {
    return SystemError(ErrorCode::kSetupFailed, "read the limit of open files", errno);
  }
  const rlim_t soft = std::min<rlim_t>(limit.original_.rlim_cur, child_limit.value_or(RLIM_INFINITY));
  const rlim_t hard = limit.original_.rlim_max;
  if (files + kSpare <= soft) return limit;
  if (soft + files + kSpare > hard) {
    return SetupFailed("the sandbox needs " + std::to_string(files + kSpare) +
                           " open files; the limit of this session is " + std::to_string(hard),
                       "raise the hard limit (ulimit -Hn), or name fewer paths");
  }
  const rlimit raised{.rlim_cur = hard, .rlim_max = hard};
  if (::setrlimit(RLIMIT_NOFILE, &raised) != 0) {
    return SystemError(ErrorCode::kSetupFailed, "raise the limit of open files", errno);
  }
  limit.raised_ = true;
  limit.lowest_ = std::max(limit.lowest_, static_cast<int>(soft));
  return limit;
}

DescriptorLimit::DescriptorLimit(DescriptorLimit&& other) noexcept
    : original_(other.original_), lowest_(other.lowest_), raised_(std::exchange(other.raised_, false)) {}

DescriptorLimit::~DescriptorLimit() {
  if (raised_) ::setrlimit(RLIMIT_NOFILE, &original_);
}

}  // namespace mxc
