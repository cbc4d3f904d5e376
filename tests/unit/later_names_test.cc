// Denied names where everything else passes: asked for behind an opening that names no host.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "gateway/inspect/host_name_filter.h"
#include "tests/support/counted.h"
#include "tests/support/egress_rules.h"

namespace mxc::egress::later_names_test {
namespace {

using test::Counted;

using std::string_literals::operator""s;

ByteView View(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

class Talk {
 public:
  explicit Talk(bool strict = false)
      : rules_(strict ? OnlyGood() : AllButEvil()),
        name_filter_(rules_, {.name = "good.test", .port = 80, .strict = strict}) {}

  void Client(std::string_view text, std::size_t piece = std::string_view::npos) {
    for (; !text.empty() && problem_.empty(); text.remove_prefix(std::min(piece, text.size())))
      Keep(name_filter_.Hear(View(text.substr(0, piece))));
  }
  void Server(std::string_view text) {
    if (problem_.empty()) Keep(name_filter_.HearServer(View(text)));
  }
  void End() {
    if (problem_.empty()) Keep(name_filter_.End());
  }
  [[nodiscard]] const std::string& Passed() const { return passed_; }
  [[nodiscard]] const std::string& Problem() const { return problem_; }

 private:
  void Keep(std::string problem) {
    problem_ = std::move(problem);
    if (!problem_.empty()) return;
    const Bytes bytes = name_filter_.Client().Take();
    passed_.append(bytes.begin(), bytes.end());
  }
  RuleBook rules_;
  HostNameFilter name_filter_;
  std::string passed_ = {};
  std::string problem_ = {};
};

std::string Record(char type, const std::string& content) {
  return std::string(1, type) + "\x03\x01" + Counted(2, content);
}
std::string Message(const std::string& name, const std::string& more = "") {
  const std::string list = Counted(2, "\0"s + Counted(2, name));
  return "\x01" + Counted(3, "\x03\x03" + std::string(32, 'r') + Counted(1, "") + Counted(2, "\x13\x01") +
                                 Counted(1, "\0"s) + Counted(2, "\0\0"s + Counted(2, list) + more));
}
std::string Hello(const std::string& name, const std::string& more = "") {
  return Record(22, Message(name, more));
}
// In records of so many bytes, with something between them.
std::string InRecords(std::string message, std::size_t size, const std::string& between = "") {
  std::string text;
  for (; !message.empty(); message.erase(0, size))
    text += (text.empty() ? "" : between) + Record(22, message.substr(0, size));
  return text;
}

struct Opening {
  std::string_view name;
  std::string client;
  std::string server;   // its greeting, or its answer
  bool greets = false;  // in a protocol that is known: from there on text in it is no request
};

std::vector<Opening> Openings() {
  const std::string ldap =
      "\x30\x1d\2\1\1\x77\x18\x80\x16"
      "1.3.6.1.4.1.1466.20037";
  return {
      {"SMTP", "STARTTLS\r\n", "220 mail.test ESMTP\r\n", true},
      {"SMTP, said in full", "EHLO x\r\nSTARTTLS\r\n", "220 mail.test\r\n", true},
      {"IMAP", "a STARTTLS\r\n", "* OK IMAP4rev1\r\n", true},
      {"POP3", "STLS\r\n", "+OK POP3\r\n", true},
      {"FTP", "AUTH TLS\r\n", "220 ftp.test\r\n", true},
      {"FTP, options of telnet in it", "AUTH T\xff\xf1LS\r\n", "220 ftp.test\r\n", true},
      {"NNTP", "STARTTLS\r\n", "200 news.test\r\n", true},
      {"a lone CR", "STARTTLS\r", "220 mail.test\r\n", true},
      {"a lone LF", "STARTTLS\n", "220 mail.test\r\n", true},
      {"no end of a line", "STARTTLS", "220 mail.test\r\n", true},
      {"Redis, to POP3", "*1\r\n$4\r\nSTLS\r\n", "+OK\r\n", true},
      {"Redis, to IMAP", "*1\r\n$10\r\na STARTTLS\r\n", "* OK IMAP4rev1\r\n", true},
      {"LDAP", ldap, "\x30\x0c\2\1\1\x78\7\n\1\0\4\0\4\0"s},
      {"XMPP", "<stream to='x'><starttls/>", "<stream><proceed/>"},
      {"ManageSieve", "STARTTLS\r\n", "\"IMPLEMENTATION\" \"x\"\r\nOK\r\n"},
      {"RDP", "\3\0\0\x13\x0e\xe0\0\0\0\0\0\1\0\x08\0\3\0\0\0"s,
       "\3\0\0\x13\x0e\xd0\0\0\x12\x34\0\2\x0f\x08\0\2\0\0\0"s},
      {"AMQP", "AMQP\2\1\0\0"s, "AMQP\2\1\0\0"s},
      {"TDS", "\x12\1\0\x1a\0\0\1\0\0\0\x0b\0\6\1\0\x11\0\1\xff\x0f\0\0\0\0\0\3"s, "\4\1\0\x20\0\0\1\0\0"s},
      {"NBD", "\0\0\0\3IHAVEOPT\0\0\0\5\0\0\0\0"s, "NBDMAGICIHAVEOPT\0\3"s},
      {"RFB", "RFB 003.008\n\x13", "RFB 003.008\n", true},
      {"an unknown line", "hello\r\n", "welcome to this\r\n"},
      {"one unknown byte", "\1", "\2"},
      {"a long unknown line", std::string(100000, 'x') + "\r\n", ""},
      {"PostgreSQL, to RFB", "\0\0\0\x11\0\3\0\0user\0me\0\0"s, "RFB 003.008\n", true},
      {"PostgreSQL, declined", "\0\0\0\x08\x04\xd2\x16\x2f"s, "N"},
      {"PostgreSQL", "\0\0\0\x08\x04\xd2\x16\x2f"s, "S"},
      {"MySQL", "\x04\0\0\1\0\x08\0\0"s,
       "\x4a\0\0\0\x0a"
       "8.0.36\0"s,
       true},
      {"PROXY 1", "PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n", ""},
      {"PROXY 2", "\r\n\r\n\0\r\nQUIT\n\x20\0\0\0"s, ""},
      {"a warning of TLS", Record(21, "\1\x5a"), ""},
      {"SOCKS", "\5\1\0"s, "\5\0"s},
  };
}

enum class When { kAtOnce, kBefore, kAfter, kGreetedFirst };
constexpr When kAlways[] = {When::kAtOnce, When::kBefore, When::kAfter, When::kGreetedFirst};

// What goes on if the payload is said then. `answer`: the server's to it.
std::string Say(Talk& talk, const Opening& opening, const std::string& payload, When when, std::size_t piece,
                const std::string& answer = "") {
  if (when == When::kGreetedFirst) talk.Server(opening.server);
  if (when == When::kAtOnce) {
    talk.Client(opening.client + payload, piece);
  } else {
    talk.Client(opening.client, piece);
    if (when == When::kAfter) talk.Server(opening.server);
    talk.Client(payload, piece);
  }
  if (when == When::kAtOnce || when == When::kBefore) talk.Server(opening.server);
  talk.Server(answer);
  talk.End();
  return talk.Passed();
}

void ExpectHeld(const std::string& payload, bool request, bool strict = false) {
  for (const Opening& opening : Openings()) {
    for (const When when : kAlways) {
      const bool spoken_to = when == When::kAfter || when == When::kGreetedFirst;
      if (request && opening.greets && (spoken_to || opening.name.starts_with("Redis"))) continue;
      for (const std::size_t piece : {std::string::npos, std::size_t{1}, std::size_t{7}}) {
        if (request && opening.greets && !payload.ends_with('\n')) continue;  // greeted before it ends
        if (piece != std::string::npos && opening.client.size() > 1000) continue;
        Talk talk(strict);
        const std::string passed = Say(talk, opening, payload, when, piece);
        // The end of a line is held, and behind the last one the end of the connection.
        if (request) {
          EXPECT_NE(talk.Problem(), "") << opening.name << ", " << static_cast<int>(when) << ", " << piece;
        }
        if (request && !payload.ends_with('\n')) continue;
        EXPECT_EQ(passed.find(payload), std::string::npos)
            << opening.name << ", " << static_cast<int>(when) << ", in pieces of " << piece;
      }
    }
  }
}

TEST(LaterNames, AClientHelloIsFoundBehindEveryOpening) {
  for (const std::string& hello :
       {Hello("evil.test"), Hello("a.evil.test"), Record(21, "\1\x5a") + Hello("evil.test"),
        InRecords(Message("evil.test"), 1), InRecords(Message("evil.test"), 5),
        InRecords(Message("evil.test"), 40), InRecords(Message("evil.test"), 3, Record(21, "\1\x5a")),
        InRecords(Message("evil.test"), 3, Record(22, "")), "\x16\x03"s + Hello("evil.test"),
        "\x16\x03\x01\x00\x05\x01"s + Hello("evil.test"), Record(22, "") + Hello("evil.test"),
        Hello("evil.test", "\0\x29"s + Counted(2, "psk")), Hello("good.test", "\xfe\x0d" + Counted(2, "ech")),
        Hello("good.test") + Hello("evil.test"),
        Hello("good.test", "\0\0"s + Counted(2, Counted(2, "\0"s + Counted(2, "evil.test"))))}) {
    for (const bool strict : {false, true}) ExpectHeld(hello, false, strict);
  }
}

TEST(LaterNames, ARequestIsFoundBehindEveryOpening) {
  for (const std::string_view request :
       {"GET / HTTP/1.1\r\nHost: evil.test\r\n\r\n", "GET / HTTP/1.1\nhost :\tEVIL.test.:80\n\n",
        "GET http://evil.test/ HTTP/1.0\r\n\r\n", "CONNECT evil.test:443 HTTP/1.1\r\n\r\n",
        "CONNECT evil.test:443\r\n\r\n", "POST http://good.test@evil.test/\r\n",
        "GET / HTTP/1.1\r\nHost:\r\n evil.test\r\n\r\n", "GET / HTTP/1.1\rHost: evil.test\r\r",
        "GET\rhttp://evil.test/\rHTTP/1.1\n\n", "GET http://evil.test/ HTTP/1.1"})
    ExpectHeld("\r\n" + std::string(request), true);
}

TEST(LaterNames, OtherNamesPass) {
  for (const Opening& opening : Openings()) {
    if (opening.name.starts_with("P") || opening.name == "a warning of TLS" || opening.name == "SOCKS" ||
        opening.name == "MySQL" || opening.name == "Redis, to IMAP")
      continue;
    for (const When when : kAlways) {
      for (const std::size_t piece : {std::string::npos, std::size_t{1}}) {
        if (piece != std::string::npos && opening.client.size() > 1000) continue;
        const std::string hello = Hello("good.test") + Record(20, "\1") + Record(22, "\x10 finished") +
                                  Record(23, "data\n\x03 tls\n\x16\x03\x01\x01 more");
        const std::string answer =
            Record(22, "\x02" + Counted(3, "\x03\x03" + std::string(32, 'R') + std::string(10, 'x')));
        Talk talk;
        EXPECT_EQ(Say(talk, opening, hello, when, piece, answer), opening.client + hello)
            << opening.name << ", " << static_cast<int>(when) << ": " << talk.Problem();
      }
    }
  }
}

// Whatever is said, and at once: nobody answers what is held.
TEST(LaterNames, OrdinaryProtocolsGoOn) {
  const std::string numbers = "\x16\0\0\0\x05\1\0\0\0\3"s;
  const std::string secret = Hello("good.test").substr(5);
  for (const std::string& said :
       {"git-upload-pack /a.git\0host=good.test\0"s, "\x10\x0c\0\4MQTT\4\2\0\x3c"s, "key\x16"s,
        "key\x16\x03"s, "key\x16\x03\x01\x02"s, numbers, secret, "\x16\x03 and text\n"s.insert(0, "x"),
        "<14>1 - host app - - see https://evil.test/ for more\n"s, "PRIVMSG #a :evil.test is down\r\n"s,
        "version\r\nhost: good.test\r\n"s, "hello evil.test\r\n"s}) {
    Talk talk;
    talk.Client("x\r\n");
    talk.Server("some unknown answer\r\n");
    for (int i = 0; i < 3; ++i) {
      talk.Client(said);
      talk.Client("\r\n");
    }
    EXPECT_EQ(talk.Problem(), "") << testing::PrintToString(said);
    EXPECT_EQ(talk.Passed(), "x\r\n" + said + "\r\n" + said + "\r\n" + said + "\r\n");
    Talk held;
    held.Client("x\r\n");
    held.Server("some unknown answer\r\n");
    held.Client(said);
    EXPECT_EQ(held.Passed(), "x\r\n" + said) << testing::PrintToString(said);
  }
}

// A line of ISO-2022-JP begins with ESC.
TEST(LaterNames, MailsPass) {
  const std::string mail = "EHLO x\r\nDATA\r\nabout TLS\r\n\x1b$B$3\x1b(B\r\n.\r\n";
  for (const bool strict : {false, true}) {
    for (const std::size_t piece : {std::string::npos, std::size_t{1}}) {
      Talk talk(strict);
      talk.Server("220 mail.test\r\n");
      talk.Client(mail, piece);
      EXPECT_EQ(talk.Passed(), mail) << talk.Problem();
    }
  }
}

TEST(LaterNames, AServerOfHttpIsToldNoMore) {
  Talk talk;
  talk.Client("hello\r\n");
  talk.Server("HTTP/1.1 400 Bad Request\r\n\r\n");
  EXPECT_EQ(talk.Problem(), "");
  talk.Client("more\r\n");
  EXPECT_EQ(talk.Problem(), "the server answers in another protocol than the client's");
}

}  // namespace
}  // namespace mxc::egress::later_names_test
