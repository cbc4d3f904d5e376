// Limits which records are written: a command can cause any number of decisions, and their files are on disks
// that it was not granted.
//
// A repeated refusal, of the same destination for the same reason, is only counted. A number of different
// refusals of each kind of event is written a day, so that a flood of questions hides no connection. What was
// allowed is written one by one, up to a rate.
//
//   switch (limit.Look(record, now_ms)) ...
//   for (const GatewayRecord& record : limit.TakeRepeats()) write it     // at the end, and once a day
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "mxc/egress.h"

namespace mxc::egress {

class RecordLimit {
 public:
  static constexpr std::size_t kMaxRefusals = 2000;  // different ones of a kind, a day
  static constexpr std::uint64_t kDayMs = 24ULL * 3600 * 1000;
  static constexpr std::uint64_t kMaxAllowed = 10000;  // at once; then one a second

  enum class Fate { kWrite, kRepeat, kLeaveOut };
  [[nodiscard]] Fate Look(const GatewayRecord& record, std::uint64_t now_ms);
  // Of each repeated refusal the last one, with `lost` as the number between it and the first. Forgets all.
  [[nodiscard]] std::vector<GatewayRecord> TakeRepeats();
  [[nodiscard]] bool IsDayOver(std::uint64_t now_ms) const { return now_ms - day_ms_ >= kDayMs; }

 private:
  struct Seen {
    GatewayRecord last = {};
    std::uint64_t repeats = 0;
  };
  [[nodiscard]] Fate LookAtAllowed(std::uint64_t now_ms);

  std::unordered_map<std::string, Seen> seen_ = {};
  std::array<std::size_t, 4> refusals_ = {};  // by event
  std::uint64_t day_ms_ = 0;                  // its beginning
  std::uint64_t room_ = kMaxAllowed;          // for allowed ones
  std::uint64_t filled_ms_ = 0;               // when room_ was computed
};

}  // namespace mxc::egress
