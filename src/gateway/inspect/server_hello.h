// A server's first TLS records, as far as they say whether it wants another ClientHello.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gateway/net/bytes.h"

namespace mxc::egress {

inline constexpr std::size_t kTlsRecordHeader = 5;
inline constexpr std::uint8_t kTlsMajorVersion = 3;  // the first byte of every version
enum TlsRecordType : std::uint8_t { kChange = 20, kAlert = 21, kHandshake = 22, kData = 23 };

enum class ServerSays { kNothingYet, kHello, kAnotherHello, kNoTls };

[[nodiscard]] ServerSays ReadServerHello(ByteView said);

}  // namespace mxc::egress
