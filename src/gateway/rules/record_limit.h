// Which records are written: a command may cause as many decisions as it likes, and the files they go to lie
// on disks that it was not granted.
//
// A refusal that came before, of the same destination for the same reason, is counted. Of each kind of event
// so many different ones are written a day, so that a flood of questions hides no connection. What was let
// through is written one by one, up to a rate.
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
  static constexpr std::size_t kMaxRefusals = 2000;  // of a kind, that differ
  static constexpr std::uint64_t kDayMs = 24ULL * 3600 * 1000;
  static constexpr std::uint64_t kMaxAllowed = 10000;  // at once; then one a second

  enum class Fate { kWrite, kRepeat, kLeaveOut };
  [[nodiscard]] Fate Look(const GatewayRecord& record, std::uint64_t now_ms);
  // Of each refusal that came again, the last; `lost` are those between it and the first. All is forgotten.
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
  std::uint64_t room_ = kMaxAllowed;          // for what was let through
  std::uint64_t filled_ms_ = 0;               // room_ is of then
};

}  // namespace mxc::egress
