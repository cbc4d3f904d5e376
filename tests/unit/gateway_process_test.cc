// The gateway as a process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "gateway/net/socket_address_posix.h"
#include "gateway/relay/record.h"
#include "mxc/plan.h"
#include "run/run_gateway.h"
#include "tests/support/network_world.h"

namespace mxc::gateway_process_test {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::SizeIs;

TEST(GatewayProcess, GivesUpItsRights) {
  InWorld([](World& world) {
    world.Start(AllowHosts({"a.test"}));
    world.Inside([&world] {
      std::ifstream file("/proc/" + std::to_string(world.Gate().id) + "/status");
      std::stringstream status;
      status << file.rdbuf();
      for (const std::string line : {"CapPrm:\t0000000000000000\n", "CapEff:\t0000000000000000\n",
                                     "CapBnd:\t0000000000000000\n", "NoNewPrivs:\t1\n", "Seccomp:\t2\n"}) {
        EXPECT_THAT(status.str(), HasSubstr(line));
      }
    });
  });
}

TEST(GatewayProcess, EndsWhatIsSilentForTooLong) {
  InWorld([](World& world) {
    world.Serve("203.0.113.1", 80, [](int connection) { (void)ReceiveAll(connection); });
    world.ServeUdp("203.0.113.1", 9, [](int socket) { (void)ReceiveAll(socket); });
    world.Start({.allow = {{.to = {{.cidr = "203.0.113.0/24"}}}}},
                {.connection_idle_ms = 200, .flow_idle_ms = 200, .sweep_ms = 20});
    world.Inside([] {
      const UniqueFd socket = Connect("203.0.113.1", 80);
      const UniqueFd flow = Connect("203.0.113.1", 9, SOCK_DGRAM);
      SendText(flow.Get(), "x");
      EXPECT_EQ(ReceiveAll(socket.Get()), "|ECONNRESET");
      ::usleep(400000);
      SendText(flow.Get(), "x");  // from the same port: a new flow, the first has ended
    });
    EXPECT_THAT(Reasons(world.Finish()),
                testing::UnorderedElementsAre("allow idle for too long", "allow ", "allow "));
  });
}

// The launcher would not find a value in a name that is cut.
TEST(GatewayProcess, TellsTheLongestNamesWhole) {
  std::string name;  // 253 bytes, each but for the dots as \\DDD
  for (int i = 0; i < 253; ++i) name += i % 64 == 63 ? "." : "\\001";
  const GatewayRecord record{.name = name, .address = std::string(46, '1'), .pointer = name, .reason = name};
  const egress::Bytes message = egress::EncodeRecord(record);
  EXPECT_LE(message.size(), egress::kMaxRecordBytes);
  const auto told = egress::DecodeRecord(message);
  EXPECT_TRUE(told && told->name == name);
  const std::string longest(5000, 'x');
  const GatewayRecord cut{.name = longest, .address = longest, .pointer = longest, .reason = longest};
  EXPECT_LE(egress::EncodeRecord(cut).size(), egress::kMaxRecordBytes);
}

// Though it waits a moment for others that may go together.
TEST(GatewayProcess, TellsEachDecisionWhileTheSandboxRuns) {
  InWorld([](World& world) {
    constexpr int kRefused = 150;
    world.Start(AllowHosts({"a.test"}));
    world.Inside([] {
      for (std::uint16_t i = 1; i <= kRefused; ++i)
        (void)Connect("203.0.113.1", static_cast<std::uint16_t>(1000 + i));
    });
    int told = 0;
    pollfd arrived{.fd = world.Gate().records.Get(), .events = POLLIN, .revents = 0};
    while (told < kRefused && ::poll(&arrived, 1, 10000) == 1) {
      while (const auto record = ReadRecord(arrived.fd)) told += 1 + static_cast<int>(record->lost);
    }
    EXPECT_EQ(told, kRefused);
    EXPECT_TRUE(world.Finish().empty());
  });
}

// What came before a mark stands before it, and is news again behind it.
TEST(GatewayProcess, AMarkPartsWhatItTells) {
  InWorld([](World& world) {
    world.Start(AllowHosts({"a.test"}));
    const UniqueFd kept{::dup(world.Gate().records.Get())};  // the program inside closes the other
    world.Inside([records = kept.Get()] {
      std::vector<std::uint64_t> told;
      for (std::uint32_t mark = 1; mark <= 3; ++mark) {
        for (std::uint32_t i = 0; i < mark; ++i) (void)Connect("203.0.113.1", 1000);
        ASSERT_TRUE(MarkRecords(records, mark));
        std::uint32_t met = 0;
        told.push_back(0);
        pollfd arrived{.fd = records, .events = POLLIN, .revents = 0};
        while (met != mark && ::poll(&arrived, 1, 10000) == 1) {
          while (const auto record = ReadRecord(records, [&](std::uint32_t number) { met = number; }))
            told.back() += 1 + record->lost;
        }
      }
      EXPECT_THAT(told, ElementsAre(1U, 2U, 3U));
    });
  });
}

// A command cannot fill the disk that its records are on, nor hide one refusal among others.
TEST(GatewayProcess, BoundsWhatItTellsOfAFlood) {
  constexpr int kQuestions = 6000;
  InWorld([](World& world) {
    world.Start(AllowHosts({"a.test"}));
    world.Inside([] {
      for (int i = 0; i < kQuestions; ++i) (void)AskCode(std::to_string(i / 2) + ".evil.test");
      (void)Connect("203.0.113.1", 80);
      for (int i = 0; i < 50; ++i) (void)Connect("203.0.113.2", 80);
    });
    std::uint64_t all = 0;
    std::size_t written = 0;
    std::map<std::string, std::vector<std::uint64_t>> connections;  // what their records stand for
    for (const GatewayRecord& record : world.Finish()) {
      ++written;
      all += 1 + record.lost;
      connections[record.address].push_back(record.lost);
    }
    EXPECT_EQ(all, kQuestions + 51U);
    EXPECT_LE(written, 4010U);
    EXPECT_EQ(connections["203.0.113.1"].size(), 1U);
    ASSERT_EQ(connections["203.0.113.2"].size(), 2U);
    EXPECT_EQ(connections["203.0.113.2"].back(), 48U);
  });
}

// Datagrams to ports of 203.0.113.1 behind 1000, from inside and refused, while the gateway does not run.
void SendWhileItStands(
    pid_t gateway, std::uint16_t ports, int times, const std::function<void()>& also = [] {}) {
  const UniqueFd socket{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  ::kill(gateway, SIGSTOP);
  for (int i = 0; i < times; ++i) {
    for (std::uint16_t port = 1; port <= ports; ++port) {
      const auto to_port = static_cast<std::uint16_t>(1000 + port);
      const egress::SocketAddress to =
          egress::ToSocketAddress({egress::IpAddress::Parse("203.0.113.1").value(), to_port}, false);
      EXPECT_EQ(::sendto(socket.Get(), "x", 1, 0, to.Get(), to.size), -1);
    }
  }
  also();
  ::kill(gateway, SIGCONT);
}

// The packet filter logs some of the refusals of a destination, and counts the others: the log keeps room.
TEST(GatewayProcess, AFloodToFewDestinationsHidesNoOther) {
  static constexpr std::uint16_t kOthers = 100;
  InWorld([](World& world) {
    world.Start(AllowHosts({"a.test"}));
    world.Inside([&world] {
      SendWhileItStands(world.Gate().id, 3, 3000, [] {
        for (std::uint16_t port = 1001; port <= 1000 + kOthers; ++port)
          EXPECT_FALSE(Connect("203.0.113.2", port));
        EXPECT_FALSE(Connect("2001:db8::1", 80));
      });
    });
    std::uint64_t all = 0;
    std::set<std::uint16_t> others;
    std::set<std::string> addresses;
    for (const GatewayRecord& record : world.Finish()) {
      all += 1 + record.lost;
      addresses.insert(record.address);
      if (record.address == "203.0.113.2") others.insert(record.port);
    }
    EXPECT_EQ(others.size(), kOthers);
    EXPECT_EQ(all, 3 * 3000 + kOthers + 1U);
    EXPECT_THAT(addresses, IsSupersetOf({"203.0.113.1", "203.0.113.2", "2001:db8::1"}));
  });
}

TEST(GatewayProcess, WhatTheFiltersLogHasNoRoomForIsCounted) {
  static constexpr std::uint16_t kPorts = 20000;
  InWorld([](World& world) {
    world.Start(AllowHosts({"a.test"}));
    world.Inside([&world] { SendWhileItStands(world.Gate().id, kPorts, 1); });
    std::uint64_t all = 0;
    for (const GatewayRecord& record : world.Finish()) all += 1 + record.lost;
    EXPECT_EQ(all, kPorts);
  });
}

// More than the socket to the launcher holds, which reads when the run has ended.
TEST(GatewayProcess, EachConnectionThatPassedIsTold) {
  static constexpr std::size_t kConnections = 1500;
  InWorld([](World& world) {
    world.Serve("203.0.113.1", 80, [](int /*connection*/) {});
    world.Start({.allow = {{.to = {{.cidr = "203.0.113.0/24"}}}}});
    world.Inside([] {
      for (std::size_t i = 0; i < kConnections; ++i)
        ASSERT_EQ(ReceiveAll(Connect("203.0.113.1", 80).Get()), "|end");
    });
    EXPECT_THAT(Reasons(world.Finish()), AllOf(SizeIs(kConnections), Each("allow ")));
  });
}

// One that waits without an answer would hang for ever.
TEST(GatewayProcess, AConnectionForWhichNoDescriptorIsLeftIsReset) {
  constexpr int kConnections = 30;
  InWorld([](World& world) {
    world.Serve("203.0.113.1", 80, [](int connection) { (void)ReceiveAll(connection); });
    const rlimit few{48, 48};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
    world.Start({.egress = RuleAction::kAllow});
    world.Inside([] {
      std::vector<UniqueFd> held;
      for (int i = 0; i < kConnections; ++i) held.push_back(Connect("203.0.113.1", 80));
      EXPECT_EQ(ReceiveAll(held.back().Get()), "|ECONNRESET");
    });
    EXPECT_THAT(Reasons(world.Finish()), testing::Contains(HasSubstr("too many connections")));
  });
}

TEST(GatewayProcess, ItsDeathIsTheEndOfTheNetwork) {
  InWorld([](World& world) {
    world.Serve("203.0.113.1", 80, CountBytes);
    world.Start({.egress = RuleAction::kAllow});
    world.Inside([&world] {
      const UniqueFd before = Connect("203.0.113.1", 80);
      ::kill(world.Gate().id, SIGKILL);
      pollfd ended{.fd = world.Gate().handle.Get(), .events = POLLIN, .revents = 0};
      ASSERT_EQ(::poll(&ended, 1, 10000), 1);
      EXPECT_EQ(ReceiveAll(before.Get()).substr(0, 1), "|");
      EXPECT_FALSE(Connect("203.0.113.1", 80));
      EXPECT_THAT(Ask("a.test"), ElementsAre("no answer"));
    });
  });
}

// It ends by itself when the launcher closes the handover, and no sandbox has given it sockets.
TEST(GatewayProcess, TheLauncherTellsThatItEndedBeforeTheRun) {
  const auto reasons = [](bool running, bool heard) {
    std::vector<std::string> told;
    Plan plan;
    plan.egress = AllowHosts({"a.test"});
    Result<RunGateway> gateway =
        RunGateway::Start(plan, [&told](const GatewayRecord& record) { told.push_back(record.reason); });
    EXPECT_TRUE(gateway.ok());
    if (running) {
      pollfd ended{.fd = gateway->Records(), .events = POLLIN, .revents = 0};
      gateway->CloseHandover();
      EXPECT_EQ(::poll(&ended, 1, 10000), 1);
      EXPECT_NE(ended.revents & POLLHUP, 0);
      if (heard) gateway->TakeRecords(true);
    }
    gateway->Finish({.wanted = false});
    EXPECT_EQ(gateway->Lost(), running);
    return told;
  };
  const std::string ended = "the network gateway has ended before the run: records are lost";
  EXPECT_THAT(reasons(true, true), ElementsAre(ended));
  EXPECT_THAT(reasons(true, false), ElementsAre(ended));
  EXPECT_THAT(reasons(false, false), ElementsAre());
}

// It must not look like a run in which nothing was refused.
TEST(GatewayProcess, TheLauncherTellsThatItHadToBeKilledBehindTheRun) {
  std::vector<std::string> told;
  Plan plan;
  plan.egress = AllowHosts({"a.test"});
  Result<RunGateway> gateway =
      RunGateway::Start(plan, [&told](const GatewayRecord& record) { told.push_back(record.reason); });
  ASSERT_TRUE(gateway.ok());
  pid_t id = 0;
  ASSERT_TRUE(std::ifstream("/proc/thread-self/children") >> id);
  ::kill(id, SIGSTOP);
  gateway->CloseHandover();
  gateway->Finish({.wanted = false});
  EXPECT_TRUE(gateway->Lost());
  EXPECT_THAT(told, ElementsAre("the network gateway did not end in time behind the run: records are lost"));
}

}  // namespace
}  // namespace mxc::gateway_process_test
