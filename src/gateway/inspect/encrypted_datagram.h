// Whether a datagram begins QUIC or DTLS, whose ClientHello the gateway does not read.
#pragma once

#include <cstdint>

#include "gateway/net/bytes.h"

namespace mxc::egress {

// QUIC of any version, by the form of its long header (RFC 8999): a list of versions lacks the next one. The
// connection identifiers are as long as every version in use has them for a client's first packet, and at the
// ports of IKE, ESP, NTP and L2TP, whose packets can look like that by chance, only versions that servers
// know count. RFC 9147: a record of DTLS, of any version; a ClientHello of DTLS wherever it stands.
[[nodiscard]] bool BeginsEncryption(ByteView datagram, std::uint16_t port);

}  // namespace mxc::egress
