#include "gateway/inspect/encrypted_datagram.h"

#include <algorithm>
#include <iterator>

#include "gateway/inspect/protocol_sniffer.h"
#include "gateway/inspect/server_hello.h"

namespace mxc::egress {
namespace {

// Versions up to Q043: a byte of flags, mostly a connection identifier of eight bytes, and, if a flag says
// so, the version, "Q" and digits.
bool BeginsGoogleQuic(ByteView datagram) {
  constexpr std::uint8_t kHasVersion = 0x01;
  constexpr std::uint8_t kHasIdentifier = 0x08;
  const std::size_t at = (datagram[0] & kHasIdentifier) != 0 ? 9 : 1;
  if ((datagram[0] & kHasVersion) == 0 || datagram.size() < at + 4 || datagram[at] != 'Q') return false;
  const auto is_digit = [](std::uint8_t byte) { return byte >= '0' && byte <= '9'; };
  return is_digit(datagram[at + 1]) && is_digit(datagram[at + 2]) && is_digit(datagram[at + 3]);
}

// Of DTLS, and of OpenSSL before the RFC (DTLS1_BAD_VER). `record`: five bytes at least.
bool HasDtlsVersion(ByteView record) { return record[1] == 0xfe || (record[1] == 1 && record[2] == 0); }

// A record of DTLS with a ClientHello, of any version, wherever it stands: servers throw away a record that
// they cannot read, and go on behind it. Six bytes are fixed: other data has that once in 2^48 bytes.
bool HoldsDtlsHello(ByteView datagram) {
  constexpr std::size_t kRecordHeader = 13, kMessageHeader = 12, kMostHello = 65536;
  constexpr std::uint8_t kClientHello = 1;
  for (std::size_t at = 0; at + kRecordHeader + kMessageHeader <= datagram.size(); ++at) {
    const ByteView record = datagram.subspan(at);
    if (record[0] != kHandshake || !HasDtlsVersion(record) || NumberAt(record, 3, 2) != 0) continue;
    const bool hello = record[kRecordHeader] == kClientHello;
    const std::size_t length = NumberAt(record, kRecordHeader - 2, 2);
    if (hello && length >= kMessageHeader && NumberAt(record, kRecordHeader + 1, 3) < kMostHello) return true;
  }
  return false;
}

// There was no draft 0, which datagrams of other protocols have by chance.
bool IsDraft(std::size_t version) { return version >> 8U == 0xff0000U && (version & 0xffU) != 0; }

// Drafts and Google's versions may have shorter identifiers, or none.
bool IsKnownVersion(std::size_t version) {
  return version == 1 || version == 0x6b3343cfU || IsDraft(version) || version >> 16U == 0x5130U ||
         version >> 8U == 0xfaceb0U;
}

// With a long header: RFC 8999, 5.1. Behind the identifiers come at least a length, a number and the tag of
// an AEAD. Version 0 answers a client and names no host.
bool HasLongHeader(ByteView datagram, std::size_t version) {
  constexpr std::size_t kSmallestInitial = 1200;            // RFC 9000, 14.1
  constexpr std::size_t kShortestFirst = 8, kLongest = 20;  // RFC 9000, 7.2 and 17.2
  constexpr std::size_t kFixed = 7, kAtDestination = 5, kSealed = 18;
  constexpr std::uint8_t kLongAndFixed = 0xc0;
  if ((datagram[0] & kLongAndFixed) != kLongAndFixed || version == 0) return false;
  if (datagram.size() >= kSmallestInitial) return true;
  if (datagram.size() < kFixed + kShortestFirst + kSealed) return false;
  const std::size_t destination = datagram[kAtDestination];
  if (destination < kShortestFirst || destination > kLongest) return false;
  const std::size_t source = datagram[kAtDestination + 1 + destination];
  return source <= kLongest && datagram.size() >= kFixed + destination + source + kSealed;
}

bool HasLookAlikes(std::uint16_t port) {
  constexpr std::uint16_t kPorts[] = {123, 500, 1701, 4500};
  return std::find(std::begin(kPorts), std::end(kPorts), port) != std::end(kPorts);
}

}  // namespace

bool BeginsEncryption(ByteView datagram, std::uint16_t port) {
  if (datagram.size() < 5) return false;
  if (IsRecordType(datagram[0]) && HasDtlsVersion(datagram)) return true;
  if (HoldsDtlsHello(datagram)) return true;
  if ((datagram[0] & 0x80U) == 0) return BeginsGoogleQuic(datagram);
  const std::size_t version = NumberAt(datagram, 1, 4);
  return IsKnownVersion(version) || (!HasLookAlikes(port) && HasLongHeader(datagram, version));
}

}  // namespace mxc::egress
