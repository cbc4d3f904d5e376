// The proxy of the launcher's environment: which one, for what, and what is said to it.
#include "gateway/rules/upstream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policy/upstream.h"
#include "tests/support/fake_host.h"

namespace mxc::upstream_test {
namespace {

using egress::ConnectAnswer;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string Text(const std::optional<UpstreamProxy>& proxy) {
  if (!proxy) return "none";
  return proxy->variable + " " + proxy->host + " " + std::to_string(proxy->port) + " " +
         proxy->credentials.Reveal();
}

// "for port 80 | for the others", or the refusal.
std::string Read(const std::vector<std::pair<std::string, std::string>>& environment) {
  FakeHost host;
  for (const auto& [name, value] : environment) host.SetEnvironment(name, value);
  const Result<Upstream> upstream = ReadUpstream(host, "/here");
  if (!upstream) return upstream.error().pointer + ": " + upstream.error().message;
  EXPECT_EQ(upstream->pointer, "/here");
  return Text(upstream->http) + " | " + Text(upstream->others);
}

TEST(Upstream, TakesTheVariablesThatProgramsTake) {
  EXPECT_EQ(Read({}), "none | none");
  EXPECT_EQ(Read({{"HTTPS_PROXY", "http://proxy.corp:3128"}}), "none | HTTPS_PROXY proxy.corp 3128 ");
  EXPECT_EQ(Read({{"HTTP_PROXY", "http://a:1"}, {"http_proxy", "http://B:2/"}}), "http_proxy b 2  | none");
  EXPECT_EQ(Read({{"ALL_PROXY", "a:1"}, {"https_proxy", "HTTP://[::1]"}}),
            "ALL_PROXY a 1  | https_proxy ::1 80 ");
  EXPECT_EQ(Read({{"HTTPS_PROXY", ""}}), "none | none");
  EXPECT_EQ(Read({{"HTTP_PROXY", "http://a:1"}, {"REQUEST_METHOD", "GET"}}), "none | none");
  EXPECT_EQ(Read({{"https_proxy", "http://me:p%40s%3As@a:1"}}), "none | https_proxy a 1 me:p@s:s");
  EXPECT_EQ(Read({{"https_proxy", "me@a"}}), "none | https_proxy a 80 me");
}

TEST(Upstream, RefusesWhatItCannotSpeakTo) {
  for (const char* value : {"https://proxy.corp:443", "socks5://secret@a:1080", "http://", "http://a:0",
                            "http://a:99999", "http://a:1/secret", "http://user:%secret@a:1",
                            "http://user:secret%0d%0a@a:1", "http://b c:1", "http://a:1:2"}) {
    const std::string refusal = Read({{"HTTPS_PROXY", value}});
    EXPECT_THAT(refusal, HasSubstr("/here: HTTPS_PROXY ")) << value;
    EXPECT_THAT(refusal, Not(HasSubstr("secret"))) << value;
  }
  for (const char* value : {"http://proxy.test:99999", "http://u:secret@10.0.0.1:0", "proxy.test:x"})
    EXPECT_EQ(Read({{"HTTPS_PROXY", value}}),
              "/here: HTTPS_PROXY has a port that is not a number from 1 to 65535");
}

Upstream Both(std::vector<std::string> direct = {}) {
  return {.http = UpstreamProxy{.host = "h", .port = 1},
          .others = UpstreamProxy{.host = "o", .port = 2},
          .direct = std::move(direct)};
}

std::string Chosen(const Upstream& upstream, std::string_view host, std::uint16_t port) {
  const UpstreamProxy* proxy = egress::ProxyFor(upstream, host, port);
  return proxy == nullptr ? "direct" : proxy->host;
}

TEST(Upstream, ChoosesByPortAndExceptions) {
  EXPECT_EQ(Chosen(Both(), "a.test", 80), "h");
  EXPECT_EQ(Chosen(Both(), "a.test", 443), "o");
  EXPECT_EQ(Chosen(Both(), "203.0.113.1", 22), "o");
  EXPECT_EQ(Chosen({.others = UpstreamProxy{.host = "o"}}, "a.test", 80), "direct");
  for (const char* loopback : {"127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"}) {
    EXPECT_EQ(Chosen(Both(), loopback, 80), "direct") << loopback;
  }
  const Upstream some =
      Both({"corp.test", ".Dot.test", "port.test:8080", "10.0.0.0/8", "2001:db8::/32", "[::2]:22"});
  for (const char* name :
       {"corp.test", "a.b.corp.test", "dot.test", "a.dot.test", "10.1.2.3", "2001:db8::5"}) {
    EXPECT_EQ(Chosen(some, name, 443), "direct") << name;
  }
  for (const char* name : {"xcorp.test", "corp.test.evil", "test", "port.test", "11.0.0.1", "::2"}) {
    EXPECT_EQ(Chosen(some, name, 443), "o") << name;
  }
  EXPECT_EQ(Chosen(some, "port.test", 8080), "direct");
  EXPECT_EQ(Chosen(some, "::2", 22), "direct");
  EXPECT_EQ(Chosen(Both({"*"}), "a.test", 80), "direct");
}

TEST(Upstream, AsksForTheNameAsItIs) {
  EXPECT_EQ(egress::ConnectRequest({}, "a.test", 443),
            "CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n\r\n");
  EXPECT_EQ(egress::ConnectRequest({}, "2001:db8::1", 22),
            "CONNECT [2001:db8::1]:22 HTTP/1.1\r\nHost: [2001:db8::1]:22\r\n\r\n");
  // RFC 7617, 2.
  EXPECT_THAT(egress::ConnectRequest({.credentials = Secret{"Aladdin:open sesame"}}, "a", 1),
              HasSubstr("\r\nProxy-Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n"));
  EXPECT_THAT(egress::ConnectRequest({.credentials = Secret{"a:b"}}, "a", 1), HasSubstr("Basic YTpi\r\n"));
}

std::string Answer(std::string_view bytes) {
  const ConnectAnswer answer = egress::ReadConnectAnswer(bytes);
  switch (answer.state) {
    case ConnectAnswer::State::kMore:
      return "more";
    case ConnectAnswer::State::kOpen:
      return "open " + std::to_string(answer.size);
    case ConnectAnswer::State::kRefused:
      break;
  }
  return "refused " + std::to_string(answer.status);
}

TEST(Upstream, ReadsTheProxysAnswer) {
  const std::string open = "HTTP/1.1 200 Connection established\r\nVia: x\r\n\r\n";
  for (std::size_t i = 0; i < open.size(); ++i)
    EXPECT_EQ(Answer(std::string_view(open).substr(0, i)), "more") << i;
  EXPECT_EQ(Answer(open), "open " + std::to_string(open.size()));
  EXPECT_EQ(Answer(open + "SSH-2.0-x\r\n\r\n"), "open " + std::to_string(open.size()));
  EXPECT_EQ(Answer("HTTP/1.0 204\r\n\r\n"), "open 16");
  EXPECT_EQ(Answer("HTTP/1.1 407 Who?\r\n\r\n"), "refused 407");
  EXPECT_EQ(Answer("HTTP/1.1 100 Continue\r\n\r\n"), "refused 100");
  for (const char* bad :
       {"SSH-2.0-x\r\n", "HTTP/2", "HTTP/1.1\r\n\r\n", "HTTP/1.1 2x0\r\n\r\n", "HTTP/1.1 -20\r\n\r\n"}) {
    EXPECT_EQ(Answer(bad), "refused 0") << bad;
  }
  EXPECT_EQ(Answer("HTTP/1.1 200" + std::string(egress::kMaxConnectAnswer, ' ')), "refused 0");
}

}  // namespace
}  // namespace mxc::upstream_test
