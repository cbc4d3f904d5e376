#include <unistd.h>

#include <algorithm>
#include <ctime>

#include "kubernetes/claim_clock.h"
#include "kubernetes/cluster_objects.h"

namespace mxc::kubernetes {
namespace {

constexpr useconds_t kPauseUs = 500000;
constexpr std::int64_t kSlackSeconds = 2;  // what a stamp of whole seconds leaves open

}  // namespace

void Pause() { ::usleep(kPauseUs); }

std::uint64_t NowMs() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000 + static_cast<std::uint64_t>(now.tv_nsec) / 1000000;
}

bool ServerClock::Learn(std::string_view stamp, std::uint64_t within_ms) {
  const std::optional<std::int64_t> written = ReadTime(stamp);
  if (!written) return false;
  const std::int64_t least = *written - static_cast<std::int64_t>(std::time(nullptr));
  const std::int64_t most = least + static_cast<std::int64_t>(within_ms / 1000);
  if (ahead_s_ >= least - kSlackSeconds && ahead_s_ <= most + kSlackSeconds) return false;
  ahead_s_ = std::clamp(ahead_s_, least, most);
  return true;
}

std::int64_t ServerClock::Now() const { return static_cast<std::int64_t>(std::time(nullptr)) + ahead_s_; }

}  // namespace mxc::kubernetes
