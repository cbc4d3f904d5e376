// What a client may say after it has been recognised, and what has to come from the server first.
#include "gateway/inspect/client_side.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/support/client_talk.h"

namespace mxc::egress::client_side_test {
namespace {

using namespace std::string_literals;  // NOLINT(google-build-using-namespace)

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

TEST(ClientSide, AClientHelloThatHidesAnotherIsRefusedEverywhere) {
  const std::string hidden = "\xfe\x0d" + test::Counted(2, "x");
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
      for (const std::string& head : {get, post, Asks(), kConnectHead}) {
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
    return Hello("good.test", std::string("\0\x15", 2) + test::Counted(2, line));
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
  const std::string cancel =
      test::Counted(4, "").substr(0, 3) + "\x1c\x04\xd2\x16\x2e" + "pid_\r\nHOST evil\n";
  EXPECT_THAT(Talk().Client(cancel + "...."), testing::StartsWith("refused"));
}

// The kernel holds the rest, and stops the client.
// Each byte is read once, in whatever pieces it comes: the work must not grow with what came before in a
// line.
TEST(ClientSide, AnyNumberOfSmallRecordsMayFollowAClientHello) {
  constexpr std::size_t kRecords = 100000;
  const std::string record = Record(20, "\x01");
  std::string records;
  for (std::size_t i = 0; i < kRecords; ++i) records += record;
  Talk talk;
  (void)talk.Client(Hello("good.test"));
  EXPECT_EQ(talk.Client(records), records);
}

TEST(ClientSide, HiddenLinesAreFoundInWhateverPieces) {
  using namespace std::string_literals;
  const auto finds = [](const std::string& text) {
    HiddenLines whole;
    HiddenLines pieces;
    bool found = false;
    for (const char& byte : text) found = pieces.Feed(View({&byte, 1})) || found;
    EXPECT_EQ(whole.Feed(View(text)), found) << text;
    return found;
  };
  for (const std::string& text :
       {"x\nHOST a"s, "\0 host\t"s, "x\rHost:"s, "\xff\xfb\x01HO\xff\xf1ST a"s, "HO\xff\xff\xffST a"s,
        "get  http://a"s, "\r\nX.1 x://["s, "g\xff\xfdget x://a"s})
    EXPECT_TRUE(finds(text)) << text;
  for (const std::string& text :
       {"HOST"s, "xHOST a"s, "HOSTS a"s, "HO\nST a"s, "\xff\xfbHOST a"s, "get http://"s, "get http:/a"s,
        "get 1http://a"s, "http://a"s, "a b c://d"s})
    EXPECT_FALSE(finds(text)) << text;
}

TEST(ClientSide, WhatWaitsForTheServerIsBounded) {
  const std::string get = "GET / HTTP/1.1\r\nHost: good.test\r\n\r\n";
  const std::string expects =
      "PUT / HTTP/1.1\r\nHost: good.test\r\nExpect: 100-continue\r\nContent-Length: 999999\r\n\r\n";
  const std::string ssl("\0\0\0\x08\x04\xd2\x16\x2f", 8);
  for (const std::string& opening : {Asks(), kConnectHead, expects, "*1\r\n$4\r\nPING\r\n"s,
                                     Hello("good.test"), "SSH-2.0-x\r\n"s, ssl, get + Asks()}) {
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

}  // namespace
}  // namespace mxc::egress::client_side_test
