#include "policy/protect/git/review_budget.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace mxc {
namespace {

constexpr std::uint64_t kSmallFileBytes = std::uint64_t{64} * 1024;
constexpr std::uint64_t kTimesForSmall = 5;          // times the time for all files
constexpr std::uint64_t kSmallAfterSignalMs = 5000;  // the user waits

}  // namespace

ReviewBudget::ReviewBudget(const Host& host, Bounds bounds)
    : host_(host),
      bounds_(std::move(bounds)),
      start_(host.Clock()),
      end_(start_ + kTimesForSmall * bounds_.ms) {}

std::uint64_t ReviewBudget::Room() {
  const std::uint64_t now = host_.Clock();
  if (bounds_.interrupted && bounds_.interrupted()) {
    bounds_.interrupted = nullptr;
    why_ = "a signal asked for the end";
    end_ = std::min(end_, now + kSmallAfterSignalMs);
  }
  if (why_.empty() && spent_ > bounds_.bytes)
    why_ = "it would have read more than " + std::to_string(bounds_.bytes) + " bytes";
  if (why_.empty() && now - start_ > bounds_.ms)
    why_ = "it took longer than " + std::to_string(bounds_.ms) + " ms";
  if (why_.empty()) return std::numeric_limits<std::uint64_t>::max();
  return now > end_ ? 0 : kSmallFileBytes;
}

bool ReviewBudget::Allows(std::uint64_t bytes) {
  const std::uint64_t room = Room();
  if (room > 0 && bytes <= room) return true;
  gap_ = why_;
  return false;
}

}  // namespace mxc
