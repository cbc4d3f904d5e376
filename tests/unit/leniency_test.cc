// What passes to the server of an allowed name, against a reader that finds every host that any server might
// see.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/inspect/host_name_filter.h"
#include "tests/support/counted.h"
#include "tests/support/egress_rules.h"
#include "tests/support/lenient_server.h"

namespace mxc::egress::leniency_test {
namespace {

using test::Counted;

using testing::Contains;
using testing::Each;

// What goes on of this, said in two parts by a client that then says no more. The server says nothing.
std::string Passed(const RuleBook& rules, const std::string& text, std::size_t cut, bool strict = true) {
  HostNameFilter name_filter(rules, {.name = "good.test", .port = 80, .strict = strict});
  std::string passed;
  const auto hear = [&](std::string_view part) {
    const std::string problem =
        name_filter.Hear({reinterpret_cast<const std::uint8_t*>(part.data()), part.size()});
    const Bytes bytes = name_filter.Client().Take();
    passed.append(bytes.begin(), bytes.end());
    return problem.empty();
  };
  if (hear(std::string_view(text).substr(0, cut))) hear(std::string_view(text).substr(cut));
  return passed;
}

// Says what it wants to in one of many ways, most of them wrong.
class Attacker {
 public:
  explicit Attacker(unsigned seed) : random_(seed) {}

  std::string Say() {
    std::string text;
    for (int i = Pick(4) == 0 ? 1 + Pick(2) : 0; i > 0; --i) text += Before();
    for (int i = Pick(3); i >= 0; --i) text += Pick(3) == 0 ? Hello() : Request();
    for (int i = Pick(4); i > 0; --i) Spoil(text);
    return text;
  }

 private:
  int Pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
  std::string One(const std::vector<std::string>& of) {
    return of[static_cast<std::size_t>(Pick(static_cast<int>(of.size())))];
  }
  std::string Host() {
    return One({"good.test", "good.test", "evil.test", "GOOD.test:80", "good.test.evil.test"});
  }
  std::string Blank() {
    return Pick(3) > 0
               ? " "
               : One({"\t", "\v", "\f", "  ", "\x85", "\xa0", "\x1c", "\r", "", std::string(1, '\0')});
  }
  std::string End() { return Pick(4) > 0 ? "\r\n" : One({"\n", "\r", "\n\r", "\r\r\n", ""}); }

  // What some server passes over.
  std::string Before() {
    const std::string proxy2("\r\n\r\n\0\r\nQUIT\n\x20\0\0\0", 16);
    const std::string type = One({"\x14", "\x15", "\x16", "\x17", "\x18", "\x19", "\x01", "c"});
    const std::string version = One({"\x03\x01", "\x03\x03", std::string("\x03\0", 2)});
    return One({type + version + Counted(2, One({"", "\x01", "\x01\x5a", std::string(1, '\0')})), proxy2,
                "PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n",
                std::string(static_cast<std::size_t>(Pick(3)) + 1U, '\0'), "\n", "\r", "\r\n", "\t ",
                std::string("\0\n\0", 3), "\x01", "foo\r\n"});
  }

  std::string Request() {
    std::string text = Pick(4) > 0 ? "" : One({"\r\n", "\n", " ", "\t", "\xa0", "SSH-2.0-", "*1\r\n$4\r\n"});
    text +=
        One({"GET", "POST", "CONNECT", "connect", "G", std::string(70, 'A'), "SSH-2.0-x", "PRI"}) + Blank();
    text += One({"/", "/", "*", "http://" + Host() + "/", Host() + ":80", "//" + Host() + "/",
                 "x://" + Host(), "http://good.test@" + Host() + "/", "/?http://" + Host()});
    text += Pick(6) == 0
                ? ""
                : Blank() +
                      One({"HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/0.9", "HTTP/2.0", "http/1.1", "HTTP/1"});
    text += End();
    for (int i = Pick(4); i > 0; --i) text += Field() + End();
    return text + End();
  }
  std::string Field() {
    return One({"Host", "Host", "host", "Content-Length", "Transfer-Encoding", "X", " Host", "Upgrade"}) +
           One({":", ": ", " :", ":\t", ""}) +
           One({Host(), Host(), "3", "0", "chunked", "x\rHost: evil.test", "x\nHost: evil.test",
                "websocket"});
  }

  std::string Hello() {
    const auto extension = [](const std::string& type, const std::string& content) {
      return type + Counted(2, content);
    };
    std::string names;
    for (int i = Pick(3) == 0 ? 2 : 1; i > 0; --i) names += std::string(1, '\0') + Counted(2, Host());
    std::string extensions = extension(std::string(2, '\0'), Counted(2, names));
    if (Pick(4) == 0)
      extensions += extension(std::string(2, '\0'), Counted(2, std::string(1, '\0') + Counted(2, Host())));
    const std::string hello = "\x03\x03" + std::string(32, 'r') + Counted(1, "") + Counted(2, "\x13\x01") +
                              Counted(1, std::string(1, '\0')) + Counted(2, extensions);
    std::string message = "\x01" + Counted(3, hello);
    std::string text;
    while (!message.empty()) {
      const std::size_t size = Pick(2) == 0 ? message.size() : static_cast<std::size_t>(Pick(60)) + 1U;
      text += "\x16" + One({"\x03\x01", "\x03\x03", "\x03\x05", "\x02\x01", "\x04\x01"}) +
              Counted(2, message.substr(0, size));
      message.erase(0, size);
    }
    return text;
  }

  void Spoil(std::string& text) {
    if (text.empty()) return;
    const auto at = static_cast<std::size_t>(Pick(static_cast<int>(text.size())));
    if (Pick(2) == 0) {
      text.erase(at, static_cast<std::size_t>(Pick(4)));
    } else {
      text.insert(at,
                  One({"\r\n", "\n", "\r", " ", "\t", std::string(1, '\0'), "evil.test", "\x16\x03\x01"}));
    }
  }

  std::mt19937 random_;
};

TEST(Leniency, NoServerSeesAHostThatWasNotJudged) {
  const RuleBook rules = OnlyGood();
  std::size_t some = 0;
  for (unsigned seed = 0; seed < 50000; ++seed) {
    Attacker attacker(seed);
    const std::string text = attacker.Say();
    const std::string passed = Passed(rules, text, seed % (text.size() + 1));
    const std::vector<std::string> seen = test::HostsSeen(passed);
    some += seen.empty() ? 0U : 1U;
    ASSERT_THAT(seen, Each("good.test")) << seed << ": " << passed;
  }
  EXPECT_GT(some, 200U) << "hardly anything passes";
}

// Where everything else passes, also what is of no protocol that is known.
TEST(Leniency, NoServerSeesADeniedHost) {
  const RuleBook rules = AllButEvil();
  std::size_t some = 0;
  for (unsigned seed = 0; seed < 50000; ++seed) {
    Attacker attacker(seed);
    const std::string text = attacker.Say();
    const std::string passed = Passed(rules, text, seed % (text.size() + 1), false);
    const std::vector<std::string> seen = test::HostsSeen(passed, false);
    some += seen.empty() ? 0U : 1U;
    for (const std::string& host : seen)
      ASSERT_FALSE(rules.Denies(host, Protocol::kTcp, 80)) << seed << ": " << testing::PrintToString(passed);
  }
  EXPECT_GT(some, 200U) << "hardly anything passes";
}

TEST(Leniency, WhatIsUnknownPassesWhereEverythingElseDoes) {
  const RuleBook rules = AllButEvil();
  for (const std::string& text :
       {std::string("hello\r\n"), std::string("\0\0\0\x2a\0\x12\0\3", 8),
        std::string("\x30\x0c\2\1\1\x60\7\0", 8), std::string("\x10\x0c\0\4MQTT\4\2\0\x3c", 12),
        std::string("AMQP\0\0\x09\1", 8)}) {
    EXPECT_EQ(Passed(rules, text, text.size(), false), text) << testing::PrintToString(text);
  }
}

// The reader is as lenient as it says.
TEST(Leniency, TheServerSeesWhatRealOnesDo) {
  for (const std::string& text : std::vector<std::string>{
           "GET http://evil.test/",
           "GET\vhttp://evil.test/\f HTTP/1.1\n",
           "GET / HTTP/1.1\nHost: evil.test\n\n",
           " GET / HTTP/1.1\r\nhost : evil.test\r\n\r\n",
           "\x85GET / HTTP/1.1\rHost: evil.test\r\r",
           "POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\nxGET / HTTP/1.1\r\nHost: evil.test\r\n\r\n",
           "CONNECT evil.test:443 HTTP/1.1\r\n\r\n",
           "GET http://good.test@evil.test/ HTTP/1.1\r\n\r\n",
           "PROXY UNKNOWN\r\nGET / HTTP/1.1\r\nHost: evil.test\r\n\r\n",
           "c\x03\x01\x01\x01" + std::string(257, 'x') + "\nGET / HTTP/1.1\r\nHost: evil.test\r\n\r\n",
       }) {
    EXPECT_THAT(test::HostsSeen(text), Contains("evil.test")) << text;
  }
}

}  // namespace
}  // namespace mxc::egress::leniency_test
