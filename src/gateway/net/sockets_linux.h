// Sockets as the kernel has them.
#pragma once

#include <optional>

#include "base/unique_fd.h"
#include "gateway/net/socket_address_posix.h"
#include "gateway/rules/address.h"

namespace mxc::egress {

[[nodiscard]] std::optional<IpEndpoint> LocalEndpoint(int socket);

// Non-blocking and close-on-exec. Invalid with errno.
[[nodiscard]] UniqueFd MakeSocket(const IpAddress& address, int type);
// Closes so that the other side is reset.
void CloseWithReset(UniqueFd& socket);
void SetOption(int socket, int level, int name, int value);  // best effort
// Is there a connection to accept, or something to read?
[[nodiscard]] bool IsReadable(int socket);

// Options of a TCP socket whose bytes are relayed, or of a listener for such: its connections inherit them.
// System calls only, best effort.
void PrepareRelayed(int socket);
// The same where the other end is on this machine.
void PrepareRelayedNear(int socket);

// The kernel keeps at most about `bytes` in each direction for this socket. Without a limit it decides by
// what the reader takes, up to the last numbers of net.ipv4.tcp_rmem and tcp_wmem. Best effort.
void LimitBuffers(int socket, int bytes);

// The congestion control for connections that never leave this machine. The host's may pace what it sends
// (BBR): on the loopback interface that is a timer for every few packets, and half of the throughput.
inline constexpr const char* kNearCongestionControl = "reno";  // part of every kernel, allowed to everybody

}  // namespace mxc::egress
