#include <unistd.h>

#include <ctime>

#include "kubernetes/claim_clock.h"
#include "kubernetes/cluster_objects.h"

namespace mxc::kubernetes {
namespace {

constexpr useconds_t kPauseUs = 500000;
constexpr std::int64_t kSlackSeconds = 2;  // what a stamp of whole seconds and the way to it can tell

}  // namespace

void Pause() { ::usleep(kPauseUs); }

std::uint64_t NowMs() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000 + static_cast<std::uint64_t>(now.tv_nsec) / 1000000;
}

bool ServerClock::Learn(std::string_view stamp, std::uint64_t since_ms) {
  const std::optional<std::int64_t> written = ReadTime(stamp);
  if (!written) return false;
  const std::int64_t ahead =
      *written + static_cast<std::int64_t>(since_ms / 1000) - static_cast<std::int64_t>(std::time(nullptr));
  const std::int64_t otherwise = ahead - ahead_s_;
  if (otherwise >= -kSlackSeconds && otherwise <= kSlackSeconds) return false;
  ahead_s_ = ahead;
  return true;
}

std::int64_t ServerClock::Now() const { return static_cast<std::int64_t>(std::time(nullptr)) + ahead_s_; }

}  // namespace mxc::kubernetes
