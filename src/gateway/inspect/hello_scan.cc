#include "gateway/inspect/hello_scan.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "gateway/inspect/protocol_sniffer.h"
#include "gateway/inspect/server_hello.h"

namespace mxc::egress {
namespace {

// Five bytes are fixed and more are bounded: other data has that once in terabytes. A message in several
// records counts with the first bytes of each, and so does one that is broken by a record of another type or
// by an empty one, which some servers pass over.
Match BeginsHello(ByteView bytes) {
  constexpr std::size_t kHeader = 5;
  constexpr std::size_t kLongestRecord = 16384 + 2048;
  constexpr std::array<std::pair<std::uint8_t, std::uint8_t>, 6> kMessage = {
      {{1, 1}, {0, 2}, {0, 255}, {0, 255}, {kTlsMajorVersion, kTlsMajorVersion}, {0, 255}}};  // type, length,
                                                                                              // version
  std::size_t seen = 0;
  while (true) {
    if (bytes.empty()) return Match::kMaybe;
    const bool first = seen == 0;
    if (first ? bytes[0] != kHandshake : !IsRecordType(bytes[0])) return Match::kNo;
    if (bytes.size() > 1 && bytes[1] != kTlsMajorVersion) return Match::kNo;
    if (bytes.size() < kHeader) return Match::kMaybe;
    const std::size_t length = NumberAt(bytes, 3, 2);
    if (length > kLongestRecord) return Match::kNo;
    if (length == 0 || bytes[0] != kHandshake) return first ? Match::kNo : Match::kYes;
    bytes = bytes.subspan(kHeader);
    for (std::size_t i = 0; i < length; ++i) {
      if (seen == kMessage.size()) return Match::kYes;
      if (i == bytes.size()) return Match::kMaybe;
      const auto [least, most] = kMessage[seen++];
      if (bytes[i] < least || bytes[i] > most) return Match::kNo;
    }
    bytes = bytes.subspan(length);
  }
}

}  // namespace

std::optional<HelloStart> HelloScan::Find(ByteView bytes) {
  constexpr std::size_t kMostNeeded = 64;
  const std::size_t before = begun_.size();
  Bytes joined = std::exchange(begun_, {});
  const ByteView first = bytes.first(std::min(bytes.size(), kMostNeeded));
  joined.insert(joined.end(), first.begin(), first.end());
  // Offsets count from the first of the bytes of earlier calls.
  const auto from = [&](std::size_t i) {
    const ByteView rest = i < before ? ByteView(joined).subspan(i) : bytes.subspan(i - before);
    return rest.first(std::min(rest.size(), kMostNeeded));
  };
  for (std::size_t i = 0; i < before + bytes.size(); ++i) {
    if (i >= before) {
      const auto rest = bytes.subspan(i - before);
      const auto next = std::find(rest.begin(), rest.end(), kHandshake);
      if (next == rest.end()) return std::nullopt;
      i += static_cast<std::size_t>(std::distance(rest.begin(), next));
    }
    const ByteView rest = from(i);
    const Match match = BeginsHello(rest);
    if (match == Match::kNo) continue;
    if (match == Match::kMaybe) {
      begun_.assign(rest.begin(), rest.end());
      return std::nullopt;
    }
    HelloStart found{.at = i < before ? 0 : i - before};
    if (i < before)
      found.begun.assign(joined.begin() + static_cast<std::ptrdiff_t>(i),
                         joined.begin() + static_cast<std::ptrdiff_t>(before));
    return found;
  }
  return std::nullopt;
}

}  // namespace mxc::egress
