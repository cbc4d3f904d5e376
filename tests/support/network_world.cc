#include "tests/support/network_world.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/netlink.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>

#include "gateway/dns/dns_message.h"
#include "gateway/net/sockets_linux.h"
#include "gateway/setup/inside.h"
#include "tests/support/needs.h"

namespace mxc {
namespace {

constexpr const char* kResolvConf = "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n";

using egress::IpAddress;
using egress::IpEndpoint;

void Require(bool holds, const std::string& what) {
  if (holds) return;
  std::cerr << "the test's network: " << what << ": " << std::strerror(errno) << "\n";
  ::_exit(99);
}

void WriteText(const std::string& path, const std::string& text) {
  const UniqueFd file{::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)};
  Require(::write(file.Get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()), path);
}

void EnterNamespaces() {
  const std::string uid = std::to_string(::geteuid());
  const std::string gid = std::to_string(::getegid());
  Require(::unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0, "unshare");
  WriteText("/proc/self/setgroups", "deny");
  WriteText("/proc/self/uid_map", uid + " " + uid + " 1");
  WriteText("/proc/self/gid_map", gid + " " + gid + " 1");
}

void SendBatch(const egress::NetlinkBatch& batch) {
  const UniqueFd socket{::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE)};
  const int number = egress::Exchange(socket.Get(), batch);
  errno = number;
  Require(number == 0, "netlink");
}

UniqueFd Bound(const std::string& address, std::uint16_t port, int type) {
  const IpEndpoint endpoint{IpAddress::Parse(address).value(), port};
  UniqueFd socket{::socket(endpoint.address.ipv6 ? AF_INET6 : AF_INET, type | SOCK_CLOEXEC, 0)};
  egress::SetOption(socket.Get(), SOL_SOCKET, SO_REUSEADDR, 1);
  egress::SetOption(socket.Get(), SOL_IP, IP_FREEBIND, 1);  // of an IPv6 address, AnyIP is not enough
  const egress::SocketAddress where = egress::ToSocketAddress(endpoint, endpoint.address.ipv6);
  Require(::bind(socket.Get(), where.Get(), where.size) == 0, "bind " + endpoint.Text());
  return socket;
}

void Patience(int socket) {
  const timeval limit{.tv_sec = 10, .tv_usec = 0};
  ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

int WaitFor(pid_t id) {
  int status = 0;
  while (::waitpid(id, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::optional<egress::DnsResponse> Exchange(const std::string& name, std::uint16_t type) {
  constexpr std::uint16_t kId = 4711;
  const UniqueFd socket = Connect(std::string(kNameServerAddress), 53, SOCK_DGRAM);
  const egress::Bytes question = egress::WriteQuestion(kId, name, type);
  if (::send(socket.Get(), question.data(), question.size(), MSG_NOSIGNAL) < 0) return std::nullopt;
  std::array<std::uint8_t, 2048> buffer{};
  const ssize_t count = ::recv(socket.Get(), buffer.data(), buffer.size(), 0);
  if (count < 0) return std::nullopt;
  return egress::ReadResponse({buffer.data(), static_cast<std::size_t>(count)}, kId, name, type);
}

}  // namespace

World::World() {
  EnterNamespaces();
  SendBatch(egress::LoopbackUp());
  SendBatch(egress::EveryAddress(egress::Family::kIpv4));
  SendBatch(egress::EveryAddress(egress::Family::kIpv6));
  std::string folder = testing::TempDir() + "mxc-world-XXXXXX";
  Require(::mkdtemp(folder.data()) != nullptr, folder);
  folder_ = folder;
  resolv_conf_ = folder_ + "/resolv.conf";
  hosts_ = folder_ + "/hosts";
  WriteText(resolv_conf_, kResolvConf);
  WriteText(hosts_, "");
  WriteText(folder_ + "/asked", "");
}

World::~World() {
  for (const pid_t id : processes_) ::kill(id, SIGKILL);
  for (const pid_t id : processes_) ::waitpid(id, nullptr, 0);
  for (const char* file : {"/resolv.conf", "/hosts", "/asked"}) ::unlink((folder_ + file).c_str());
  ::rmdir(folder_.c_str());
}

void World::HostsFile(const std::string& text) { WriteText(hosts_, text); }

void World::SearchIn(const std::string& domains) {
  WriteText(resolv_conf_, kResolvConf + ("search " + domains + "\n"));
}

void World::Fork(const std::function<void()>& body) {
  const pid_t parent = ::getpid();
  const pid_t id = ::fork();
  if (id == 0) {
    ::prctl(PR_SET_PDEATHSIG, static_cast<unsigned long>(SIGKILL));
    if (::getppid() == parent) body();
    ::_exit(0);
  }
  processes_.push_back(id);
}

void World::Serve(const std::string& address, std::uint16_t port, const std::function<void(int)>& handler) {
  const UniqueFd listener = Listener(address, port);
  Fork([&] {
    for (;;) {
      const UniqueFd connection{::accept4(listener.Get(), nullptr, nullptr, SOCK_CLOEXEC)};
      Patience(connection.Get());
      handler(connection.Get());
    }
  });
}

void World::ServeUdp(const std::string& address, std::uint16_t port,
                     const std::function<void(int)>& handler) {
  const UniqueFd socket = Bound(address, port, SOCK_DGRAM);
  Fork([&] { handler(socket.Get()); });
}

void World::ServeNames() {
  ServeUdp("127.0.0.1", 53, [this](int socket) {
    std::array<std::uint8_t, 2048> buffer{};
    for (;;) {
      sockaddr_storage from{};
      socklen_t size = sizeof from;
      auto* source = reinterpret_cast<sockaddr*>(&from);
      const ssize_t count = ::recvfrom(socket, buffer.data(), buffer.size(), 0, source, &size);
      if (count <= 0) continue;
      const auto query = egress::ReadQuery({buffer.data(), static_cast<std::size_t>(count)});
      Require(query && query->question, "a question that cannot be read");
      std::ofstream(folder_ + "/asked", std::ios::app) << query->question->name << "\n";
      egress::DnsAnswer answer{.ttl_s = 1};
      const auto found = names_.find(query->question->name);
      if (found == names_.end()) answer.code = egress::DnsCode::kNoSuchName;
      for (const std::string& text : found == names_.end() ? std::vector<std::string>() : found->second) {
        const IpAddress address = IpAddress::Parse(text).value();
        if (address.ipv6 == (query->question->type == egress::kTypeAaaa)) answer.addresses.push_back(address);
      }
      const egress::Bytes message = egress::WriteAnswer(*query, answer);
      ::sendto(socket, message.data(), message.size(), 0, source, size);
    }
  });
}

std::vector<std::string> World::Asked() const {
  std::ifstream file(folder_ + "/asked");
  return {std::istream_iterator<std::string>(file), {}};
}

void World::Start(const EgressRules& rules, const GatewayTimes& times) {
  ServeNames();
  Result<Gateway> gateway =
      StartGateway(rules, {.resolv_conf = resolv_conf_.c_str(), .hosts = hosts_.c_str()}, times);
  ASSERT_TRUE(gateway) << gateway.error().message;
  gateway_ = std::move(*gateway);
  rules_ = rules;
}

void World::Inside(const std::function<void()>& program) {
  const pid_t id = ::fork();
  if (id == 0) {
    EnterNamespaces();
    const egress::InsideSetup setup = egress::PrepareInside(rules_, hosts_.c_str());
    egress::InsideSockets sockets;
    egress::InsideStep failed{};
    Require(egress::OpenInside(setup, sockets, failed) == 0, "open the inside");
    Require(SendGatewaySockets(gateway_->handover.Get(), sockets.View()) == 0, "send the sockets");
    sockets.Close();
    Require(AwaitGateway(gateway_->handover.Get()) == 0, "wait for the gateway");
    gateway_->records.Reset();
    program();
    std::cout.flush();
    ::_exit(testing::Test::HasFailure() ? 1 : 0);
  }
  EXPECT_EQ(WaitFor(id), 0);
}

std::vector<GatewayRecord> World::Finish() {
  std::vector<GatewayRecord> records;
  EXPECT_TRUE(FinishGateway(*gateway_, [&](const GatewayRecord& record) { records.push_back(record); },
                            {.wanted = false}));
  gateway_.reset();
  return records;
}

UniqueFd Listener(const std::string& address, std::uint16_t port) {
  UniqueFd listener = Bound(address, port, SOCK_STREAM);
  Require(::listen(listener.Get(), 1024) == 0, "listen");
  return listener;
}

void InWorld(const std::function<void(World&)>& test) {
  if (const char* missing = test::MissingNamespaces()) GTEST_SKIP() << missing;
  std::cout.flush();
  const pid_t id = ::fork();
  if (id == 0) {
    {
      World world;
      test(world);
    }
    std::cout.flush();
    ::_exit(testing::Test::HasFailure() ? 1 : 0);
  }
  EXPECT_EQ(WaitFor(id), 0);
}

// ---- for programs and servers --------------------------------------------------------------------------

UniqueFd Connect(const std::string& address, std::uint16_t port, int type) {
  const IpEndpoint endpoint{IpAddress::Parse(address).value(), port};
  UniqueFd socket{::socket(endpoint.address.ipv6 ? AF_INET6 : AF_INET, type | SOCK_CLOEXEC, 0)};
  Patience(socket.Get());
  const egress::SocketAddress where = egress::ToSocketAddress(endpoint, endpoint.address.ipv6);
  if (::connect(socket.Get(), where.Get(), where.size) != 0) socket.Reset();
  return socket;
}

std::string Try(const std::string& address, std::uint16_t port, int type) {
  const UniqueFd socket = Connect(address, port, type);
  if (!socket) return strerrorname_np(errno);
  const bool sent = type != SOCK_DGRAM || ::send(socket.Get(), "hello", 5, MSG_NOSIGNAL) == 5;
  return sent ? "connected" : strerrorname_np(errno);
}

std::vector<std::string> Ask(const std::string& name, std::uint16_t type) {
  std::vector<std::string> texts;
  const auto response = Exchange(name, type);
  if (!response) return {"no answer"};
  for (const IpAddress& address : response->addresses) texts.push_back(address.Text());
  return texts;
}

int AskCode(const std::string& name, std::uint16_t type) {
  const auto response = Exchange(name, type);
  return response ? static_cast<int>(response->code) : -1;
}

void SendText(int socket, const std::string& text) {
  EXPECT_EQ(::send(socket, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()))
      << std::strerror(errno);
}

std::string Receive(int socket, std::size_t size) {
  std::string text;
  std::array<char, 65536> buffer{};
  while (text.size() < size) {
    const ssize_t count = ::recv(socket, buffer.data(), std::min(buffer.size(), size - text.size()), 0);
    if (count == 0) return text + "|end";
    if (count < 0) return text + "|" + strerrorname_np(errno);
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return text;
}

std::string ReceiveAll(int socket) {
  std::string text = Receive(socket, static_cast<std::size_t>(-1));
  return text;
}

EgressRules AllowHosts(const std::vector<std::string>& hosts) {
  NetworkRule rule{.pointer = "/allow"};
  for (const std::string& host : hosts) rule.to.push_back({.host = host});
  return {.allow = {rule}};
}

std::vector<std::string> Reasons(const std::vector<GatewayRecord>& records) {
  std::vector<std::string> reasons;
  for (const GatewayRecord& record : records) {
    reasons.push_back(std::string(record.verdict == RuleAction::kAllow ? "allow " : "deny ") + record.reason);
  }
  return reasons;
}

void CountBytes(int connection) {
  const std::string got = ReceiveAll(connection);
  if (got.ends_with("|end")) SendText(connection, std::to_string(got.size() - 4));
}

}  // namespace mxc
