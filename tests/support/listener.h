// A server that only notices: whether anything has reached it.
//
//   const Listener listener = Listener::Tcp("127.0.0.1");
//   ... {"connect", "tcp", "127.0.0.1", listener.Port(), "x"} ...
//   EXPECT_FALSE(listener.WasReached());
#pragma once

#include <string>
#include <vector>

#include "base/unique_fd.h"

namespace mxc::test {

class Listener {
 public:
  static Listener Tcp(const std::string& address);  // IPv4 or IPv6, any free port
  static Listener Udp(const std::string& address);
  static Listener Unix(const std::string& path);  // for everybody
  static Listener Abstract(const std::string& name);

  [[nodiscard]] bool WasReached() const;  // a connection or a datagram waits
  [[nodiscard]] std::string Port() const { return port_; }

 private:
  UniqueFd socket_;
  std::string port_;
};

// A network of one's own for this process: `lo` is up and has these IPv4 addresses too, so that servers
// stand where an internet would be. Needs root. The old network is back when it goes out of scope.
class PrivateNetwork {
 public:
  explicit PrivateNetwork(const std::vector<std::string>& addresses);
  PrivateNetwork(const PrivateNetwork&) = delete;
  PrivateNetwork& operator=(const PrivateNetwork&) = delete;
  ~PrivateNetwork();

 private:
  UniqueFd before_;
};

}  // namespace mxc::test
