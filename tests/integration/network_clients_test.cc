// Real clients behind the network gateway: each reaches what is allowed, none reaches anything else.
#include <gmock/gmock.h>

#include <cstdlib>
#include <iterator>

#include "tests/integration/network_world.h"

namespace mxc::test::network_clients_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

using NetworkClients = NetworkWorld;
MXC_FOR_EACH_CALLER(NetworkClients);

// A shell function: `get URL` succeeds when a server answers; or `all URL...`, where a start takes long.
struct Client {
  const char* program;
  const char* function;
};
constexpr Client kClients[] = {
    {"curl", "get() { curl -fsS -m 10 \"$1\"; }"},
    {"wget", "get() { wget -q -T 10 -t 1 -O - \"$1\"; }"},
    {"python3",
     "get() { python3 -c 'import sys, urllib.request as r; r.urlopen(sys.argv[1], timeout=10).read()' "
     "\"$1\"; }"},
    {"python3", R"(get() { python3 -c '
import socket, sys, urllib.parse
url = urllib.parse.urlsplit(sys.argv[1])
s = socket.create_connection((url.hostname, url.port or 80), 10)
s.sendall(b"GET / HTTP/1.0\r\nHost: %s\r\n\r\n" % url.hostname.encode())
sys.exit(0 if s.recv(9) else 1)' "$1"; })"},
    {"node",
     "get() { node -e 'process.exitCode = 1; fetch(process.argv[1]).then(r => process.exit(r.ok ? 0 : 1), () "
     "=> process.exit(1))' "
     "\"$1\"; "
     "}"},
    {"node", R"(get() { node -e '
process.exitCode = 1;
const url = new URL(process.argv[1]);
const s = require("net").connect(url.port || 80, url.hostname.replace(/[\[\]]/g, ""));
s.on("connect", () => s.write("GET / HTTP/1.0\r\nHost: " + url.hostname + "\r\n\r\n"));
s.on("data", () => process.exit(0));
s.on("error", () => process.exit(1));
s.on("close", () => process.exit(1));' "$1"; })"},
    {"bash",
     "get() { h=${1#http://}; case $h in *:*) ;; *) h=$h:80;; esac; bash -c 'exec 3<>/dev/tcp/$0/$1 && "
     "printf \"GET / HTTP/1.0\\r\\nHost: %s\\r\\n\\r\\n\" $0 >&3 && read -r x <&3' ${h%:*} ${h##*:}; }"},
    {"openssl",
     "get() { h=${1#http://}; case $h in *]|*[!0-9:]) h=$h:443;; esac; "
     "openssl s_client -brief -connect $h </dev/null; }"},
    {"git", "get() { rm -rf /tmp/r; git clone -q \"$1/repo\" /tmp/r && grep -q hello /tmp/r/file; }"},
    {"javac", R"(all() { cat >/tmp/Get.java <<'END'
import java.net.URI; import java.net.http.*; import java.time.Duration;
class Get { public static void main(String[] urls) {
  var client = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();
  for (String url : urls) try {
    client.send(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString());
    System.out.println("yes");
  } catch (Exception refused) { System.out.println("no " + url); } } }
END
java /tmp/Get.java "$@" 2>&1; })"},
};
// The allowed name; then another, the same address under another, the addresses of both, another port, IPv6,
// the metadata service of clouds.
constexpr const char* kUrls =
    "http://good.test http://evil.test http://other.test http://203.0.113.1 http://203.0.113.2 "
    "http://good.test:8080 "
    "http://[2001:db8::1] http://169.254.169.254";

TEST_P(NetworkClients, EveryClientIsHeld) {
  std::string missing;
  for (std::size_t row = 0; row < std::size(kClients); ++row) {
    const Client& client = kClients[row];
    const char* const engine = EngineOfRow(row, uid, kEngines);
    if (!Exists(std::string("/usr/bin/") + client.program)) {
      missing += std::string(" ") + client.program;
      continue;
    }
    const Ended ended = RunPolicy(engine, kOnlyGood,
                                  "all() { for u; do if get \"$u\" >/dev/null 2>&1; then echo yes; "
                                  "else echo \"no $u\"; fi; done; }\n" +
                                      std::string(client.function) + "\nall " + kUrls);
    EXPECT_THAT(Lines(ended.out),
                ElementsAre("yes", "no http://evil.test", "no http://other.test", "no http://203.0.113.1",
                            "no http://203.0.113.2", "no http://good.test:8080", "no http://[2001:db8::1]",
                            "no http://169.254.169.254"))
        << engine << " " << client.function << ended.err;
  }
  EXPECT_THAT(Seen(), testing::Each(testing::AnyOf(testing::StartsWith("tcp 203.0.113.1:80 GET /"),
                                                   testing::StartsWith("tcp 203.0.113.1:443 "))));
  if (!missing.empty()) GTEST_SKIP() << "the other clients are held; not installed in /usr/bin:" << missing;
}

TEST_P(NetworkClients, DigIsAnsweredByTheSandboxsOwnResolver) {
  if (!Exists("/usr/bin/dig")) GTEST_SKIP() << "needs dig (dnsutils)";
  for (const char* engine : kEngines) {
    const std::string ask = "dig +time=2 +tries=1 +noall +comments +answer ";
    const Ended ended =
        RunPolicy(engine, kOnlyGood,
                  "for q in 'good.test' 'good.test AAAA' '+tcp good.test' 'evil.test' '+tcp evil.test' "
                  "'good.test TXT' 'evil.test TXT' '@8.8.8.8 evil.test' '@2001:db8::53 good.test'; do " +
                      ask +
                      "$q | grep -oE 'status: [A-Z]+|(IN.)?A+.(198.18|fd6d:7863).*' | tr '\\n\\t' '; '; "
                      "echo; done");
    EXPECT_THAT(Lines(ended.out),
                ElementsAre(HasSubstr("NOERROR;IN A 198.18."), HasSubstr("NOERROR;IN AAAA fd6d:7863:1:"),
                            HasSubstr("NOERROR;IN A 198.18."), "status: NXDOMAIN;", "status: NXDOMAIN;",
                            "status: NOERROR;", "status: NXDOMAIN;", "status: NXDOMAIN;",
                            HasSubstr("NOERROR;IN A 198.18.")))
        << engine << ended.err;
  }
  EXPECT_THAT(Asked(), testing::IsEmpty());
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
  for (std::size_t row = 0; row < std::size(kWorlds); ++row) {
    const World& world = kWorlds[row];
    const char* const engine = EngineOfRow(row, uid, kEngines);
    StartWorld(world.kind);
    const std::string name = world.name;
    const Ended ended =
        RunPolicy(engine, R"({"egress":{"allow":[{"to":[{"host":")" + name + R"("}]}]}})",
                  "curl -sS -m 10 http://" + name + "/; echo;" +
                      Try("203.0.113.1 [2001:db8::1] evil.test 127.0.0.53", "curl -s -m 10 http://$x/never"));
    EXPECT_THAT(Lines(ended.out), ElementsAre(world.answer, "no 203.0.113.1", "no [2001:db8::1]",
                                              "no evil.test", "no 127.0.0.53"))
        << world.kind << " " << engine << ended.err;
    EXPECT_THAT(Seen(), testing::Each(Not(HasSubstr("never"))));
    EXPECT_THAT(Asked(), testing::Each(testing::StartsWith(std::string("dns ") + world.name + " ")));
  }
}

}  // namespace
}  // namespace mxc::test::network_clients_test
