// Records on their way from the gateway to the launcher: one message each, so that none is ever half read.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gateway/dns/dns_message.h"
#include "gateway/net/loop_linux.h"
#include "gateway/rules/record_limit.h"
#include "mxc/egress.h"

namespace mxc::egress {

inline constexpr std::size_t kMaxRecordBytes = 2048;

// Texts that are too long are cut.
[[nodiscard]] Bytes EncodeRecord(const GatewayRecord& record);
// Absent: malformed. Texts come out as printable ASCII, whatever went in.
[[nodiscard]] std::optional<GatewayRecord> DecodeRecord(ByteView message);

// The gateway's end. Records that the launcher does not take in time are counted, never waited for, and so
// are those that are too many (record_limit.h). The first goes out at once; those that follow within a moment
// go together: to wake the launcher for each costs it and us a tenth of what a connection does.
class Reporter {
 public:
  Reporter(Loop& loop, int socket) : loop_(loop), socket_(socket) {}  // borrowed
  void Report(GatewayRecord record);
  void Lose(std::uint64_t records) { lost_ += records; }  // that never came to be
  // From now on each goes out at once, and a full buffer is waited for, a moment: nothing comes after it.
  void WaitForReader();
  // What was counted, and has not been told.
  void Finish();
  // A new reader: what was counted is told, and what came before is news again. `mark` comes after it all.
  void Mark(std::uint32_t mark);

 private:
  struct Pending {
    Bytes message;
    std::uint64_t lost;  // what it says of those before it
    bool kept;  // a refusal, of which few differ, or a mark: it waits for room, as long as that takes
  };

  void Write(const GatewayRecord& record);
  void WriteRepeats();
  void Send();
  // How many of the first of `pending_` the launcher has taken; it takes them in order.
  [[nodiscard]] std::size_t Hand();

  Loop& loop_;
  int socket_;
  bool wait_ = false;
  std::uint64_t lost_ = 0;
  RecordLimit limit_ = {};
  std::vector<Pending> pending_ = {};
  Timer pause_ = {};
};

}  // namespace mxc::egress
