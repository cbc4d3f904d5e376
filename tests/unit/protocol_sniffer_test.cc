// What a connection's first bytes say about the host it is for.
#include "gateway/inspect/protocol_sniffer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/counted.h"

namespace mxc::egress::protocol_sniffer_test {
namespace {

using test::Counted;

using testing::ElementsAre;
using testing::IsEmpty;
using State = ProtocolSniffer::State;

ByteView View(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::string Extension(unsigned type, const std::string& content) {
  return std::string{static_cast<char>(type >> 8U), static_cast<char>(type)} + Counted(2, content);
}
std::string ServerName(const std::string& name) {
  return Extension(0, Counted(2, std::string(1, '\0') + Counted(2, name)));
}
std::string Hello(const std::string& extensions) {
  return "\x03\x03" + std::string(32, 'r') + Counted(1, "") + Counted(2, "\x13\x01") +
         Counted(1, std::string(1, '\0')) + Counted(2, extensions);
}
std::string Record(const std::string& fragment) { return "\x16\x03\x01" + Counted(2, fragment); }
std::string Message(const std::string& hello) { return "\x01" + Counted(3, hello); }
std::string Tls(const std::string& extensions) { return Record(Message(Hello(extensions))); }

// "done http a b", "more", "broken: why"
std::string Read(std::string_view bytes) {
  ProtocolSniffer opening;
  const State state = opening.Feed(View(bytes));
  if (state == State::kMore) return "more";
  if (state == State::kBroken) return "broken: " + std::string(opening.Problem());
  if (state == State::kUnknown) return "unknown";
  std::string text = "done";
  if (opening.Is() == ProtocolSniffer::Kind::kOther)
    text += " " + std::string(opening.Protocol().protocol->name);
  if (opening.Is() == ProtocolSniffer::Kind::kTls) text += " tls";
  if (opening.Is() == ProtocolSniffer::Kind::kHttp) text += " http";
  if (opening.Head().encrypted) text += " ech";
  for (const std::string& host : opening.Hosts()) text += " " + host;
  if (opening.Port() != 0) text += " at " + std::to_string(opening.Port());
  if (opening.Connects()) text += " by tunnel";
  return text;
}

// In any pieces, a head is done with its last byte and not before.
void ExpectSameInPieces(const std::string& head, const std::string& whole) {
  ProtocolSniffer opening;
  for (std::size_t i = 0; i + 1 < head.size(); ++i) {
    ASSERT_EQ(opening.Feed(View(std::string_view(head).substr(i, 1))), State::kMore) << i;
  }
  const State last = opening.Feed(View(std::string_view(head).substr(head.size() - 1)));
  EXPECT_EQ(last, whole.starts_with("broken") ? State::kBroken : State::kDone);
  EXPECT_EQ(Read(head), whole);
}

TEST(ProtocolSniffer, ReadsTheServerNameOfAClientHello) {
  ExpectSameInPieces(Tls(ServerName("Good.Test")), "done tls good.test");
  EXPECT_EQ(Read(Tls(Extension(16, Counted(2, "\x02h2")) + ServerName("a.test."))), "done tls a.test");
  EXPECT_EQ(Read(Tls("")), "done tls");
}

TEST(ProtocolSniffer, ReadsAClientHelloThatIsSpreadOverRecords) {
  const std::string message = Message(Hello(ServerName("good.test")));
  ExpectSameInPieces(
      Record(message.substr(0, 3)) + Record(message.substr(3, 40)) + Record(message.substr(43)),
      "done tls good.test");
}

TEST(ProtocolSniffer, SeesThatAClientHelloHidesAnother) {
  EXPECT_EQ(Read(Tls(ServerName("good.test") + Extension(0xfe0d, "x"))), "done tls ech good.test");
  for (const unsigned type :
       {0xffceU, 0xfe08U, 0xfe09U, 0xfe0aU, 0xff02U, 0xff03U, 0xff04U, 0xff08U, 0xfd00U, 0xda09U, 0xfe02U})
    EXPECT_EQ(Read(Tls(Extension(type, "x"))), "done tls ech") << type;
  for (const unsigned type : {0xfe0eU, 0xff01U, 0xdadaU})
    EXPECT_EQ(Read(Tls(Extension(type, "x"))), "done tls") << "another one, renegotiation_info, GREASE";
}

TEST(ProtocolSniffer, RefusesAClientHelloThatCanBeReadInTwoWays) {
  const std::string malformed = "broken: its ClientHello is malformed";
  EXPECT_EQ(Read(Tls(ServerName("a.test") + ServerName("b.test"))), malformed);
  EXPECT_EQ(Read(Tls(Extension(0, Counted(2, std::string(1, '\0') + Counted(2, "a.test") +
                                                 std::string(1, '\0') + Counted(2, "b.test"))))),
            malformed);
  EXPECT_EQ(Read(Tls(ServerName("203.0.113.1"))), malformed);
  EXPECT_EQ(Read(Tls(ServerName(std::string("a.test\0.b.test", 14)))), malformed);
  EXPECT_EQ(Read(Tls("\x01")), malformed);
  EXPECT_EQ(Read(Record(Message(Hello("") + "x"))), malformed);
  EXPECT_EQ(Read(Record(Message(Hello(ServerName("a.test"))) + Message(Hello(ServerName("b.test"))))),
            malformed);
  EXPECT_EQ(Read(Record("\x02" + Counted(3, "x"))), "broken: its first TLS message is no ClientHello");
  EXPECT_EQ(Read(Record("")), "broken: its TLS is malformed");
  EXPECT_EQ(Read("\x16\x03\x01\xff\xff"), "broken: its TLS is malformed");
  EXPECT_EQ(Read(Record("\x01\xff\xff\xff")), "broken: its ClientHello is too long");
}

// Servers pass over warnings (Go), changes of the cipher (GnuTLS), and at TLS 1.0 whatever they do not know.
TEST(ProtocolSniffer, RefusesWhatSomeServerPassesOver) {
  const std::string malformed = "broken: its TLS is malformed";
  const std::string hello = Tls(ServerName("b.test"));
  for (const std::string type : {"\x14", "\x15", "\x17", "\x18", "\x19", "\x1a", "\x01", "c"}) {
    const std::string record = type + "\x03\x01" + Counted(2, "\x01");
    EXPECT_EQ(Read(record), malformed) << type;
    EXPECT_EQ(Read(record + hello), malformed) << type;
  }
  EXPECT_EQ(Read("\x15\x02\x01\x01"), malformed);
  EXPECT_EQ(Read(std::string("\x15\x03\0\0\x0b", 5)), malformed);
  EXPECT_EQ(Read(Record("") + hello), malformed);
  for (const std::string& before :
       {std::string("\r\n"), std::string("\n"), std::string(3, '\0'), std::string("\t ")}) {
    EXPECT_EQ(Read(before), "more");
    EXPECT_EQ(Read(before + hello), malformed);
    EXPECT_EQ(Read(before + "\x15\x03\x01\x01\x01" + hello), malformed);
  }
  const std::string proxy = "broken: it opens with a header of the PROXY protocol, which hides what follows";
  EXPECT_EQ(Read("PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n"), proxy);
  EXPECT_EQ(Read(std::string("\r\n\r\n\0\r\nQUIT\n\x21\x11", 14)), proxy);
  EXPECT_EQ(Read("foo\r\nGET / HTTP/1.1\r\n"), "broken: its HTTP request is malformed");
}

// Some servers do not look at the version of a record.
TEST(ProtocolSniffer, RefusesATlsRecordOfAVersionThatNobodySends) {
  const std::string hello = Tls(ServerName("b.test")).substr(3);
  for (const std::string& version :
       {std::string("\x03\x05"), std::string("\x03\xff"), std::string("\x02\x00", 2), std::string("\x04\x01"),
        std::string("\x00\x00", 2), std::string("\x01\x03")}) {
    EXPECT_EQ(Read("\x16" + version + hello), "broken: its TLS is malformed");
  }
  std::string old_version = Tls(ServerName("b.test"));
  old_version[9] = '\x02';
  EXPECT_EQ(Read(old_version), "broken: its ClientHello is malformed");
  EXPECT_EQ(Read("\x80\x2e\x01\x03\x01rest"), "unknown");
}

TEST(ProtocolSniffer, ReadsTheHostOfAnHttpRequest) {
  ExpectSameInPieces("GET / HTTP/1.1\r\nAccept: */*\r\nhost: \tGood.Test:8080 \r\n\r\n",
                     "done http good.test");
  ExpectSameInPieces("\r\nGET / HTTP/1.1\r\nHost: good.test\r\n\r\n", "done http good.test");
  EXPECT_EQ(Read("POST http://a.test/x HTTP/1.1\r\nHost: b.test\r\n\r\nbody"),
            "done http a.test b.test at 80");
  EXPECT_EQ(Read("CONNECT a.test:443 HTTP/1.1\r\nHost: b.test:443\r\n\r\n"),
            "done http a.test b.test at 443 by tunnel");
  EXPECT_EQ(Read("GET / HTTP/1.0\r\n\r\n"), "done http");
  EXPECT_EQ(Read("GET / HTTP/1.1\r\nHost: 203.0.113.1:80\r\n\r\n"), "done http 203.0.113.1");
  EXPECT_EQ(Read("GET http://[2001:DB8:0::1]:80/ HTTP/1.1\r\nHost: [::1]\r\n\r\n"),
            "done http 2001:db8::1 ::1 at 80");
}

// The one that a proxy would dial. Behind Host it is only text: a server does not look at it.
TEST(ProtocolSniffer, ReadsThePortOfATarget) {
  const std::string rest = " HTTP/1.1\r\nHost: a.test:1\r\n\r\n";
  EXPECT_EQ(Read("GET /" + rest), "done http a.test");
  EXPECT_EQ(Read("GET http://a.test:8080/x:9" + rest), "done http a.test a.test at 8080");
  EXPECT_EQ(Read("GET http://a.test:" + rest), "done http a.test a.test at 80");
  EXPECT_EQ(Read("GET HTTPS://a.test/?x" + rest), "done http a.test a.test at 443");
  for (const char* odd : {"?x", "#@b.test/", "?@b.test/", "#"})
    EXPECT_EQ(Read("GET http://a.test" + std::string(odd) + rest), "broken: its HTTP request is malformed");
  EXPECT_EQ(Read("GET ws://a.test/" + rest), "done http a.test a.test at 80");
  EXPECT_EQ(Read("GET ftp://a.test:21/" + rest), "done http a.test a.test at 21");
  EXPECT_EQ(Read("connect [::1]:22" + rest), "done http ::1 a.test at 22 by tunnel");
  for (const std::string target :
       {"CONNECT a.test", "CONNECT a.test:", "CONNECT a.test:0", "CONNECT a.test:65536", "GET ftp://a.test/",
        "GET http://a.test:0/", "GET http://a.test:99999/"}) {
    EXPECT_EQ(Read(target + rest), "broken: its HTTP request is malformed") << target;
  }
}

TEST(ProtocolSniffer, RefusesAnHttpRequestThatCanBeReadInTwoWays) {
  const std::string malformed = "broken: its HTTP request is malformed";
  for (const std::string head : {
           "GET / HTTP/1.1\r\n\r\n",
           "GET / HTTP/1.1\r\nHost: a.test\r\nHost: b.test\r\n\r\n",
           "GET / HTTP/1.1\r\nHost : a.test\r\n\r\n",
           "GET / HTTP/1.1\r\nX: y\r\n Host: b.test\r\nHost: a.test\r\n\r\n",
           "GET / HTTP/1.1\r\nHost: a.test@b.test\r\n\r\n",
           "GET / HTTP/1.1\r\nHost: a%2etest\r\n\r\n",
           "GET / HTTP/1.1\r\nHost: 0313.0.113.0x1\r\n\r\n",
           "GET / HTTP/1.1\r\nHost: 3405803777\r\n\r\n",
           "GET / HTTP/1.1\r\nHost: 127.1\r\n\r\n",
           "GET / HTTP/1.1\r\nHost: ::1\r\n\r\n",
           "GET / HTTP/1.1\r\nHost: [127.0.0.1]\r\n\r\n",
           "GET / HTTP/1.1\r\nHost: [a.test]\r\n\r\n",
           "GET / HTTP/1.1\r\nHost: [::1\r\n\r\n",
           "GET / HTTP/1.1\r\nHost: [::1]x\r\n\r\n",
           "GET / HTTP/1.1\r\nHost: [fe80::1%25lo]\r\n\r\n",
           "POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n",
           "POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
           "POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: +1\r\n\r\n",
           "POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 1, 1\r\n\r\n",
           "POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length:\r\n\r\n",
           "POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 1000000000000000000\r\n\r\n",
           "POST / HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
           "POST / HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: xchunked\r\n\r\n",
           "POST / HTTP/1.0\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n",
           "CONNECT a.test:443 HTTP/1.1\r\nHost: a.test\r\nContent-Length: 1\r\n\r\n",
           "GET / HTTP/1.1\r\nHost: a.test\rHost: b.test\r\n\r\n",
           "GET  / HTTP/1.1\r\nHost: a.test\r\n\r\n",
           "GET /\t HTTP/1.1\r\nHost: a.test\r\n\r\n",
           "GET / HTTP/1.1 \r\nHost: a.test\r\n\r\n",
           "GET / http/1.1\r\nHost: a.test\r\n\r\n",
           "GET http://u@b.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n",
           "GET b.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n",
           "GET / HTTP/1.1\rHost: b.test\r\r",
           "GET / HTTP/1.1\nHost: b.test\n\n",
           "\nGET / HTTP/1.1\r\nHost: b.test\r\n\r\n",
           "GET\t/ HTTP/1.1\r\nHost: b.test\r\n\r\n",
           "GET\v/ HTTP/1.1\r\nHost: b.test\r\n\r\n",
           "GET\f/ HTTP/1.1\r\nHost: b.test\r\n\r\n",
           "GET\x85/ HTTP/1.1\r\nHost: b.test\r\n\r\n",
           "GET http://b.test/\r\n\r\n",
           "GET http://b.test/ \r\n\r\n",
           "GET http://b.test/ HTTP/0.9\r\n\r\n",
           "GET http://b.test/ HTTP/1\r\n\r\n",
           "GET http://b.test/ HTTP/1.2\r\nHost: a.test\r\n\r\n",
           "GET http://b.test/ HTTP/01.1\r\nHost: a.test\r\n\r\n",
           "GET / HTTP/1.1\r\nX: \x0bHost: b.test\r\nHost: a.test\r\n\r\n",
           "GET / HTTP/1.1\r\nHost: a.test\r\nUpgrade: websocket\r\nUpgrade: h2c\r\n\r\n",
           " GET / HTTP/1.1\r\nHost: b.test\r\n\r\n",
           "\r\n\tGET / HTTP/1.1\r\nHost: b.test\r\n\r\n",
           "\x1f\x85\xa0GET / HTTP/1.1\r\nHost: b.test\r\n\r\n",
       }) {
    EXPECT_EQ(Read(head), malformed) << head;
  }
  EXPECT_EQ(Read("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
            "broken: it speaks HTTP/2 without TLS, which cannot be checked");
}

TEST(ProtocolSniffer, AMethodMayHaveAnyLength) {
  EXPECT_EQ(Read(std::string(65, 'A') + " http://b.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n"),
            "done http b.test a.test at 80");
}

std::string_view Zeroed(std::string_view text) { return text; }

TEST(ProtocolSniffer, KnowsProtocolsWithoutVirtualHostsByTheirOpening) {
  ExpectSameInPieces("SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n", "done SSH");
  EXPECT_EQ(Read("SSH-2.0-Go\n"), "done SSH");
  ExpectSameInPieces(std::string("\0\0\0\x08\x04\xd2\x16\x2f", 8), "done PostgreSQL");
  ExpectSameInPieces(std::string("\0\0\0\x11\0\3\0\0user\0me\0\0", 17), "done PostgreSQL");
  ExpectSameInPieces("*1\r\n$4\r\nPING\r\n", "done Redis");
  ExpectSameInPieces(std::string("\x11\0\0\0\7\0\0\0\0\0\0\0\xdd\7\0\0x", 17), "done MongoDB");
}

// Neither a known protocol nor anything in which a server could find a host; or both.
TEST(ProtocolSniffer, RefusesWhatItDoesNotKnow) {
  const std::string path = " http://b.test/ HTTP/1.1\r\nHost: b.test\r\n\r\n";
  EXPECT_EQ(Read("SSH-2.0-x" + path), "done http b.test b.test at 80");
  EXPECT_EQ(Read("EHLO me\r\n"), "unknown");
  EXPECT_EQ(Read(Zeroed({"\0\0\0\x14\0\3\0\0a\nHost: b\0\0", 20})), "unknown");
  EXPECT_EQ(Read(Zeroed({"\0\0\0\x09\x04\xd2\x16\x2f", 8})), "unknown");
  EXPECT_EQ(Read("*1\r\n$4\r\nPINGS\r\n"), "unknown");
  EXPECT_EQ(Read(Zeroed({"\x05\x02\0\2", 4})), "unknown");  // SOCKS
  EXPECT_EQ(Read(Zeroed({"\x04\x01\0\x50\xcb\0\x71\1\0", 9})), "unknown");
  EXPECT_EQ(Read("\x12\x01\x01"), "unknown");
  EXPECT_EQ(Read("ping"), "more");
}

TEST(ProtocolSniffer, EndsWithWhatDoesNotEnd) {
  const std::string endless = "its first message does not end";
  EXPECT_EQ(Read("GET / HTTP/1.1\r\nX: " + std::string(kMaxFirstBytes, 'x')), "broken: " + endless);
  EXPECT_EQ(Read(std::string(kMaxFirstBytes + 1, 'x')), "broken: " + endless);
}

}  // namespace
}  // namespace mxc::egress::protocol_sniffer_test
