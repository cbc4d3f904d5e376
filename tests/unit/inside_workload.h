// Network namespaces of workloads for the tests of the gateway's inner side, and what both sides say there.
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <functional>
#include <string>

#include "base/unique_fd.h"
#include "gateway/setup/inside.h"
#include "tests/support/needs.h"

namespace mxc::egress {

inline void WriteFile(const char* path, const std::string& text) {
  const UniqueFd file{::open(path, O_WRONLY | O_CLOEXEC)};
  ASSERT_EQ(::write(file.Get(), text.data(), text.size()), static_cast<ssize_t>(text.size())) << path;
}

// A process in new user and network namespaces. It drops its capabilities when the gateway stands, as a
// workload would have, and runs `workload`.
class Workload {
 public:
  explicit Workload(const std::function<int()>& workload) {
    int ready[2];
    int go[2];
    EXPECT_EQ(::pipe2(ready, O_CLOEXEC), 0);
    EXPECT_EQ(::pipe2(go, O_CLOEXEC), 0);
    const unsigned uid = ::geteuid();
    const unsigned gid = ::getegid();
    id_ = ::fork();
    if (id_ == 0) {
      if (::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) ::_exit(101);
      WriteFile("/proc/self/setgroups", "deny");
      WriteFile("/proc/self/uid_map", std::to_string(uid) + " " + std::to_string(uid) + " 1");
      WriteFile("/proc/self/gid_map", std::to_string(gid) + " " + std::to_string(gid) + " 1");
      char byte = 0;
      ::close(go[1]);
      if (::write(ready[1], "x", 1) != 1 || ::read(go[0], &byte, 1) != 1) ::_exit(102);
      __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
      const __user_cap_data_struct none[2] = {};
      if (::syscall(SYS_capset, &header, none) != 0) ::_exit(103);
      const auto status = static_cast<char>(workload());
      if (::write(ready[1], &status, 1) != 1) ::_exit(104);
      ::_exit(0);
    }
    ::close(ready[1]);
    ::close(go[0]);
    char byte = 0;
    EXPECT_EQ(::read(ready[0], &byte, 1), 1);
    result_ = UniqueFd{ready[0]};
    go_ = UniqueFd{go[1]};
  }
  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;
  ~Workload() {
    ::kill(id_, SIGKILL);
    ::waitpid(id_, nullptr, 0);
  }

  [[nodiscard]] UniqueFd Network() const {
    return UniqueFd{::open(("/proc/" + std::to_string(id_) + "/ns/net").c_str(), O_RDONLY | O_CLOEXEC)};
  }
  void Go() const { ASSERT_EQ(::write(go_.Get(), "x", 1), 1); }
  // What the function returned; -1 when it did not end.
  [[nodiscard]] int Wait() const {
    char status = 0;
    return ::read(result_.Get(), &status, 1) == 1 ? status : -1;
  }

 private:
  pid_t id_ = -1;
  UniqueFd go_ = {};
  UniqueFd result_ = {};
};

// Runs `gateway` in a process of its own, because it changes its user namespace for good. The exit status is
// 0 when every expectation in there held.
inline void InProcess(const std::function<void()>& gateway) {
  const pid_t id = ::fork();
  if (id == 0) {
    gateway();
    ::_exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(id, &status, 0), id);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

// What the launcher's helper does: joins the workload's namespaces and sets the network up.
inline InsideSockets Open(const Workload& workload,
                          const EgressRules& rules = {.egress = RuleAction::kAllow}) {
  const InsideSetup setup = PrepareInside(rules);
  InsideSockets sockets;
  InsideStep failed{};
  EXPECT_EQ(JoinNetwork(workload.Network().Get()), 0) << std::strerror(errno);
  EXPECT_EQ(OpenInside(setup, sockets, failed), 0) << InsideError(failed, errno).message;
  return sockets;
}

inline sockaddr_in6 Six(const std::string& address, std::uint16_t port) {
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_port = htons(port);
  EXPECT_EQ(::inet_pton(AF_INET6, address.c_str(), &six.sin6_addr), 1) << address;
  return six;
}

inline sockaddr_in Four(const std::string& address, std::uint16_t port) {
  sockaddr_in four{};
  four.sin_family = AF_INET;
  four.sin_port = htons(port);
  EXPECT_EQ(::inet_pton(AF_INET, address.c_str(), &four.sin_addr), 1) << address;
  return four;
}

inline std::string TextOf(const sockaddr_storage& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.ss_family == AF_INET) {
    const auto& four = reinterpret_cast<const sockaddr_in&>(address);
    ::inet_ntop(AF_INET, &four.sin_addr, text.data(), text.size());
    return std::string(text.data()) + ":" + std::to_string(ntohs(four.sin_port));
  }
  const auto& six = reinterpret_cast<const sockaddr_in6&>(address);
  ::inet_ntop(AF_INET6, &six.sin6_addr, text.data(), text.size());
  return "[" + std::string(text.data()) + "]:" + std::to_string(ntohs(six.sin6_port));
}

inline bool Readable(int fd) {
  pollfd waiting{.fd = fd, .events = POLLIN, .revents = 0};
  return ::poll(&waiting, 1, 10000) == 1;
}

}  // namespace mxc::egress
