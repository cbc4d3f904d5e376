// Records on their way from the gateway to the launcher: one message each, so that none is ever half read.
#pragma once

#include <cstdint>
#include <optional>

#include "egress/dns_message.h"
#include "mxc/egress.h"

namespace mxc::egress {

inline constexpr std::size_t kMaxRecordBytes = 2048;

// Texts that are too long are cut.
[[nodiscard]] Bytes EncodeRecord(const GatewayRecord& record);
// Absent: malformed. Texts come out as printable ASCII, whatever went in.
[[nodiscard]] std::optional<GatewayRecord> DecodeRecord(ByteView message);

// The gateway's end. Records that the launcher does not take in time are counted, never waited for.
class Reporter {
 public:
  explicit Reporter(int socket) : socket_(socket) {}  // borrowed
  void Report(GatewayRecord record);
  // From now on a full buffer is waited for, a moment: nothing comes after it.
  void WaitForReader() { wait_ = true; }

 private:
  int socket_;
  bool wait_ = false;
  std::uint64_t lost_ = 0;
};

}  // namespace mxc::egress
