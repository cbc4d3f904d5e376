// Real clients behind the network gateway: each reaches what is allowed, none reaches anything else.
#include <gmock/gmock.h>

#include <cstdlib>

#include "tests/integration/network_world.h"

namespace mxc::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

using NetworkClients = NetworkWorld;
MXC_FOR_EACH_CALLER(NetworkClients);

struct Client {
  const char* program;
  const char* good;  // exits with 0 when good.test answers
  const char* evil;  // ... when another name or address does
};
// Its own HTTP client, as a program of one file.
#define kJava                                                                         \
  "cat >/tmp/Get.java <<'END'\n"                                                      \
  "import java.net.URI; import java.net.http.*;\n"                                    \
  "class Get { public static void main(String[] a) throws Exception {\n"              \
  "  var r = HttpRequest.newBuilder(URI.create(a[0])).build();\n"                     \
  "  HttpClient.newHttpClient().send(r, HttpResponse.BodyHandlers.ofString()); } }\n" \
  "END\n"                                                                             \
  "java /tmp/Get.java "

constexpr Client kClients[] = {
    {"curl", "curl -fsS -m 10 http://good.test/", "curl -fsS -m 10 http://evil.test/"},
    {"wget", "wget -q -T 10 -t 1 -O - http://good.test/", "wget -q -T 10 -t 1 -O - http://203.0.113.2/"},
    {"python3",
     "python3 -c 'import urllib.request as r; r.urlopen(\"http://good.test/\", timeout=10).read()'",
     "python3 -c 'import socket; s = socket.create_connection((\"203.0.113.2\", 80), 10); "
     "s.sendall(b\"GET / HTTP/1.0\\r\\n\\r\\n\"); s.recv(9)'"},
    {"node",
     "node -e 'fetch(\"http://good.test/\").then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))'",
     "node -e 'fetch(\"http://evil.test/\").then(() => process.exit(0), () => process.exit(1))'"},
    {"openssl", "openssl s_client -brief -connect good.test:443 -servername good.test </dev/null",
     "openssl s_client -brief -connect 203.0.113.2:443 </dev/null"},
    {"bash", "bash -c 'exec 3<>/dev/tcp/good.test/80'",
     "bash -c 'exec 3<>/dev/tcp/203.0.113.2/80 && read -r x <&3'"},
    {"java", kJava "http://good.test/", kJava "http://evil.test/"},
    {"dig", "test \"$(dig +short +time=2 +tries=1 good.test | head -c 7)\" = 198.18.",
     "dig +time=2 +tries=1 evil.test | grep NOERROR"},
    {"git", "git clone -q http://good.test/repo /tmp/repo && grep -q hello /tmp/repo/file",
     "git clone -q http://evil.test/repo /tmp/repo"},
};

TEST_P(NetworkClients, EveryClientIsHeld) {
  for (const char* engine : kEngines) {
    std::size_t tried = 0;
    for (const Client& client : kClients) {
      if (!Exists(std::string("/usr/bin/") + client.program)) continue;
      ++tried;
      const Ended good = RunPolicy(engine, kOnlyGood, client.good);
      EXPECT_EQ(good.status, 0) << client.good << good.out << good.err;
      EXPECT_NE(RunPolicy(engine, kOnlyGood, client.evil).status, 0) << client.evil;
    }
    EXPECT_GE(tried, 4U) << "curl, python3, openssl and bash belong to every test machine";
  }
  EXPECT_THAT(Seen(), testing::Each(Not(HasSubstr("203.0.113.2"))));
}

// Built outside: the standard library would have to be compiled for each run.
TEST_P(NetworkClients, TheClientOfGoIsHeld) {
  const std::string folder = workspace.Directory("go");
  const std::string source = workspace.File("go/get.go", R"(package main
import ("net/http"; "os")
func main() {
  r, err := http.Get(os.Args[1])
  if err != nil || r.StatusCode != 200 { os.Exit(1) }
})");
  const std::string build = "cd " + folder + " && CGO_ENABLED=0 go build -o get get.go 2>/dev/null";
  if (std::system(build.c_str()) != 0)
    GTEST_SKIP() << "needs a Go compiler with its standard library (golang-go)";
  granted_ = {folder};
  for (const char* engine : kEngines) {
    EXPECT_EQ(RunPolicy(engine, kOnlyGood, folder + "/get http://good.test/").status, 0);
    EXPECT_NE(RunPolicy(engine, kOnlyGood, folder + "/get http://evil.test/").status, 0);
    EXPECT_NE(RunPolicy(engine, kOnlyGood, folder + "/get http://203.0.113.1/").status, 0);
  }
  EXPECT_THAT(Seen(), testing::Each(Not(HasSubstr("203.0.113.2"))));
}

// What the host has does not matter to the programs inside: a name works, with every address it has there.
TEST_P(NetworkClients, OnEveryKindOfHost) {
  struct World {
    const char* kind;
    const char* name;
    const char* answer;
  };
  constexpr World kWorlds[] = {{"ipv4", "good.test", "at 203.0.113.1:80 for good.test"},
                               {"ipv6", "six.test", "at 2001:db8::1:80 for six.test"},
                               {"dual", "both.test", "at 2001:db8::1:80 for both.test"},
                               {"stub", "good.test", "at 203.0.113.1:80 for good.test"}};
  for (const World& world : kWorlds) {
    StartWorld(world.kind);
    for (const char* engine : kEngines) {
      const std::string name = world.name;
      const Ended ended = RunPolicy(
          engine, R"({"egress":{"allow":[{"to":[{"host":")" + name + R"("}]}]}})",
          "curl -sS -m 10 http://" + name + "/; echo;" +
              Try("203.0.113.1 [2001:db8::1] evil.test 127.0.0.53", "curl -s -m 10 http://$x/never"));
      EXPECT_THAT(Lines(ended.out), ElementsAre(world.answer, "no 203.0.113.1", "no [2001:db8::1]",
                                                "no evil.test", "no 127.0.0.53"))
          << world.kind << " " << engine << ended.err;
    }
    EXPECT_THAT(Seen(), testing::Each(Not(HasSubstr("never"))));
    EXPECT_THAT(Asked(), testing::Each(testing::StartsWith(std::string("dns ") + world.name + " ")));
  }
}

}  // namespace
}  // namespace mxc::test
