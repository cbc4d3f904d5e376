#include "gateway/rules/record_limit.h"

#include <algorithm>
#include <utility>

namespace mxc::egress {
namespace {

constexpr std::uint64_t kRefillMs = 1000;

std::string KeyOf(const GatewayRecord& record) {
  std::string key = std::to_string(static_cast<int>(record.event)) + " " + std::to_string(record.port);
  for (const std::string* text : {&record.name, &record.address, &record.pointer, &record.reason}) {
    key += '\n';
    key += *text;
  }
  return key;
}

}  // namespace

RecordLimit::Fate RecordLimit::LookAtAllowed(std::uint64_t now_ms) {
  const std::uint64_t more = (now_ms - filled_ms_) / kRefillMs;
  filled_ms_ += more * kRefillMs;
  room_ = std::min(kMaxAllowed, room_ + more);
  if (room_ == 0) return Fate::kLeaveOut;
  --room_;
  return Fate::kWrite;
}

RecordLimit::Fate RecordLimit::Look(const GatewayRecord& record, std::uint64_t now_ms) {
  if (filled_ms_ == 0) filled_ms_ = day_ms_ = now_ms;
  if (record.verdict == RuleAction::kAllow) return LookAtAllowed(now_ms);
  const std::string key = KeyOf(record);
  if (const auto known = seen_.find(key); known != seen_.end()) {
    Seen& seen = known->second;
    const GatewayRecord before = std::exchange(seen.last, record);
    if (seen.repeats++ > 0) {
      seen.last.bytes_out += before.bytes_out;
      seen.last.bytes_in += before.bytes_in;
    }
    return Fate::kRepeat;
  }
  std::size_t& refusals = refusals_.at(static_cast<std::size_t>(record.event));
  if (refusals == kMaxRefusals) return Fate::kLeaveOut;
  ++refusals;
  seen_.emplace(key, Seen{.last = record});
  return Fate::kWrite;
}

std::vector<GatewayRecord> RecordLimit::TakeRepeats() {
  std::vector<GatewayRecord> repeats;
  for (auto& [key, seen] : std::exchange(seen_, {})) {
    if (seen.repeats == 0) continue;
    seen.last.lost = seen.repeats - 1;
    repeats.push_back(std::move(seen.last));
  }
  std::sort(repeats.begin(), repeats.end(),
            [](const GatewayRecord& a, const GatewayRecord& b) { return a.time_ms < b.time_ms; });
  refusals_ = {};
  day_ms_ = filled_ms_;
  return repeats;
}

}  // namespace mxc::egress
