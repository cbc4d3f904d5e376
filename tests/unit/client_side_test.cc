// What a client may say after it has been recognised, and what has to come from the server first.
#include "gateway/inspect/client_side.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "gateway/inspect/host_name_filter.h"

namespace mxc::egress::client_side_test {
namespace {

using namespace std::string_literals;  // NOLINT(google-build-using-namespace)

ByteView View(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

RuleBook OnlyGood() {
  NetworkRule rule{.to = {{.host = "good.test"}}, .pointer = "/allow"};
  return RuleBook::Compile({.allow = {rule}}).value();
}

RuleBook AllButEvil() {
  NetworkRule rule{.to = {{.host = "evil.test"}}, .pointer = "/deny"};
  return RuleBook::Compile({.egress = RuleAction::kAllow, .deny = {rule}}).value();
}

// A conversation: lines of the client and the server, in turn as they are called; each says what went on to
// the server because of it, or why the connection was refused.
class Talk {
 public:
  explicit Talk(bool strict = true)
      : rules_(strict ? OnlyGood() : AllButEvil()),
        name_filter_(rules_, {.name = "good.test", .port = 80, .strict = strict}) {}
  std::string Client(std::string_view text) { return Passed(name_filter_.Hear(View(text))); }
  std::string Server(std::string_view text) { return Passed(name_filter_.HearServer(View(text))); }
  std::string End() { return Passed(name_filter_.End()); }
  [[nodiscard]] bool Waits() { return name_filter_.Client().WantsAnotherServer(); }
  std::string AnotherServer() {
    name_filter_.Client().OnAnotherServer();
    return Client("");
  }
  [[nodiscard]] bool Full() { return name_filter_.Client().IsFull(); }
  [[nodiscard]] bool Free() { return name_filter_.Client().Free(); }

 private:
  std::string Passed(const std::string& problem) {
    if (!problem.empty()) return "refused: " + problem;
    const Bytes bytes = name_filter_.Client().Take();
    return {bytes.begin(), bytes.end()};
  }
  RuleBook rules_;
  HostNameFilter name_filter_;
};

std::string Counted(std::size_t width, const std::string& content) {
  std::string out;
  for (std::size_t i = width; i > 0; --i) out += static_cast<char>(content.size() >> (8 * (i - 1)));
  return out + content;
}
std::string Record(char type, const std::string& content) {
  return std::string(1, type) + "\x03\x03" + Counted(2, content);
}
std::string Hello(const std::string& name, const std::string& more = "") {
  const std::string list = Counted(2, std::string(1, '\0') + Counted(2, name));
  const std::string extensions = (name.empty() ? "" : std::string(2, '\0') + Counted(2, list)) + more;
  return Record(
      22, "\x01" + Counted(3, "\x03\x03" + std::string(32, 'r') + Counted(1, "") + Counted(2, "\x13\x01") +
                                  Counted(1, std::string(1, '\0')) + Counted(2, extensions)));
}
std::string ServerHello(const std::string& random) {
  return Record(22, "\x02" + Counted(3, "\x03\x03" + random + std::string(10, 'x')));
}
const std::string kRetry =
    "\xcf\x21\xad\x74\xe5\x9a\x61\x11\xbe\x1d\x8c\x02\x1e\x65\xb8\x91\xc2\xa2\x11\x16\x7a\xbb\x8c\x5e\x07\x9e"
    "\x09\xe2"
    "\xc8\xa8\x33\x9c";
const std::string kPlain(32, 'R');
const std::string kEarlyData = std::string("\0\x2a\0\0", 4);
constexpr std::string_view kStrange = "refused: the server answers in another protocol than the client's";
constexpr std::string_view kOther = "refused: a later request is for the name evil.test";

// The handshake of RFC 6455, 1.3.
std::string Asks(const std::string& line = "GET / HTTP/1.1",
                 const std::string& connection = "Connection: keep-alive, Upgrade",
                 const std::string& upgrade = "Upgrade: websocket",
                 const std::string& key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==") {
  std::string head = line + "\r\nHost: good.test\r\n";
  for (const std::string& field : {connection, upgrade, key}) head += field.empty() ? "" : field + "\r\n";
  return head + "\r\n";
}
std::string Agrees(const std::string& line = "HTTP/1.1 101 Switching Protocols",
                   const std::string& connection = "Connection: Upgrade",
                   const std::string& upgrade = "Upgrade: websocket",
                   const std::string& key = "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=") {
  std::string head = line + "\r\n";
  for (const std::string& field : {connection, upgrade, key}) head += field.empty() ? "" : field + "\r\n";
  return head + "\r\n";
}

const std::string kConnect = "CONNECT good.test:80 HTTP/1.1\r\nHost: good.test\r\n\r\n";
const std::string kAgreed = "HTTP/1.1 200 Connection established\r\nVia: x\r\n\r\n";

TEST(ClientSide, KeepsAHeadUntilItIsJudged) {
  Talk talk;
  EXPECT_EQ(talk.Client("GET / HTTP/1.1\r\nHost: good"), "");
  EXPECT_EQ(talk.Client(".test\r\n\r\nGET"), "GET / HTTP/1.1\r\nHost: good.test\r\n\r\n");
  EXPECT_EQ(talk.End(), "refused: it ends before its first message is complete");
}

// Where everything but denied names passes.
TEST(ClientSide, FollowsTheFirstLineOfWhatIsUnknown) {
  Talk talk(false);
  EXPECT_EQ(talk.Client("get\v/ HT"), "get\v/ HT");
  EXPECT_EQ(talk.Client("TP/1.1\r\n"), "refused: its HTTP request is malformed");
  Talk other(false);
  EXPECT_EQ(other.Client("\x06\x01\x7f"), "\x06\x01\x7f");
  EXPECT_FALSE(other.Free());
  EXPECT_EQ(other.Client("\r\nmore"), "\r\nmore");
  EXPECT_FALSE(other.Free());
  EXPECT_EQ(other.Server("something"), "");
  EXPECT_EQ(other.Client("\nHost: good.test\n"), "\nHost: good.test\n");
}

// Of Node and Python each takes some of these for a request, and reads the Host behind it.
TEST(ClientSide, RequestsWithoutAVersionOfHttpAreRefusedWhereWhatIsUnknownPasses) {
  const std::string host = "Host: evil.test\r\n\r\n";
  for (const std::string_view line :
       {"GET /X\r\n", "POST /X\r\n", "DELETE /a/b?c=d\r\n", "OPTIONS *\r\n", "PRI *\r\n",
        "GET /X RTSP/1.0\r\n", "SOURCE /X ICE/1.1\r\n", "M-SEARCH *\r\n", "GET X\r\n", "GET\t/X\r\n",
        "GET\v/X\r\n", "GET\tX\r\n", "GET /X\n", "GET X\n", "\r\nGET /X\r\n", "\n \tGET /X\r\n",
        "POST\t /X\r\n", "CONNECT evil.test:80\r\n"}) {
    const std::string opening = std::string(line) + host;
    EXPECT_EQ(Talk(false).Client(opening), "refused: its HTTP request is malformed") << line;
    Talk slow(false);
    std::string said;
    for (const char c : opening) {
      said = slow.Client({&c, 1});
      if (said.starts_with("refused")) break;
      EXPECT_EQ(said.find("evil"), std::string::npos) << line;
    }
    EXPECT_THAT(said, testing::StartsWith("refused: ")) << line;
  }
}

// Of whatever form its first line is.
TEST(ClientSide, AHostIsRefusedWhereWhatIsUnknownPasses) {
  constexpr const char* kNames = "refused: it names a host in a protocol that the gateway cannot check";
  EXPECT_EQ(Talk(false).Client("get /x\r\nAccept: a\r\nHost: evil.test\r\n\r\n"), kNames);
  EXPECT_EQ(Talk(false).Client("x\n \thOST \t: evil.test\n"), kNames);
  Talk slow(false);
  EXPECT_EQ(slow.Client("go\r\na: b\r\nHo"), "go\r\na: b\r\nHo");
  EXPECT_EQ(slow.Client("st"), "st");
  EXPECT_EQ(slow.Client(":evil.test\r\n"), kNames);
  for (const std::string_view other : {"NICK host:\r\nhosts: 1\r\n", "LIST\r\n", "host\r\n:x\r\n",
                                       "get key\r\n", "set host: 1\r\n", "QUIT \r\n"})
    EXPECT_EQ(Talk(false).Client(other), other);
}

// A name that is denied could be asked for in it.
TEST(ClientSide, SocksIsRefusedWhereWhatIsUnknownPasses) {
  const std::string refused = "refused: it asks a SOCKS proxy, which is to reach any host";
  EXPECT_EQ(Talk(false).Client(std::string("\5\1\0", 3)), "");  // held: so little tells no protocol
  EXPECT_EQ(Talk(false).Client(std::string("\5\2\0\2", 4)), refused);
  EXPECT_EQ(Talk(false).Client(std::string("\4\1\0\x50\0\0\0\1\0name\0", 14)), refused);
  EXPECT_EQ(Talk(false).Client(std::string("\4\2\0\x50", 4)), refused);
  Talk slow(false);
  EXPECT_EQ(slow.Client("\5"), "");
  EXPECT_EQ(slow.Client(std::string("\2\0\1", 3)), refused);
  const std::string rpc("\5\0\x0b\3", 4);  // DCE
  EXPECT_EQ(Talk(false).Client(rpc), rpc);
  EXPECT_EQ(Talk(false).Client("\4\3x"), "\4\3x");
}

TEST(ClientSide, TlsIsFoundBehindAGreetingThatComesSecond) {
  for (const std::string_view said : {"EHLO x\r\n", "EHLO x\n", "EHLO x\r\nSTARTTLS\r\n"}) {
    Talk talk(false);
    EXPECT_EQ(talk.Client(said), said);
    EXPECT_EQ(talk.Server("220 mail\r\n"), "");
    EXPECT_EQ(talk.Client("STARTTLS\r\n"), "STARTTLS\r\n");
    EXPECT_FALSE(talk.Free());
    EXPECT_EQ(talk.Client(Hello("good.test")), Hello("good.test"));
  }
  Talk mysql(false);
  EXPECT_EQ(mysql.Client("x\r\n"), "x\r\n");
  EXPECT_EQ(mysql.Server(std::string("J\0\0\0\n8.0", 8)),
            "refused: it speaks before the server has greeted it");
}

TEST(ClientSide, ABodyPassesWhenTheServerWantsIt) {
  const std::string ask =
      "POST / HTTP/1.1\r\nHost: good.test\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n";
  Talk talk;
  EXPECT_EQ(talk.Client(ask), ask);
  EXPECT_EQ(talk.Server("HTTP/1.1 "), "");
  EXPECT_EQ(talk.Client("bo"), "");
  EXPECT_EQ(talk.Server("100 Continue\r\n\r\n"), "bo");
  EXPECT_EQ(talk.Client("dy"), "dy");
  // On a connection that has carried another request nobody could tell what the server answers.
  EXPECT_EQ(talk.Client(ask + "body"), "");
  EXPECT_TRUE(talk.Waits());
  EXPECT_EQ(talk.AnotherServer(), ask);
  EXPECT_EQ(talk.Server("HTTP/1.1 100 Continue\r\n\r\n"), "body");

  Talk declined;
  EXPECT_EQ(declined.Client(ask), ask);
  EXPECT_EQ(declined.Server("HTTP/1.1 417 No\r\n\r\n"), "");
  EXPECT_EQ(declined.Client("GET / HTTP/1.1\r\nHost: evil.test\r\n\r\n"),
            "refused: it sends a body that the server has not asked for");
}

const std::string kChunks = "POST / HTTP/1.1\r\nHost: good.test\r\nTransfer-Encoding: chunked\r\n\r\n";
const std::string kRefusedBody = "refused: the body of its HTTP request is malformed";

// A server may take a line behind the last chunk for a request, or merge it into the head.
TEST(ClientSide, TrailersAreFieldsThatDecideNothing) {
  for (const std::string& trailers :
       {"X-Sum: 1\r\nContent-Digest: sha-256=:x:\r\n\r\n"s, "\r\n"s, "X:\r\n\r\n"s}) {
    Talk talk;
    EXPECT_EQ(talk.Client(kChunks + "0\r\n" + trailers), kChunks + "0\r\n" + trailers);
    EXPECT_EQ(talk.Client("GET / HTTP/1.1\r\nHost: evil.test\r\n\r\n"),
              "refused: a later request is for the name evil.test");
  }
  for (const std::string& line : {"GET / HTTP/1.1\r\n"s,
                                  "XXGET / HTTP/1.1\r\n"s,
                                  "Host: good.test\r\n"s,
                                  "hOST:\r\n"s,
                                  " X: 1\r\n"s,
                                  "X: 1\r\n\tY: 2\r\n"s,
                                  "X : 1\r\n"s,
                                  ": 1\r\n"s,
                                  "X: 1\nY: 2\r\n"s,
                                  "X: 1\rY: 2\r\n"s,
                                  "\n"s,
                                  "X: \0\r\n"s,
                                  "\0: x\r\n"s,
                                  "X: \x7f\r\n"s,
                                  "Content-Length: 0\r\n"s,
                                  "Transfer-Encoding: chunked\r\n"s,
                                  "Trailer: X\r\n"s,
                                  "Connection: close\r\n"s,
                                  "Upgrade: h2c\r\n"s,
                                  "Expect: 100-continue\r\n"s,
                                  "Authorization: x\r\n"s,
                                  "Proxy-Authorization: x\r\n"s,
                                  "X-Forwarded-Host: x\r\n"s,
                                  "If-Match: *\r\n"s,
                                  "Content-Type: x\r\n"s,
                                  "X: " + std::string(8192, 'x') + "\r\n"}) {
    Talk talk;
    EXPECT_EQ(talk.Client(kChunks + "0\r\n"), kChunks + "0\r\n");
    EXPECT_EQ(talk.Client(line + "\r\n"), kRefusedBody) << testing::PrintToString(line);
  }
}

TEST(ClientSide, NoPartOfAChunksLineGoesOnBeforeItIsJudged) {
  Talk talk;
  EXPECT_EQ(talk.Client(kChunks + "3"), kChunks);
  EXPECT_EQ(talk.Client("\r\nab"), "3\r\nab");
  EXPECT_EQ(talk.Client("c\r"), "c");
  EXPECT_EQ(talk.Client("\n0\r\nGET / HTTP/1.1\r"), "\r\n0\r\n");
  EXPECT_EQ(talk.Client("\n"), kRefusedBody);

  Talk cut;
  EXPECT_EQ(cut.Client(kChunks + "0\r\nGET http://evil.test/"), kChunks + "0\r\n");
  EXPECT_EQ(cut.End(), "refused: it ends before its first message is complete");
}

// RFC 9112, 7.1.1. Parsers that disagree do so where a line ends in an extension.
TEST(ClientSide, AChunkMayHaveExtensions) {
  for (const char* const extensions :
       {";a", ";a=b", ";a=b;c;d=\"e f;=\"", R"(;a="\";\\")", ";a=\"\"", ";ieof"}) {
    Talk talk;
    const std::string text = kChunks + "3" + extensions + "\r\nabc\r\n0" + extensions + "\r\n\r\n";
    EXPECT_EQ(talk.Client(text), text);
    EXPECT_EQ(talk.Client("GET / HTTP/1.1\r\nHost: evil.test\r\n\r\n"),
              "refused: a later request is for the name evil.test");
  }
  for (const std::string& bad :
       {";"s,         ";;a"s,         ";=b"s,   ";a="s,   ";a=b c"s,
        " ;a"s,       "; a"s,         ";a =b"s, ";a= b"s, ";a=\"b"s,
        ";a=\"b\"c"s, ";a=\"\\"s,     ";a\n"s,  ";a\rb"s, ";a=\"\n\""s,
        ";a=\"\0\""s, ";a=\"\\\n\""s, "a=b"s,   " "s,     ";" + std::string(8192, 'a')}) {
    Talk talk;
    EXPECT_EQ(talk.Client(kChunks + "3" + bad + "\r\nabc\r\n0\r\n\r\n"), kRefusedBody)
        << testing::PrintToString(bad);
  }
}

TEST(ClientSide, AClientHelloThatHidesAnotherIsRefusedEverywhere) {
  const std::string hidden = "\xfe\x0d" + Counted(2, "x");
  for (const bool strict : {false, true}) {
    Talk talk(strict);
    EXPECT_EQ(talk.Client(Hello("good.test", hidden)).substr(0, 42),
              "refused: its ClientHello may hide another ");
  }
}

// Servers pass over them on their way to the ClientHello.
TEST(ClientSide, ARecordBehindACommandForTlsIsTheBeginningOfTls) {
  for (const std::string& before :
       {Record(21, "\x01\x5a"), Record(20, "\x01"), Record(23, "x"), Record(22, ""), Record('c', "x"),
        std::string("\0\r", 2) + Record(21, "\x01\x5a")}) {
    Talk talk;
    EXPECT_EQ(talk.Server("220 mail.test\r\n"), "");
    EXPECT_EQ(talk.Client("STARTTLS\r\n"), "STARTTLS\r\n");
    EXPECT_EQ(talk.Client(before + Hello("evil.test")), "refused: its TLS is malformed");
  }
}

TEST(ClientSide, ARequestInACommandOfRedisIsNone) {
  Talk talk;
  EXPECT_EQ(talk.Client("*1\r\n$35\r\nGET / HTTP/1.1\r\nHost: evil.test\r\n\r\n\r\n"),
            "refused: its HTTP request is malformed");
}

TEST(ClientSide, AnEmptyOpeningMayEnd) {
  Talk talk;
  EXPECT_EQ(talk.End(), "");
}

TEST(ClientSide, SshIsAnsweredInSsh) {
  Talk talk;
  EXPECT_EQ(talk.Client("SSH-2.0-x\r\nkeys"), "SSH-2.0-x\r\n");
  EXPECT_EQ(talk.Server("SSH-2.0-y\r\n"), "keys");
  EXPECT_TRUE(talk.Free());
  Talk other;
  EXPECT_EQ(other.Client("SSH-2.0-x\r\nGET / HTTP/1.1\r\nHost: evil.test\r\n\r\n"), "SSH-2.0-x\r\n");
  EXPECT_EQ(other.Server("HTTP/1.1 400 Bad Request\r\n"), kStrange);
}

TEST(ClientSide, AServerThatGreetsIsSpokenToFreely) {
  for (const std::string& greeting :
       {std::string("SSH-2.0-y\r\n"), std::string("RFB 003.008\n"), std::string("@RSYNCD: 31.0\n")}) {
    Talk talk;
    EXPECT_EQ(talk.Server(greeting), "");
    EXPECT_EQ(talk.Client("anything"), "anything") << greeting;
  }
  Talk talk;
  EXPECT_EQ(talk.Server("hello\r\n"), "");
  EXPECT_EQ(talk.Client("anything\r\n"),
            "refused: its first bytes are of no protocol that the gateway can check");
}

// Whatever the client opened with, and before any of it reaches the client.
TEST(ClientSide, TheServersFirstBytesAreOfTheProtocolThatTheClientOpened) {
  const std::string get = "GET / HTTP/1.1\r\nHost: good.test\r\n\r\n";
  const std::string post = "FOO / HTTP/1.1\r\nHost: good.test\r\nContent-Length: 99999999\r\n\r\n";
  const std::vector<std::string> others = {
      "220 ProFTPD\r\n", "* OK IMAP4rev1\r\n", "SSH-2.0-y\r\n", "2", "HTTP/2.0 200\r\n",
      "HTTP/1x",         "RFB 003.008\n",      "ICY 200 OK\r\n"};
  for (const bool strict : {false, true}) {
    for (const std::string& answer : others) {
      for (const std::string& head : {get, post, Asks(), kConnect}) {
        Talk talk(strict);
        EXPECT_EQ(talk.Client(head), head);
        EXPECT_EQ(talk.Server(answer), kStrange) << head << answer;
      }
      Talk tls(strict);
      EXPECT_EQ(tls.Client(Hello("good.test")), Hello("good.test"));
      EXPECT_EQ(tls.Server(answer), kStrange) << answer;
    }
    for (const std::string& answer :
         {Record(21, "\x02\x28"), Record(21, "\x01\x5a") + ServerHello(kPlain), ServerHello(kPlain)}) {
      Talk http(strict);
      EXPECT_EQ(http.Client(get), get);
      EXPECT_EQ(http.Server(answer), kStrange);
      Talk tls(strict);
      EXPECT_EQ(tls.Client(Hello("good.test")), Hello("good.test"));
      for (const char c : answer) EXPECT_EQ(tls.Server({&c, 1}), "");
    }
    // What a client wrote comes back at the beginning of an answer: the tag of a line of IMAP.
    for (const std::string& answer : {Hello("good.test"), Record(22, "\x02 BAD"), Record(21, "x"),
                                      Record(20, "\1"), Record(23, "x"), "\x15\x03\x03 BAD"s, "\x16\x02"s}) {
      Talk tls(strict);
      EXPECT_EQ(tls.Client(Hello("good.test")), Hello("good.test"));
      EXPECT_EQ(tls.Server(answer), kStrange) << testing::PrintToString(answer);
    }
    Talk upload(strict);
    EXPECT_EQ(upload.Client(post), post);
    EXPECT_EQ(upload.Client("HOST evil.test\r\n"), "HOST evil.test\r\n");
    EXPECT_EQ(upload.Server("HTT"), "");
    EXPECT_EQ(upload.Server("P/1.1 413 x\r\n"), "");
    EXPECT_EQ(upload.Client("more"), "more");
  }
}

// A line protocol in which the client writes records of TLS before any command for it, or behind one that the
// server did not understand.
TEST(ClientSide, TlsInsideAnotherProtocolBeginsWhenTheServerAnswersInIt) {
  const std::string alert = Record(21, "\x01\x5a");
  for (const bool strict : {false, true}) {
    for (const std::string greeting :
         {"220 ready\r\n", "220 mail ESMTP\r\n", "* OK IMAP4rev1\r\n", "+OK\r\n"}) {
      for (const std::string before : {"NOOP tls\r\n", "NOOP\r\n", "NOOP "}) {
        const auto hello = [&](Talk& talk) {
          EXPECT_EQ(talk.Server(greeting + std::string(100, 'x')), "");
          EXPECT_EQ(talk.Client(before), before);
          EXPECT_EQ(talk.Client(Hello("good.test")), Hello("good.test"));
        };
        for (const std::string& more :
             {Record(22, "\x0e\x01\x02\x03"), Hello("evil.test"), alert, Record(20, "\1"), Record(23, "x")}) {
          Talk talk(strict);
          hello(talk);
          EXPECT_EQ(talk.Client(more), "");
          EXPECT_FALSE(talk.Free());
          EXPECT_EQ(talk.Server("500 what?\r\n"), kStrange);
        }
        Talk lines(strict);
        hello(lines);
        EXPECT_THAT(lines.Client("\r\nHOST evil.test\r\n"), testing::StartsWith("refused"));
        Talk tls(strict);
        hello(tls);
        EXPECT_EQ(tls.Client(Record(22, "\x10more")), "");
        EXPECT_EQ(tls.Server(ServerHello(kPlain)), Record(22, "\x10more"));
        EXPECT_TRUE(tls.Free());
        Talk again(strict);
        hello(again);
        EXPECT_EQ(again.Server(ServerHello(kRetry)), "");
        EXPECT_EQ(again.Client(Record(20, "\1") + Hello("evil.test")), kOther);
      }
    }
  }
  // Behind the command for TLS in the same bytes.
  Talk pieces;
  EXPECT_EQ(pieces.Server("220 ready\r\n"), "");
  EXPECT_EQ(pieces.Client("HOST evil.test\r\nNOOP tls\r\n" + Hello("good.test")),
            "refused: it asks for evil.test in a protocol that the gateway cannot check");
}

// Where what is unknown passes.
TEST(ClientSide, AGreetingBehindAClientHelloInAnUnknownOpeningIsThatOfItsLines) {
  const std::string other = "refused: it asks for evil.test in a protocol that the gateway cannot check";
  const std::string open = "X\r\n" + Hello("good.test") + "\r\n";
  Talk talk(false);
  EXPECT_EQ(talk.Client(open), open);
  EXPECT_EQ(talk.Server("220 ready\r\n"), "");
  EXPECT_EQ(talk.Client("HOST evil.test\r\n"), other);
  Talk early(false);
  EXPECT_EQ(early.Client("X\r\nHOST evil.test\r\n"), "X\r\nHOST evil.test\r\n");
  EXPECT_EQ(early.Server("220 ready\r\n"),
            "refused: it asks for evil.test in a protocol that the gateway cannot check");
  Talk mail(false);
  EXPECT_EQ(mail.Client("X\r\nHOST evil.test\r\n"), "X\r\nHOST evil.test\r\n");
  EXPECT_EQ(mail.Server("220 mx ESMTP\r\n"), "");
}

// A server of another protocol reads over the rest.
TEST(ClientSide, NoLineInAnOpeningAsksForAHost) {
  const std::string names = "refused: it names a host in a protocol that the gateway cannot check";
  const auto padded = [](const std::string& line) {
    return Hello("good.test", std::string("\0\x15", 2) + Counted(2, line));
  };
  for (const std::string line : {"\r\nHOST evil.test\r\n", "\nhost evil.test\r",
                                 "\r\n \tHost\v:evil.test\r\n", "\nHO\xff\xf1ST evil.test\n",
                                 "\nHO\xff\xfbxST evil.test\n", "\nA http://evil.test/ HTTP/1.0\r\n\r\n"}) {
    for (const bool strict : {false, true}) EXPECT_EQ(Talk(strict).Client(padded(line)), names) << line;
    Talk later;
    EXPECT_EQ(later.Server("220 ready\r\n"), "");
    EXPECT_EQ(later.Client("AUTH TLS\r\n"), "AUTH TLS\r\n");
    EXPECT_EQ(later.Client(padded(line)), names);
    Talk early;
    EXPECT_EQ(early.Client(Hello("good.test", kEarlyData)), Hello("good.test", kEarlyData));
    EXPECT_EQ(early.Client(Record(23, line)), names);
  }
  for (const std::string line : {"\x0chttp/1.1", "\r\nhosts\r\n", "\nhttp/1.1\x02h2", "\r\n://", "\rGET /\n"})
    EXPECT_EQ(Talk().Client(padded(line)), padded(line)) << line;
  for (const std::string& record : {Record(21, "\r\nHOST x"), Record(20, "\r\n"), "\x14\x0a\x03\0\1x"s})
    EXPECT_EQ(Talk().Client(Hello("good.test") + record), "refused: its TLS is malformed");
  for (const std::string line : {"HOST evil.test", "x\nGET /", "x\r POST\t/"}) {
    const std::string command = "*1\r\n$" + std::to_string(line.size()) + "\r\n" + line + "\r\n";
    EXPECT_THAT(Talk().Client(command), testing::StartsWith("refused")) << line;
  }
  for (const std::string line : {"host", "host:1", "GET", "x/y"}) {
    const std::string command = "*1\r\n$" + std::to_string(line.size()) + "\r\n" + line + "\r\n";
    EXPECT_EQ(Talk().Client(command), command) << line;
  }
  const std::string cancel = Counted(4, "").substr(0, 3) + "\x1c\x04\xd2\x16\x2e" + "pid_\r\nHOST evil\n";
  EXPECT_THAT(Talk().Client(cancel + "...."), testing::StartsWith("refused"));
}

// The kernel holds the rest, and stops the client.
TEST(ClientSide, WhatWaitsForTheServerIsBounded) {
  const std::string get = "GET / HTTP/1.1\r\nHost: good.test\r\n\r\n";
  const std::string expects =
      "PUT / HTTP/1.1\r\nHost: good.test\r\nExpect: 100-continue\r\nContent-Length: 999999\r\n\r\n";
  const std::string ssl("\0\0\0\x08\x04\xd2\x16\x2f", 8);
  for (const std::string& opening : {Asks(), kConnect, expects, "*1\r\n$4\r\nPING\r\n"s, Hello("good.test"),
                                     "SSH-2.0-x\r\n"s, ssl, get + Asks()}) {
    Talk talk;
    talk.Client(opening);
    EXPECT_FALSE(talk.Full()) << opening;
    EXPECT_EQ(talk.Client("\x16\x03\x03\xff\xff" + std::string(kMaxFirstBytes, 'x')), "") << opening;
    EXPECT_TRUE(talk.Full()) << opening;
  }
  Talk body;
  EXPECT_FALSE(body.Client(expects).empty());
  EXPECT_EQ(body.Client(std::string(kMaxFirstBytes, 'x')), "");
  EXPECT_TRUE(body.Full());
  EXPECT_EQ(body.Server("HTTP/1.1 100 Continue\r\n\r\n").size(), kMaxFirstBytes);
  EXPECT_FALSE(body.Full());
}

// What a server answers to a request may begin with whatever the client wants.
TEST(ClientSide, NoTlsBehindRequests) {
  const std::string get = "GET / HTTP/1.1\r\nHost: good.test\r\n\r\n";
  for (const bool strict : {false, true}) {
    Talk talk(strict);
    EXPECT_EQ(talk.Client(get), get);
    EXPECT_EQ(talk.Client(Hello("good.test")), "refused: it changes its protocol");
  }
}

// RFC 7151.
TEST(ClientSide, AnotherHostOfAnFtpServerIsJudged) {
  const std::string other = "refused: it asks for evil.test in a protocol that the gateway cannot check";
  const std::string strange = "refused: it names a host in a protocol that the gateway cannot check";
  const auto said = [](const std::string& greeting, const std::string& line) {
    Talk talk;
    EXPECT_EQ(talk.Server(greeting), "");
    EXPECT_EQ(talk.Client("NOOP\r\n"), "NOOP\r\n");
    return talk.Client(line);
  };
  for (const std::string greeting : {"220 ready\r\n", "220-ready\r\n220 now\r\n"}) {
    for (const std::string line : {"HOST evil.test\r\n", " host\tevil.test\n", "SYST\r\nHost evil.test\r",
                                   "NOOP\rHOST evil.test\n", "x\xff\xf2\r\nHOST good.test evil.test\r\n"})
      EXPECT_EQ(said(greeting, line), line[0] == 'x' ? strange : other) << testing::PrintToString(line);
    for (const std::string& line : std::vector<std::string>{
             "HOST\r\n", "HO\xff\xf1ST evil.test\r\n", "HO"s + '\0' + "ST evil.test\r\n",
             "HOST good.test\xff\xf1.evil.test\r\n", "\xff\xfb HOST evil.test\r\n", "HOST \"good.test\"\r\n",
             "HOST go\\od.test\r\n", "HOST ev\"il.test\r\n", "HOST good.test evil.test\r\n",
             "HOST good.test:21\r\n", "HOST [good.test]\r\n", "HOST [192.0.2.1]\r\n", "HOST good.test/\r\n"})
      EXPECT_EQ(said(greeting, line), strange) << testing::PrintToString(line);
    for (const std::string line :
         {"HOST good.test\r\n", "host \t GOOD.test. \n", "USER host\r\n", "STOR HOST evil.test\r\n",
          "\xff\xf4\xff\xf2"
          "ABOR\r\n",
          "RETR \xff\r\n"})
      EXPECT_EQ(said(greeting, line), line) << testing::PrintToString(line);
  }
  Talk pieces;
  EXPECT_EQ(pieces.Server("220 ready\r\n"), "");
  EXPECT_EQ(pieces.Client("HOST ev"), "HOST ev");
  EXPECT_EQ(pieces.Client("il.test"), "il.test");
  EXPECT_EQ(pieces.Client("\r\n"), other);
  // Lines of a mail are its own; what a server of FTP repeats is not its greeting.
  EXPECT_EQ(said("220 mx.test ESMTP\r\n", "HOST evil.test\r\n"), "HOST evil.test\r\n");
  Talk repeats;
  EXPECT_EQ(repeats.Server("220 ready\r\n"), "");
  EXPECT_EQ(repeats.Client("SMTP\r\n"), "SMTP\r\n");
  EXPECT_EQ(repeats.Server("500 SMTP?\r\n"), "");
  EXPECT_EQ(repeats.Client("HOST evil.test\r\n"), other);
}

TEST(ClientSide, TlsThatBeginsLaterIsJudged) {
  for (const std::string greeting : {"220 mail ESMTP\r\n", "+OK\r\n", "* OK IMAP4rev1\r\n", "200 news\r\n"}) {
    for (const std::string command :
         {"STARTTLS\r\n", "a StartTLS\r\n", "STLS\r\n", "AUTH TLS\r\n", "AUTH SSL\n"}) {
      Talk talk;
      EXPECT_EQ(talk.Server(greeting), "");
      EXPECT_EQ(talk.Client("HELO x\r\n"), "HELO x\r\n");
      EXPECT_EQ(talk.Client(command), command);
      EXPECT_EQ(talk.Client(Hello("good.test")), Hello("good.test"));
      Talk without;
      EXPECT_EQ(without.Server(greeting), "");
      EXPECT_EQ(without.Client(command + Hello("")), command + Hello(""));
      Talk other;
      EXPECT_EQ(other.Server(greeting), "");
      EXPECT_EQ(other.Client(command), command);
      EXPECT_EQ(other.Client(Hello("evil.test")), "refused: it opens with the name evil.test");
    }
  }
}

TEST(ClientSide, PostgresAsksForTls) {
  const std::string ssl("\0\0\0\x08\x04\xd2\x16\x2f", 8);
  const std::string startup("\0\0\0\x11\0\3\0\0user\0me\0\0", 17);
  Talk talk;
  EXPECT_EQ(talk.Client(ssl), ssl);
  EXPECT_EQ(talk.Client(Hello("good.test")), "");
  EXPECT_EQ(talk.Server("S"), Hello("good.test"));
  Talk other;
  EXPECT_EQ(other.Client(ssl), ssl);
  EXPECT_EQ(other.Server("S"), "");
  EXPECT_EQ(other.Client(Hello("evil.test")), "refused: a later request is for the name evil.test");
  Talk plain;
  EXPECT_EQ(plain.Client(ssl), ssl);
  EXPECT_EQ(plain.Server("N"), "");
  EXPECT_EQ(plain.Client(startup), startup);
  EXPECT_EQ(plain.Client("query"), "");
  EXPECT_EQ(plain.Server(std::string("R\0", 2)), "query");
  Talk http;
  EXPECT_EQ(http.Client(startup), startup);
  EXPECT_EQ(http.Client("\nGET http://evil.test/\r\n"), "");
  EXPECT_EQ(http.Server("HTTP/1.1 400 Bad Request"), kStrange);
  Talk direct;
  EXPECT_EQ(direct.Client(startup + "x"), startup);
  EXPECT_EQ(direct.Server("R"), "");
  EXPECT_EQ(direct.Server(std::string(1, '\0')), "x");
}

TEST(ClientSide, MysqlSaysWhetherTlsFollows) {
  const std::string greeting(
      "\x4a\0\0\0\x0a"
      "8.0.36\0",
      12);
  const std::string ssl = std::string("\x04\0\0\1\0\x08\0\0", 8);
  const std::string plain = std::string("\x04\0\0\1\0\0\0\0", 8);
  Talk talk;
  EXPECT_EQ(talk.Server(greeting), "");
  EXPECT_EQ(talk.Client(ssl + Hello("")), ssl + Hello(""));
  Talk other;
  EXPECT_EQ(other.Server(greeting), "");
  EXPECT_EQ(other.Client(ssl), ssl);
  EXPECT_EQ(other.Client(Hello("evil.test")), "refused: it opens with the name evil.test");
  Talk without;
  EXPECT_EQ(without.Server(greeting), "");
  EXPECT_EQ(without.Client(plain + "x"), plain + "x");
}

TEST(ClientSide, ASecondClientHelloIsJudged) {
  Talk talk;
  EXPECT_EQ(talk.Client(Hello("good.test")), Hello("good.test"));
  EXPECT_EQ(talk.Server(ServerHello(kRetry)), "");
  EXPECT_EQ(talk.Client(Record(20, "\1") + Hello("evil.test")), std::string(kOther));
  Talk early;
  EXPECT_EQ(early.Client(Hello("good.test", kEarlyData) + Record(23, "0-RTT")).size(),
            (Hello("good.test", kEarlyData) + Record(23, "0-RTT")).size());
  EXPECT_EQ(early.Server(ServerHello(kRetry)), "");
  EXPECT_EQ(early.Client(Hello("evil.test")), std::string(kOther));
  Talk plain;
  EXPECT_EQ(plain.Client(Hello("good.test")).size(), Hello("good.test").size());
  EXPECT_EQ(plain.Server(ServerHello(kPlain)), "");
  EXPECT_EQ(plain.Client(Record(20, "\1") + Record(22, "\1 encrypted")),
            Record(20, "\1") + Record(22, "\1 encrypted"));
  EXPECT_TRUE(plain.Free());
  Talk warned;
  EXPECT_EQ(warned.Client(Hello("good.test")).size(), Hello("good.test").size());
  EXPECT_EQ(warned.Server(Record(21, "\1\x70") + ServerHello(kPlain)), "");
  EXPECT_TRUE(warned.Free());
}

TEST(ClientSide, AServerThatSpeaksNoTlsHearsNoMore) {
  Talk talk;
  EXPECT_EQ(talk.Client(Hello("good.test")).size(), Hello("good.test").size());
  EXPECT_EQ(talk.Server("HTTP/1.1 400 Bad Request\r\n"), kStrange);
}

TEST(ClientSide, AWebSocketIsAgreedTo) {
  const std::string ask = Asks();
  Talk talk;
  EXPECT_EQ(talk.Client(ask + "\x81\x80mask"), ask);
  const std::string agrees = Agrees();
  for (std::size_t i = 0; i + 1 < agrees.size(); ++i) EXPECT_EQ(talk.Server(agrees.substr(i, 1)), "");
  EXPECT_EQ(talk.Server("\n"), "\x81\x80mask");
  EXPECT_TRUE(talk.Free());
  Talk other;
  EXPECT_EQ(other.Client(ask + "GET / HTTP/1.1\r\nHost: evil.test\r\n\r\n"), ask);
  EXPECT_EQ(other.Server("HTTP/1.1 200 OK\r\n"), kOther);
}

// A server that answers 101 to what asks for no WebSocket, or means another protocol, reads requests on.
TEST(ClientSide, WhatIsNoHandshakeOfAWebSocketIsReadOn) {
  const std::string evil = "GET / HTTP/1.1\r\nHost: evil.test\r\n\r\n";
  for (const std::string& ask :
       {Asks("POST / HTTP/1.1"), Asks("GET / HTTP/1.0"), Asks("GET / HTTP/1.1", ""),
        Asks("GET / HTTP/1.1", "Connection: close"), Asks("GET / HTTP/1.1", "Connection: Upgrade", ""),
        Asks("GET / HTTP/1.1", "Connection: Upgrade", "Upgrade: h2c"),
        Asks("GET / HTTP/1.1", "Connection: Upgrade", "Upgrade: websocket", ""),
        Asks("GET / HTTP/1.1", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Key: x"),
        Asks("GET / HTTP/1.1", "Content-Length: 0\r\nConnection: Upgrade")}) {
    Talk talk;
    EXPECT_EQ(talk.Client(ask), ask);
    EXPECT_EQ(talk.Server(Agrees()), "");
    EXPECT_EQ(talk.Client(evil), kOther) << ask;
  }
  const std::string ask = Asks();
  for (const std::string& answer :
       {Agrees("HTTP/1.1 200 OK"), Agrees("HTTP/1.0 101 x"), Agrees("HTTP/1.1 1010 x"),
        Agrees("HTTP/1.1 101 x", ""), Agrees("HTTP/1.1 101 x", "Connection: close"),
        Agrees("HTTP/1.1 101 x", "Connection: Upgrade", ""),
        Agrees("HTTP/1.1 101 x", "Connection: Upgrade", "Upgrade: h2c"),
        Agrees("HTTP/1.1 101 x", "Connection: Upgrade", "Upgrade: websocket", ""),
        Agrees("HTTP/1.1 101 x", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Accept: x"),
        "HTTP/1.1 101 x\r\nX: " + std::string(20000, 'x')}) {
    Talk talk;
    EXPECT_EQ(talk.Client(ask), ask);
    EXPECT_EQ(talk.Server(answer), "");
    EXPECT_EQ(talk.Client(evil), kOther) << answer;
  }
  Talk early;
  EXPECT_EQ(early.Server(Agrees().substr(0, 20)), "");
  EXPECT_EQ(early.Client(ask), ask);
  EXPECT_EQ(early.Server(Agrees().substr(20)), "");
  EXPECT_EQ(early.Client(evil), kOther);
}

// On a connection of its own: what the answers before it hold could be taken for a 101.
TEST(ClientSide, AWebSocketBehindARequestIsAskedForElsewhere) {
  const std::string get = "GET / HTTP/1.1\r\nHost: good.test\r\n\r\n";
  const std::string ask = Asks();
  const std::string evil = "GET / HTTP/1.1\r\nHost: evil.test\r\n\r\n";
  Talk talk;
  EXPECT_EQ(talk.Client(get), get);
  EXPECT_EQ(talk.Server("HTTP/1.1 200 OK\r\n\r\n"), "");
  EXPECT_EQ(talk.Client(ask), "");
  EXPECT_TRUE(talk.Waits());
  EXPECT_EQ(talk.Server(Agrees()), "");
  EXPECT_EQ(talk.Client("\x81\x80mask"), "");
  EXPECT_EQ(talk.AnotherServer(), ask);
  EXPECT_FALSE(talk.Free());
  EXPECT_EQ(talk.Server(Agrees()), "\x81\x80mask");
  EXPECT_TRUE(talk.Free());
  Talk declined;
  EXPECT_EQ(declined.Client(get), get);
  EXPECT_EQ(declined.Client(ask), "");
  EXPECT_EQ(declined.AnotherServer(), ask);
  EXPECT_EQ(declined.Server("HTTP/1.1 200 OK\r\n"), "");
  EXPECT_EQ(declined.Client(get), get);
  EXPECT_EQ(declined.Client(ask), "");
  EXPECT_TRUE(declined.Waits());
  EXPECT_EQ(declined.AnotherServer(), ask);
  EXPECT_EQ(declined.Client(evil), "");
  EXPECT_EQ(declined.Server("HTTP/1.1 403 Forbidden\r\n"), kOther);
}

TEST(ClientSide, WhatIsSaidThroughATunnelIsJudged) {
  Talk talk;
  EXPECT_EQ(talk.Client(kConnect + Hello("good.test")), kConnect);
  EXPECT_EQ(talk.Server("HTTP/1.0 2"), "");
  EXPECT_EQ(talk.Server("00 x\r\n\r\n"), Hello("good.test"));
  Talk other;
  EXPECT_EQ(other.Client(kConnect), kConnect);
  EXPECT_EQ(other.Server(kAgreed), "");
  EXPECT_EQ(other.Client(Hello("evil.test")), kOther);
  Talk again;
  EXPECT_EQ(again.Client(kConnect), kConnect);
  EXPECT_EQ(again.Server(kAgreed), "");
  EXPECT_EQ(again.Client(Hello("good.test")), Hello("good.test"));
  EXPECT_EQ(again.Server(ServerHello(kRetry)), "");
  EXPECT_EQ(again.Client(Hello("evil.test")), kOther);
  Talk plain;
  EXPECT_EQ(plain.Client(kConnect), kConnect);
  EXPECT_EQ(plain.Server(kAgreed), "");
  const std::string get = "GET / HTTP/1.1\r\nHost: good.test\r\n\r\n";
  EXPECT_EQ(plain.Client(get + get), get + get);
  EXPECT_EQ(plain.Client("GET / HTTP/1.1\r\nHost: evil.test\r\n\r\n"), kOther);
  Talk socks;
  EXPECT_EQ(socks.Client(kConnect), kConnect);
  EXPECT_EQ(socks.Server(kAgreed), "");
  EXPECT_TRUE(socks.Client(std::string("\x05\x02\0\2", 4)).starts_with("refused"));
}

// The server behind the tunnel has to speak it, too.
TEST(ClientSide, ProtocolsThroughATunnelAreAnswered) {
  const std::string ssh = "SSH-2.0-x\r\nkeys";
  Talk talk;
  EXPECT_EQ(talk.Client(kConnect + ssh), kConnect);
  EXPECT_EQ(talk.Server(kAgreed), "SSH-2.0-x\r\n");
  EXPECT_EQ(talk.Server("SSH-2.0-y\r\n"), "keys");
  EXPECT_TRUE(talk.Free());
  Talk strange;
  EXPECT_EQ(strange.Client(kConnect + ssh), kConnect);
  EXPECT_EQ(strange.Server(kAgreed + "HTTP/1.1 400 Bad\r\n"), kStrange);
}

// A proxy that declines may be any server, and where its answer ends is not known. An answer whose end is
// announced declines as well (RFC 9110, 9.3.6): a server that is no proxy gives it, and reads requests on.
TEST(ClientSide, ADeclinedConnectOpensNoTunnel) {
  const std::string ssh = "SSH-2.0-x\r\nkeys";
  const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const std::string& declines :
       {"HTTP/1.1 407 x\r\nContent-Length: 0\r\n\r\n"s, chunked,
        "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n"s, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"s,
        "HTTP/1.1 200 OK\r\nX: y\r\n z\r\n\r\n"s, "HTTP/1.1 204 No Content\r\n\r\n"s,
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"s}) {
    Talk declined;
    EXPECT_EQ(declined.Client(kConnect), kConnect);
    EXPECT_EQ(declined.Server(declines), "") << declines;
    EXPECT_EQ(declined.Client(Hello("good.test")), Hello("good.test")) << declines;
    Talk again;
    EXPECT_EQ(again.Client(kConnect), kConnect);
    EXPECT_EQ(again.Server(declines), "") << declines;
    EXPECT_EQ(again.Client(kConnect), "") << declines;
    EXPECT_TRUE(again.Waits()) << declines;
    EXPECT_EQ(again.AnotherServer(), kConnect) << declines;
    EXPECT_EQ(again.Server(kAgreed), "") << declines;
    EXPECT_EQ(again.Client(ssh), "SSH-2.0-x\r\n") << declines;
    Talk unheard;
    EXPECT_EQ(unheard.Client(kConnect), kConnect);
    EXPECT_EQ(unheard.Server(declines), "") << declines;
    EXPECT_TRUE(
        unheard.Client(ssh).ends_with("refused: what the server answers to its protocol cannot be told"))
        << declines;
    // Its answer could hold the server's agreement.
    Talk socket;
    EXPECT_EQ(socket.Client(kConnect + Asks()), kConnect);
    EXPECT_EQ(socket.Server(declines), "") << declines;
    EXPECT_TRUE(socket.Waits()) << declines;
    EXPECT_EQ(socket.Server(Agrees()), "") << declines;
    EXPECT_FALSE(socket.Free()) << declines;
  }
}

// What the server says before it can have read the request is no answer to it.
TEST(ClientSide, WordsUnderWayAnswerNothing) {
  const std::string expects =
      "PUT / HTTP/1.1\r\nHost: good.test\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n";
  Talk talk;
  EXPECT_EQ(talk.Client(kConnect), kConnect);
  EXPECT_EQ(talk.Server(kAgreed + "HTTP/1.1 100 Continue\r\n\r\n"), "");
  EXPECT_EQ(talk.Client(expects), expects);
  EXPECT_EQ(talk.Client("GET"), "refused: it sends a body that the server has not asked for");
  Talk socket;
  EXPECT_EQ(socket.Client(kConnect), kConnect);
  EXPECT_EQ(socket.Server(kAgreed + Agrees()), "");
  EXPECT_EQ(socket.Client(Asks()), Asks());
  EXPECT_FALSE(socket.Free());
}

// No other connection leads to the server behind a tunnel.
TEST(ClientSide, AWebSocketThroughATunnel) {
  const std::string ask = Asks();
  Talk first;
  EXPECT_EQ(first.Client(kConnect), kConnect);
  EXPECT_EQ(first.Server(kAgreed), "");
  EXPECT_EQ(first.Client(ask), ask);
  EXPECT_EQ(first.Server(Agrees()), "");
  EXPECT_TRUE(first.Free());
  Talk later;
  EXPECT_EQ(later.Client(kConnect), kConnect);
  EXPECT_EQ(later.Server(kAgreed), "");
  const std::string get = "GET / HTTP/1.1\r\nHost: good.test\r\n\r\n";
  EXPECT_EQ(later.Client(get), get);
  EXPECT_EQ(later.Client(ask), ask);
  EXPECT_FALSE(later.Waits());
  later.Server("HTTP/1.1 200 OK\r\n\r\n" + Agrees());
  EXPECT_FALSE(later.Free());
}

}  // namespace
}  // namespace mxc::egress::client_side_test
