// Records on their way from the gateway to the launcher: one message each, so that none is ever half read.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "gateway/dns/dns_message.h"
#include "gateway/net/loop_linux.h"
#include "gateway/rules/record_limit.h"
#include "mxc/egress.h"

namespace mxc::egress {

inline constexpr std::size_t kMaxRecordBytes = 4352;

// Texts that are too long are cut.
[[nodiscard]] Bytes EncodeRecord(const GatewayRecord& record);
// Absent: malformed. Texts come out as printable ASCII, whatever went in.
[[nodiscard]] std::optional<GatewayRecord> DecodeRecord(ByteView message);

// The gateway's end. Records wait here until the launcher takes them; those that are too many are counted
// (record_limit.h). The first goes out at once; those that follow within a moment go together: to wake the
// launcher for each costs it and us a tenth of what a connection does.
class Reporter {
 public:
  Reporter(Loop& loop, int socket) : loop_(loop), socket_(socket) {}  // borrowed
  void Report(GatewayRecord record);
  void Lose(std::uint64_t records) { lost_ += records; }  // that never came to be
  // What was counted, and has not been told.
  void Finish();
  // Waits for the launcher to take everything, as long as it takes some in time. False: it has not.
  [[nodiscard]] bool Flush();
  // A new reader: what was counted is told, and what came before is news again. `mark` comes after it all.
  void Mark(std::uint32_t mark);

 private:
  // Of what passed, and more than comes at once (record_limit.h): a launcher that has stopped reading lets it
  // come to that. Refusals, of which few differ, and marks wait as long as it takes.
  static constexpr std::size_t kMostPending = 16384;

  void Write(const GatewayRecord& record);
  void WriteRepeats();
  void Send();
  // Hands over the first of `pending_`. True: some, and others are left.
  [[nodiscard]] bool Hand();

  Loop& loop_;
  int socket_;
  std::uint64_t lost_ = 0;
  RecordLimit limit_ = {};
  std::deque<Bytes> pending_ = {};
  Timer pause_ = {};
};

}  // namespace mxc::egress
