// The part of DNS messages (RFC 1035, 6891) that a resolver for address records needs. Names are normalised
// by ValidName; anything else is refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/net/bytes.h"
#include "gateway/rules/address.h"

namespace mxc::egress {

inline constexpr std::uint16_t kDnsPort = 53;
inline constexpr std::uint16_t kTypeA = 1, kTypeCname = 5, kTypePtr = 12, kTypeAaaa = 28, kTypeAny = 255;
inline constexpr std::uint16_t kClassIn = 1;

enum class DnsCode : std::uint8_t {
  kNoError = 0,
  kFormatError = 1,
  kServerFailure = 2,
  kNoSuchName = 3,
  kNotImplemented = 4,
  kRefused = 5,
};

struct DnsQuestion {
  std::string name = {};  // ValidName; empty if the question is for no host name
  std::string raw = {};   // labels joined by dots, other bytes as \ddd, at most 253 of them: for reports
  std::uint16_t type = 0;
  std::uint16_t cls = 0;
  Bytes wire = {};  // as received, to be repeated in the answer
};

struct DnsQuery {
  std::uint16_t id = 0;
  std::uint8_t opcode = 0;
  bool recursion_desired = false;
  std::optional<std::uint16_t> edns_size = {};  // largest UDP answer it accepts; absent: no EDNS
  bool bad_edns_version = false;
  std::optional<DnsQuestion> question = {};  // absent: malformed
};

// Absent: it has no header of a query, so there is nothing to answer.
[[nodiscard]] std::optional<DnsQuery> ReadQuery(ByteView message);

struct DnsAnswer {
  DnsCode code = DnsCode::kNoError;
  std::vector<IpAddress> addresses = {};
  std::string pointer_name = {};  // for a PTR record
  std::uint32_t ttl_s = 0;
};
[[nodiscard]] Bytes WriteAnswer(const DnsQuery& query, const DnsAnswer& answer);

// A question to the host's name server. `name`: ValidName.
[[nodiscard]] Bytes WriteQuestion(std::uint16_t id, std::string_view name, std::uint16_t type);

struct DnsResponse {
  DnsCode code = DnsCode::kNoError;
  bool truncated = false;
  // Addresses of the type asked for, at most kMaxAddresses, of the name or its aliases.
  std::vector<IpAddress> addresses = {};
  std::uint32_t ttl_s = 0;  // the smallest of all
};
inline constexpr std::size_t kMaxAddresses = 16;
// Absent: not an answer to that question.
[[nodiscard]] std::optional<DnsResponse> ReadResponse(ByteView message, std::uint16_t id,
                                                      std::string_view name, std::uint16_t type);

}  // namespace mxc::egress
