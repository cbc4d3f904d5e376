// The network gateway as programs meet it: real clients, both engines, root and an ordinary user, in a
// network of the test's own (network_world.py).
#include "tests/integration/network_world.h"

#include <gmock/gmock.h>

#include <chrono>

namespace mxc::test::network_world_test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

MXC_FOR_EACH_CALLER(NetworkWorld);

TEST_P(NetworkWorld, ANameAndNothingElse) {
  for (const char* engine : kEngines) {
    const Ended ended =
        RunPolicy(engine, kOnlyGood,
                  "curl -sS -m 10 http://good.test/a; echo; curl -sSk -m 10 https://good.test/b; echo;" +
                      Try("http://good.test:8080 http://other.test http://evil.test "
                          "http://sub.good.test http://203.0.113.1 http://203.0.113.2 "
                          "http://3405803777 http://0xCB007101 http://[2001:db8::1] "
                          "http://[::ffff:203.0.113.1] http://169.254.169.254 http://127.0.0.1 "
                          "http://[::1] http://10.77.0.9 http://198.18.0.1",
                          "curl -s -m 10 $x/never"));
    EXPECT_EQ(ended.status, 0) << ended.err;
    const std::vector<std::string> lines = Lines(ended.out);
    ASSERT_EQ(lines.size(), 17U) << ended.out << ended.err;
    EXPECT_EQ(lines[0], "at 203.0.113.1:80 for good.test");
    EXPECT_EQ(lines[1], "at 203.0.113.1:443 for good.test");
    EXPECT_THAT(std::vector<std::string>(lines.begin() + 2, lines.end()), testing::Each(StartsWith("no ")));
  }
  EXPECT_EQ(Seen(),
            ForEachEngine({"tcp 203.0.113.1:80 GET /a good.test", "tcp 203.0.113.1:443 GET /b good.test"}));
  EXPECT_THAT(Asked(), testing::Each(StartsWith("dns good.test ")));
}

TEST_P(NetworkWorld, AnotherNameAtTheSameAddressIsRefused) {
  for (const char* engine : kEngines) {
    const Ended ended = RunPolicy(
        engine, kOnlyGood,
        Try("http://good.test", "curl -s -m 10 -H 'Host: other.test' $x/never") + ";" +
            Try("https://other.test", "curl -sk -m 10 --connect-to other.test:443:good.test:443 $x/never") +
            ";" +
            Try("other.test", "openssl s_client -brief -connect good.test:443 -servername $x </dev/null"));
    EXPECT_THAT(Lines(ended.out),
                ElementsAre("no http://good.test", "no https://other.test", "no other.test"))
        << ended.err;
  }
  EXPECT_THAT(Seen(), testing::Each(Not(HasSubstr("never"))));
}

// A server that speaks first is not kept waiting for the client's first bytes.
TEST_P(NetworkWorld, AServerThatSpeaksFirst) {
  for (const char* engine : kEngines) {
    const Ended ended = RunPolicy(engine, kOnlyGood, R"(bash -c '
      exec 3<>/dev/tcp/good.test/22; read -r banner <&3; echo "$banner"; printf hello >&3; cat <&3')");
    EXPECT_EQ(ended.out, "SSH-2.0-world\r\nyou said hello") << ended.err;
  }
}

TEST_P(NetworkWorld, LegacyListsAreEnforcedInEveryVersion) {
  constexpr const char* kLists =
      R"({"defaultPolicy":"block","allowedHosts":["203.0.113.0/24:8080","*.good.test"],"blockedHosts":["203.0.113.2"]})";
  for (const char* engine : kEngines) {
    for (const char* version : {"0.5.0-alpha", "0.7.0-alpha", "0.8.0-alpha"}) {
      const Ended ended =
          RunPolicy(engine, kLists,
                    Try("203.0.113.1:8080 sub.good.test 203.0.113.2:8080 203.0.113.1 good.test evil.test",
                        "curl -s -m 10 http://$x/"),
                    {}, version);
      EXPECT_THAT(Lines(ended.out), ElementsAre("yes", "yes", "no 203.0.113.2:8080", "no 203.0.113.1",
                                                "no good.test", "no evil.test"))
          << version << ended.err;
    }
  }
}

TEST_P(NetworkWorld, AnOpenDefaultLeavesTheHostAlone) {
  for (const char* engine : kEngines) {
    for (const char* network :
         {R"({"defaultPolicy":"allow","blockedHosts":["203.0.113.2"]})",
          R"({"egress":{"default":"allow","deny":[{"to":[{"cidr":"203.0.113.2"}]}]}})"}) {
      const Ended ended =
          RunPolicy(engine, network,
                    Try("good.test 203.0.113.1 10.77.0.9 [2001:db8::1] proxy.test 203.0.113.2 "
                        "[::ffff:203.0.113.2] 127.0.0.1 [::1] 169.254.169.254 host.mxc.internal",
                        "curl -s -m 10 http://$x/"));
      EXPECT_THAT(Lines(ended.out), ElementsAre("yes", "yes", "yes", "yes", "no proxy.test", "no 203.0.113.2",
                                                "no [::ffff:203.0.113.2]", "no 127.0.0.1", "no [::1]",
                                                "no 169.254.169.254", "no host.mxc.internal"))
          << network << ended.err;
    }
  }
  EXPECT_THAT(Seen(), testing::Each(AllOf(Not(HasSubstr(" 127.0.0.1:")), Not(HasSubstr(" 169.254.")))));
}

TEST_P(NetworkWorld, AnOpenDefaultWithoutOneName) {
  for (const char* engine : kEngines) {
    const Ended ended =
        RunPolicy(engine, R"({"defaultPolicy":"allow","blockedHosts":["*.good.test","other.test"]})",
                  Try("good.test sub.good.test other.test", "curl -s -m 10 http://$x/"));
    EXPECT_THAT(Lines(ended.out), ElementsAre("yes", "no sub.good.test", "no other.test")) << ended.err;
  }
}

TEST_P(NetworkWorld, ANameCannotPointInwards) {
  for (const char* engine : kEngines) {
    const Ended ended = RunPolicy(engine, R"({"egress":{"allow":[{"to":[{"host":"rebind.test"}]}]}})",
                                  "curl -s -m 10 http://rebind.test/ && echo reached");
    EXPECT_EQ(ended.out, "") << ended.err;
  }
  EXPECT_THAT(Seen(), IsEmpty());
  EXPECT_THAT(Asked(), Contains(StartsWith("dns rebind.test ")));
}

TEST_P(NetworkWorld, DatagramsFollowTheRulesToo) {
  constexpr const char* kEcho = R"({"egress":{"allow":[{"to":[{"cidr":"203.0.113.1"}],
      "ports":[{"protocol":"udp","port":7}]}]}})";
  const std::string script = R"(python3 -c '
import socket
def ask(address, port):
    s = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_DGRAM)
    s.settimeout(1.5)
    try:
        s.connect((address, port)); s.send(b"hi"); print(s.recv(100).decode())
    except OSError as error:
        print("no")
ask("203.0.113.1", 7); ask("203.0.113.2", 7); ask("203.0.113.1", 9); ask("2001:db8::1", 7)')";
  for (const char* engine : kEngines) {
    EXPECT_EQ(RunPolicy(engine, kEcho, script).out, "echo hi\nno\nno\nno\n");
  }
  EXPECT_EQ(Seen(), ForEachEngine({"udp 203.0.113.1:7 hi"}));
}

// As a kernel does for a program outside: the end of a command takes nothing back that it has sent.
TEST_P(NetworkWorld, WhatIsSentBeforeTheEndArrives) {
  constexpr const char* kOpen = R"({"egress":{"allow":[{"to":[{"cidr":"203.0.113.1"}]},
      {"to":[{"host":"good.test"}],"ports":[{"port":9000},{"port":7}],"inspect":"none"}]}})";
  const std::string script = R"(python3 -c '
import socket
for name in "203.0.113.1", "good.test":
    stream = socket.create_connection((name, 9000))
    stream.sendall(bytes(3000000))
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"late", (name, 7))')";
  for (const char* engine : kEngines) {
    const Ended ended = RunPolicy(engine, kOpen, script);
    EXPECT_EQ(ended.status, 0) << ended.err;
  }
  const std::vector<std::string> all =
      ForEachEngine({"tcp 203.0.113.1:9000 took 3000000", "tcp 203.0.113.1:9000 took 3000000",
                     "udp 203.0.113.1:7 late", "udp 203.0.113.1:7 late"});
  EXPECT_TRUE(Eventually([&] { return Seen().size() == all.size(); }));
  EXPECT_THAT(Seen(), testing::UnorderedElementsAreArray(all));
}

// Nobody waits for a server that does not read.
TEST_P(NetworkWorld, WhatNobodyTakesIsGivenUp) {
  constexpr const char* kOpen = R"({"egress":{"allow":[{"to":[{"cidr":"203.0.113.1"}]}]}})";
  const std::string script = R"(python3 -c '
import socket
stream = socket.create_connection(("203.0.113.1", 9001))
stream.setblocking(False)
try:
    while True: stream.send(bytes(1 << 16))
except BlockingIOError: pass')";
  for (const char* engine : kEngines) {
    const auto before = std::chrono::steady_clock::now();
    EXPECT_EQ(RunPolicy(engine, kOpen, script).status, 0);
    EXPECT_LT(std::chrono::steady_clock::now() - before,
              std::chrono::seconds(30));  // the server waits longer
  }
}

TEST_P(NetworkWorld, TheHostsLoopbackWhenAllowed) {
  for (const char* engine : kEngines) {
    const Ended ended =
        RunPolicy(engine, R"({"ingress":{"hostLoopback":"allow"}})",
                  "curl -sS -m 10 http://host.mxc.internal:8080/; echo;" +
                      Try("127.0.0.1:8080 good.test 203.0.113.1", "curl -s -m 10 http://$x/"));
    EXPECT_EQ(
        ended.out,
        "at 127.0.0.1:8080 for host.mxc.internal:8080\nno 127.0.0.1:8080\nno good.test\nno 203.0.113.1\n")
        << ended.err;
  }
}

// The proxy of the tests is served at 3128: it is the policy that closes it.
TEST_P(NetworkWorld, OnePortOfTheHostsLoopback) {
  for (const char* engine : kEngines) {
    const Ended ended = RunPolicy(engine, R"({"ingress":{"hostLoopbackPorts":[{"port":8080}]}})",
                                  "curl -sS -m 10 http://host.mxc.internal:8080/; echo;" +
                                      Try("host.mxc.internal:3128 host.mxc.internal:8082 127.0.0.1:8080 "
                                          "198.18.0.1:3128 good.test",
                                          "curl -s -m 10 http://$x/"));
    EXPECT_EQ(ended.out,
              "at 127.0.0.1:8080 for host.mxc.internal:8080\nno host.mxc.internal:3128\n"
              "no host.mxc.internal:8082\nno 127.0.0.1:8080\nno 198.18.0.1:3128\nno good.test\n")
        << ended.err;
  }
}

TEST_P(NetworkWorld, AProxyIsTheOnlyWayOut) {
  for (const char* engine : kEngines) {
    std::vector<std::string> networks = {
        R"({"defaultPolicy":"allow","proxy":{"localhost":3128}})",
        R"({"defaultPolicy":"allow","proxy":{"url":"http://proxy.test:3128"}})"};
    // The contract has only this for it.
    if (std::string(engine) == "lxc") {
      networks = {
          R"({"defaultPolicy":"allow","enforcementMode":"both","proxy":{"url":"http://proxy.test:3128"}})"};
    }
    for (const std::string& network : networks) {
      const Ended ended =
          RunPolicy(engine, network,
                    "curl -sS -m 10 http://any.test/x; echo;" +
                        Try("203.0.113.1 good.test 127.0.0.1", "curl -s -m 10 --noproxy '*' http://$x/"));
      EXPECT_THAT(Lines(ended.out), ElementsAre(HasSubstr(":3128 for any.test"), "no 203.0.113.1",
                                                "no good.test", "no 127.0.0.1"))
          << ended.err;
    }
  }
  EXPECT_THAT(Seen(), testing::Each(HasSubstr(":3128 GET http://any.test/x any.test")));
}

// The launcher's proxy, its credentials with it, is not the command's affair.
TEST_P(NetworkWorld, AllowedDestinationsThroughTheProxyOfTheEnvironment) {
  const std::string marker = Token();
  const std::string network =
      R"({"egress":{"upstreamProxy":"environment","allow":[{"to":[{"host":"good.test"},{"host":"other.test"}],)"
      R"("ports":[{"protocol":"tcp"}]}]}})";
  variables_ = {"https_proxy=http://me:" + marker + "@127.0.0.1:3128", "HTTP_PROXY=http://proxy.test:3128",
                "NO_PROXY=other.test"};
  for (const char* engine : kEngines) {
    const Ended ended = RunPolicy(
        engine, network,
        "curl -sSk -m 10 https://good.test/a; echo; curl -sS -m 10 http://good.test/b; echo;"
        "curl -sS -m 10 http://other.test/c; echo; env | grep -i proxy;" +
            Try("http://evil.test https://203.0.113.1 http://198.18.0.1:3128", "curl -sk -m 10 $x/never"),
        {"--result", workspace.Path("result")});
    EXPECT_EQ(ended.out,
              "at 203.0.113.1:443 for good.test\nat 203.0.113.1:80 for good.test\nat 203.0.113.1:80 for "
              "other.test\n"
              "no http://evil.test\nno https://203.0.113.1\nno http://198.18.0.1:3128\n")
        << ended.err;
    EXPECT_THAT(ended.err + Contents(workspace.Path("result")).value_or(""), Not(HasSubstr(marker)));
    const Ended debugged = RunPolicy(engine, network, "true", {"--debug"});
    EXPECT_THAT(debugged.out + debugged.err, Not(HasSubstr(marker)));
    const Ended explained = RunPolicy(engine, network, "true", {"--explain=json"});
    EXPECT_THAT(explained.out, AllOf(HasSubstr("other ports through https_proxy (127.0.0.1 port 3128)"),
                                     HasSubstr("HTTP_PROXY (proxy.test port 3128)"), Not(HasSubstr(marker))));
  }
  const std::string basic = "Basic " + Execute({.program = "/usr/bin/base64", .input = "me:" + marker}).out;
  const std::vector<std::string> once = {
      "tcp 127.0.0.1:3128 CONNECT good.test:443 " + basic.substr(0, basic.size() - 1),
      "tcp 203.0.113.1:443 GET /a good.test", "tcp 203.0.113.2:3128 CONNECT good.test:80",
      "tcp 203.0.113.1:80 GET /b good.test", "tcp 203.0.113.1:80 GET /c other.test"};
  EXPECT_EQ(Seen(), ForEachEngine(once));
  EXPECT_THAT(Asked(),
              testing::Each(testing::AnyOf(StartsWith("dns other.test "), StartsWith("dns proxy.test "))));
}

TEST_P(NetworkWorld, AProxyOfTheEnvironmentThatCannotBeUsed) {
  variables_ = {"HTTPS_PROXY=socks5://me:secret@127.0.0.1:1080"};
  const Ended ended = RunPolicy(
      "namespaces", R"({"egress":{"upstreamProxy":"environment","allow":[{"to":[{"host":"good.test"}]}]}})",
      "true");
  EXPECT_EQ(ended.status, 255);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("/network/egress/upstreamProxy"), HasSubstr("HTTPS_PROXY"),
                               Not(HasSubstr("secret"))));
}

TEST_P(NetworkWorld, OnePortOfAHostOnTheCommandLine) {
  const Ended ended = Execute(
      InWorld(Prepare({"--containment", "namespaces", "--allow-host", "good.test:80", "--", "/bin/sh", "-c",
                       Try("good.test good.test:8080 other.test", "curl -s -m 10 http://$x/")})));
  EXPECT_EQ(ended.out, "yes\nno good.test:8080\nno other.test\n") << ended.err;
}

TEST_P(NetworkWorld, PublishedPortsLeadInside) {
  for (const char* engine : kEngines) {
    const Parts parts{
        .version = "1.0.0",
        .containment = engine,
        .command = "cd /tmp && echo inside > file && python3 -m http.server 80 --bind 127.0.0.1",
        .timeout_ms = 60000,
        .network = R"({"ingress":{"publish":[{"host":18000,"guest":80}]}})"};
    const Running sandbox(InWorld(PrepareConfig(parts)));
    std::string answer;
    EXPECT_TRUE(Eventually([&] {
      answer = Execute(InWorld({.program = "/usr/bin/curl",
                                .arguments = {"-s", "-m", "1", "http://127.0.0.1:18000/file"}}))
                   .out;
      return answer == "inside\n";
    })) << answer;
  }
}

// As in a container: no command has the capability for it.
TEST_P(NetworkWorld, LowPortsAreFreeToServers) {
  const std::string bind = R"(python3 -I -S -c 'import socket; socket.create_server(("127.0.0.1", 80))')";
  EXPECT_EQ(RunConfig({.containment = "namespaces", .command = bind + " && echo bound"}).out, "bound\n");
}

// The visitor takes its time, and the server is gone before.
TEST_P(NetworkWorld, AnswersOfAServerThatHasEndedArrive) {
  const std::string server = R"(python3 -c '
import socket
listener = socket.create_server(("127.0.0.1", 8000))
visitor, _ = listener.accept()
visitor.recv(1)
visitor.sendall(bytes(3000000))')";
  const std::string client = R"(
import socket, time
with socket.create_connection(("127.0.0.1", 18000)) as server:
    server.sendall(b"x")
    size = len(server.recv(1))
    if size: time.sleep(0.3)
    while part := server.recv(1 << 20): size += len(part)
print(size))";
  for (const char* engine : kEngines) {
    const Parts parts{.version = "1.0.0",
                      .containment = engine,
                      .command = server,
                      .timeout_ms = 60000,
                      .network = R"({"ingress":{"publish":[{"host":18000,"guest":8000}]}})"};
    const Running sandbox(InWorld(PrepareConfig(parts)));
    std::string answer;
    EXPECT_TRUE(Eventually([&] {
      answer = Execute(InWorld({.program = "/usr/bin/python3", .arguments = {"-c", client}})).out;
      return answer == "3000000\n";
    })) << answer;
  }
}

TEST_P(NetworkWorld, DecisionsAreReported) {
  const std::string status = workspace.Path("world/status");
  for (const char* engine : kEngines) {
    const Ended ended =
        RunPolicy(engine, kOnlyGood,
                  "curl -s http://good.test/; curl -s http://evil.test/; curl -s http://203.0.113.2/",
                  {"--report", "--result", workspace.Path("result")});
    EXPECT_THAT(ended.err, HasSubstr("1 connection passed"));
    EXPECT_THAT(ended.err, HasSubstr("evil.test (looked up)"));
    EXPECT_THAT(ended.err,
                HasSubstr(R"(to allow it, add {"to":[{"host":"evil.test"}]} to network.egress.allow)"));
    EXPECT_THAT(ended.err, HasSubstr("203.0.113.2 port 80 (tcp): "));
    const std::vector<std::string> lines = Lines(Contents(workspace.Path("result")).value_or(""));
    EXPECT_THAT(lines,
                Contains(AllOf(HasSubstr(R"("event":"network")"), HasSubstr(R"("verdict":"allow")"),
                               HasSubstr(R"("name":"good.test")"), HasSubstr(R"("address":"203.0.113.1")"),
                               HasSubstr(R"("pointer":"/network/egress/allow/0")"))));
    EXPECT_THAT(lines, Contains(AllOf(HasSubstr(R"("verdict":"deny")"),
                                      HasSubstr(R"("address":"203.0.113.2")"), HasSubstr(R"("port":80)"))));
  }
}

}  // namespace
}  // namespace mxc::test::network_world_test
