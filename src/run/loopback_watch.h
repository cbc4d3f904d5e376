// Connections of the command to its own loopback at ports where only a program of the host listens: the
// command most likely meant that one, and gets ECONNREFUSED.
//
//   LoopbackWatch watch("/proc/self/net");
//   watch.Connects("/proc/4711/net", 5432);  // before the call goes on
//   for (std::uint16_t port : watch.Missed()) ...
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mxc {

// The ports of TCP at which somebody listens who is reached at the loopback, as the files tcp and tcp6 in
// `directory` (/proc/PID/net) list them.
[[nodiscard]] std::set<std::uint16_t> LoopbackListeners(const std::string& directory);

class LoopbackWatch {
 public:
  static constexpr std::size_t kMaxPorts = 100;  // a program may try one port after another
  // A table takes the kernel milliseconds: of a port that is tried in a loop it is not read each time.
  static constexpr std::chrono::milliseconds kPause{10};

  explicit LoopbackWatch(std::string host) : host_(std::move(host)) {}
  // `inside` is of the process that connects. A port at which somebody listens there by now is not missed.
  void Connects(const std::string& inside, std::uint16_t port);
  [[nodiscard]] std::vector<std::uint16_t> Missed() const;

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Inside {
    Time looked = {};
    bool listens = false;
  };
  [[nodiscard]] bool HostListensAt(std::uint16_t port, Time now);

  std::string host_;
  std::set<std::uint16_t> listeners_ = {};  // of the host, when they were last read
  std::optional<Time> read_ = {};
  std::map<std::uint16_t, Inside> inside_ = {};  // of ports at which the host listens
};

}  // namespace mxc
