// What follows the head of an HTTP request: bodies, WebSockets and tunnels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "gateway/inspect/client_side.h"
#include "tests/support/client_talk.h"

namespace mxc::egress::client_side_http_test {
namespace {

using namespace std::string_literals;  // NOLINT(google-build-using-namespace)

const std::string kAgreed = "HTTP/1.1 200 Connection established\r\nVia: x\r\n\r\n";

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
  EXPECT_EQ(talk.Client(kConnectHead + Hello("good.test")), kConnectHead);
  EXPECT_EQ(talk.Server("HTTP/1.0 2"), "");
  EXPECT_EQ(talk.Server("00 x\r\n\r\n"), Hello("good.test"));
  Talk other;
  EXPECT_EQ(other.Client(kConnectHead), kConnectHead);
  EXPECT_EQ(other.Server(kAgreed), "");
  EXPECT_EQ(other.Client(Hello("evil.test")), kOther);
  Talk again;
  EXPECT_EQ(again.Client(kConnectHead), kConnectHead);
  EXPECT_EQ(again.Server(kAgreed), "");
  EXPECT_EQ(again.Client(Hello("good.test")), Hello("good.test"));
  EXPECT_EQ(again.Server(ServerHello(kRetry)), "");
  EXPECT_EQ(again.Client(Hello("evil.test")), kOther);
  Talk plain;
  EXPECT_EQ(plain.Client(kConnectHead), kConnectHead);
  EXPECT_EQ(plain.Server(kAgreed), "");
  const std::string get = "GET / HTTP/1.1\r\nHost: good.test\r\n\r\n";
  EXPECT_EQ(plain.Client(get + get), get + get);
  EXPECT_EQ(plain.Client("GET / HTTP/1.1\r\nHost: evil.test\r\n\r\n"), kOther);
  Talk socks;
  EXPECT_EQ(socks.Client(kConnectHead), kConnectHead);
  EXPECT_EQ(socks.Server(kAgreed), "");
  EXPECT_TRUE(socks.Client(std::string("\x05\x02\0\2", 4)).starts_with("refused"));
}

// The server behind the tunnel has to speak it, too.
TEST(ClientSide, ProtocolsThroughATunnelAreAnswered) {
  const std::string ssh = "SSH-2.0-x\r\nkeys";
  Talk talk;
  EXPECT_EQ(talk.Client(kConnectHead + ssh), kConnectHead);
  EXPECT_EQ(talk.Server(kAgreed), "SSH-2.0-x\r\n");
  EXPECT_EQ(talk.Server("SSH-2.0-y\r\n"), "keys");
  EXPECT_TRUE(talk.Free());
  Talk strange;
  EXPECT_EQ(strange.Client(kConnectHead + ssh), kConnectHead);
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
    EXPECT_EQ(declined.Client(kConnectHead), kConnectHead);
    EXPECT_EQ(declined.Server(declines), "") << declines;
    EXPECT_EQ(declined.Client(Hello("good.test")), Hello("good.test")) << declines;
    Talk again;
    EXPECT_EQ(again.Client(kConnectHead), kConnectHead);
    EXPECT_EQ(again.Server(declines), "") << declines;
    EXPECT_EQ(again.Client(kConnectHead), "") << declines;
    EXPECT_TRUE(again.Waits()) << declines;
    EXPECT_EQ(again.AnotherServer(), kConnectHead) << declines;
    EXPECT_EQ(again.Server(kAgreed), "") << declines;
    EXPECT_EQ(again.Client(ssh), "SSH-2.0-x\r\n") << declines;
    Talk unheard;
    EXPECT_EQ(unheard.Client(kConnectHead), kConnectHead);
    EXPECT_EQ(unheard.Server(declines), "") << declines;
    EXPECT_TRUE(
        unheard.Client(ssh).ends_with("refused: what the server answers to its protocol cannot be told"))
        << declines;
    // Its answer could hold the server's agreement.
    Talk socket;
    EXPECT_EQ(socket.Client(kConnectHead + Asks()), kConnectHead);
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
  EXPECT_EQ(talk.Client(kConnectHead), kConnectHead);
  EXPECT_EQ(talk.Server(kAgreed + "HTTP/1.1 100 Continue\r\n\r\n"), "");
  EXPECT_EQ(talk.Client(expects), expects);
  EXPECT_EQ(talk.Client("GET"), "refused: it sends a body that the server has not asked for");
  Talk socket;
  EXPECT_EQ(socket.Client(kConnectHead), kConnectHead);
  EXPECT_EQ(socket.Server(kAgreed + Agrees()), "");
  EXPECT_EQ(socket.Client(Asks()), Asks());
  EXPECT_FALSE(socket.Free());
}

// No other connection leads to the server behind a tunnel.
TEST(ClientSide, AWebSocketThroughATunnel) {
  const std::string ask = Asks();
  Talk first;
  EXPECT_EQ(first.Client(kConnectHead), kConnectHead);
  EXPECT_EQ(first.Server(kAgreed), "");
  EXPECT_EQ(first.Client(ask), ask);
  EXPECT_EQ(first.Server(Agrees()), "");
  EXPECT_TRUE(first.Free());
  Talk later;
  EXPECT_EQ(later.Client(kConnectHead), kConnectHead);
  EXPECT_EQ(later.Server(kAgreed), "");
  const std::string get = "GET / HTTP/1.1\r\nHost: good.test\r\n\r\n";
  EXPECT_EQ(later.Client(get), get);
  EXPECT_EQ(later.Client(ask), ask);
  EXPECT_FALSE(later.Waits());
  later.Server("HTTP/1.1 200 OK\r\n\r\n" + Agrees());
  EXPECT_FALSE(later.Free());
}

}  // namespace
}  // namespace mxc::egress::client_side_http_test
