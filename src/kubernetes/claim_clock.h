// The clocks that a claim has to do with: ours that nobody sets, and the API server's, which ends the claim.
#pragma once

#include <cstdint>
#include <string_view>

namespace mxc::kubernetes {

inline constexpr int kAttempts = 5;  // of what passes by itself
void Pause();                        // between two of them

[[nodiscard]] std::uint64_t NowMs();  // CLOCK_MONOTONIC

// The API server's, as far ahead of this machine's as it has shown itself to be.
class ServerClock {
 public:
  explicit ServerClock(std::int64_t ahead_s = 0) : ahead_s_(ahead_s) {}

  // `stamp`: RFC 3339, what the server wrote within the last `within_ms` milliseconds. True: by what was
  // known it cannot have; what is nearest to that counts now.
  bool Learn(std::string_view stamp, std::uint64_t within_ms);
  [[nodiscard]] std::int64_t Now() const;  // seconds since 1970
  [[nodiscard]] std::int64_t AheadSeconds() const { return ahead_s_; }

 private:
  std::int64_t ahead_s_;
};

}  // namespace mxc::kubernetes
