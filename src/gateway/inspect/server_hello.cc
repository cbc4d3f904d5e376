#include "gateway/inspect/server_hello.h"

#include <algorithm>
#include <array>

namespace mxc::egress {
namespace {

// RFC 8446, 4.1.3: the random value of a ServerHello that asks for another ClientHello.
constexpr std::array<std::uint8_t, 32> kRetry = {
    0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11, 0xbe, 0x1d, 0x8c, 0x02, 0x1e, 0x65, 0xb8, 0x91,
    0xc2, 0xa2, 0x11, 0x16, 0x7a, 0xbb, 0x8c, 0x5e, 0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8, 0x33, 0x9c};
constexpr std::size_t kRandomAt = 11;  // behind the headers of record and message, and a version

}  // namespace

// Some servers send a warning before their ServerHello.
ServerSays ReadServerHello(ByteView said) {
  while (said.size() >= kTlsRecordHeader && said[0] == kAlert) {
    const std::size_t size = kTlsRecordHeader + (std::size_t{said[3]} << 8U) + said[4];
    if (size > said.size()) return ServerSays::kNothingYet;
    said = said.subspan(size);
  }
  if (!said.empty() && said[0] != kHandshake) return ServerSays::kNoTls;
  if (said.size() > kTlsRecordHeader && said[kTlsRecordHeader] != 2) return ServerSays::kNoTls;
  if (said.size() < kRandomAt + kRetry.size()) return ServerSays::kNothingYet;
  const ByteView random = said.subspan(kRandomAt, kRetry.size());
  return std::equal(kRetry.begin(), kRetry.end(), random.begin()) ? ServerSays::kAnotherHello
                                                                  : ServerSays::kHello;
}

}  // namespace mxc::egress
