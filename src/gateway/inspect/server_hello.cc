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

struct ByteRange {
  std::uint8_t least;
  std::uint8_t most;
};
constexpr ByteRange kAnyByte{0, 255};
constexpr ByteRange kRecordVersion[] = {{kTlsMajorVersion, kTlsMajorVersion}, {0, 4}};
// An alert in the clear.
constexpr ByteRange kAlertBegins[] = {{kAlert, kAlert}, kRecordVersion[0], kRecordVersion[1], {0, 0}, {2, 2}};
// A record, and in it the type, length and version of the message.
constexpr ByteRange kHelloBegins[] = {{kHandshake, kHandshake},
                                      kRecordVersion[0],
                                      kRecordVersion[1],
                                      {0, 0x48},
                                      kAnyByte,
                                      {2, 2},
                                      {0, 0},
                                      kAnyByte,
                                      kAnyByte,
                                      kRecordVersion[0],
                                      kRecordVersion[1]};

template <std::size_t kSize>
bool Agrees(ByteView bytes, const ByteRange (&with)[kSize]) {
  for (std::size_t i = 0; i < std::min(bytes.size(), kSize); ++i)
    if (bytes[i] < with[i].least || bytes[i] > with[i].most) return false;
  return true;
}

}  // namespace

// Some servers send a warning before their ServerHello.
ServerSays ReadServerHello(ByteView said) {
  constexpr std::size_t kAlertSize = kTlsRecordHeader + 2;
  while (!said.empty() && said[0] == kAlert) {
    if (!Agrees(said, kAlertBegins)) return ServerSays::kNoTls;
    if (said.size() < kAlertSize) return ServerSays::kNothingYet;
    said = said.subspan(kAlertSize);
  }
  if (!Agrees(said, kHelloBegins)) return ServerSays::kNoTls;
  if (said.size() < kRandomAt + kRetry.size()) return ServerSays::kNothingYet;
  const ByteView random = said.subspan(kRandomAt, kRetry.size());
  return std::equal(kRetry.begin(), kRetry.end(), random.begin()) ? ServerSays::kAnotherHello
                                                                  : ServerSays::kHello;
}

}  // namespace mxc::egress
