// A network for the gateway's tests, made of namespaces of their own: a "host" on which every address exists
// and servers can be started, and a sandbox whose only way out is the gateway.
//
//   InWorld([](World& world) {
//     world.Serve(Tcp("203.0.113.1", 80), [](int connection) { ... });
//     world.Name("allowed.test", {"203.0.113.1"});
//     world.Start(rules);
//     world.Inside([] { EXPECT_...; });          // a program in the sandbox
//     const auto records = world.Finish();
//   });
//
// Everything in there runs in processes of its own; a failed expectation fails the test.
#pragma once

#include <netinet/in.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "gateway/gateway.h"
#include "gateway/rules/address.h"

namespace mxc {

class World {
 public:
  World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World();

  // A server on the host: `handler` runs in a process of its own, once for each connection, one after
  // another.
  void Serve(const std::string& address, std::uint16_t port, const std::function<void(int)>& handler);
  // A UDP socket on the host, bound; `handler` runs until it returns.
  void ServeUdp(const std::string& address, std::uint16_t port, const std::function<void(int)>& handler);
  // What the host's name server says; every question it gets is counted by Asked.
  void Name(const std::string& name, const std::vector<std::string>& addresses) { names_[name] = addresses; }
  void HostsFile(const std::string& text);
  // Search domains of the host's resolver.
  void SearchIn(const std::string& domains);

  // Another process on the host, ended with the world.
  void Fork(const std::function<void()>& body);

  void Start(const EgressRules& rules, const GatewayTimes& times = {});
  void Inside(const std::function<void()>& program);
  // Ends the gateway; what it reported.
  std::vector<GatewayRecord> Finish();
  [[nodiscard]] Gateway& Gate() { return *gateway_; }
  // Names the host's server was asked for, in order, one for each question.
  [[nodiscard]] std::vector<std::string> Asked() const;

 private:
  void ServeNames();

  std::string folder_;
  std::string resolv_conf_;
  std::string hosts_;
  std::map<std::string, std::vector<std::string>> names_;
  EgressRules rules_;
  std::optional<Gateway> gateway_;
  std::vector<pid_t> processes_;
};

// A listening socket; the test ends without one.
[[nodiscard]] UniqueFd Listener(const std::string& address, std::uint16_t port);

// Skips the test where it may not make namespaces.
void InWorld(const std::function<void(World&)>& test);

// ---- for programs inside, and servers: blocking calls with a limit of 10 seconds -----------------------

// A connected socket, or invalid with errno.
[[nodiscard]] UniqueFd Connect(const std::string& address, std::uint16_t port, int type = SOCK_STREAM);
// What connect() says, and for datagrams the first send(): "ECONNREFUSED"; "connected".
[[nodiscard]] std::string Try(const std::string& address, std::uint16_t port, int type = SOCK_STREAM);
// The addresses the sandbox's resolver gives for a name, by a question of our own.
[[nodiscard]] std::vector<std::string> Ask(const std::string& name, std::uint16_t type = 1);
[[nodiscard]] int AskCode(const std::string& name, std::uint16_t type = 1);  // -1: no answer
void SendText(int socket, const std::string& text);
// Until `size` bytes, the end ("|end") or an error ("|ECONNRESET") are there.
[[nodiscard]] std::string Receive(int socket, std::size_t size);
[[nodiscard]] std::string ReceiveAll(int socket);

// ---- what many tests ask for ---------------------------------------------------------------------------

// Each name at every port, by the rule "/allow".
[[nodiscard]] EgressRules AllowHosts(const std::vector<std::string>& hosts);
// "allow ", "deny no rule allows it": one for each record.
[[nodiscard]] std::vector<std::string> Reasons(const std::vector<GatewayRecord>& records);
// A server that says how many bytes it got before the end.
void CountBytes(int connection);

}  // namespace mxc
