// Helpers for sockets.
#pragma once

#include <optional>

#include "base/unique_fd.h"
#include "gateway/net/socket_address_posix.h"
#include "gateway/rules/address.h"

namespace mxc::egress {

[[nodiscard]] std::optional<IpEndpoint> LocalEndpoint(int socket);

// Non-blocking and close-on-exec. Invalid with errno.
[[nodiscard]] UniqueFd MakeSocket(const IpAddress& address, int type);
// Closes with a TCP reset (SO_LINGER).
void CloseWithReset(UniqueFd& socket);
void SetOption(int socket, int level, int name, int value);  // best effort
// Is there a connection to accept, or something to read?
[[nodiscard]] bool IsReadable(int socket);

// Sets the options of a relayed TCP socket, or of a listener, whose connections inherit them. System calls
// only, best effort. Urgent bytes stand among the others (SO_OOBINLINE), and are passed on as such.
void PrepareRelayed(int socket);
// The same for a connection within this machine.
void PrepareRelayedNear(int socket);

// Limits the kernel's buffers of this socket to about `bytes` in each direction. Without a limit they grow up
// to the maxima of net.ipv4.tcp_rmem and tcp_wmem. Best effort.
void LimitBuffers(int socket, int bytes);

// The congestion control for connections within this machine. The host's may pace packets (BBR): on the
// loopback interface that costs a timer for every few packets, and half of the throughput.
inline constexpr const char* kNearCongestionControl = "reno";  // in every kernel, and unprivileged

}  // namespace mxc::egress
