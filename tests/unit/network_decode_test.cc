#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/endpoint.h"
#include "decode_text.h"

namespace mxc::network_decode_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The network of a document, as text: one line per thing that is not the default.
std::vector<std::string> Lines(const Network& network) {
  std::vector<std::string> lines;
  const auto add_rules = [&lines](std::string_view verdict, const std::vector<NetworkRule>& rules) {
    for (const NetworkRule& rule : rules) {
      std::string line = std::string(verdict) + " " + rule.pointer;
      for (const Peer& peer : rule.to) {
        line += " " + peer.cidr + peer.host;
        for (const std::string& except : peer.except) line += " except " + except;
      }
      for (const PortRange& range : rule.ports) {
        constexpr std::string_view kNames[] = {"any", "tcp", "udp", "icmp"};
        line += " " + std::string(kNames[static_cast<std::size_t>(range.protocol)]) + ":" +
                std::to_string(range.first) + "-" + std::to_string(range.last);
      }
      lines.push_back(line);
    }
  };
  if (network.egress == RuleAction::kAllow) lines.push_back("egress " + network.egress_pointer);
  add_rules("allow", network.allow);
  add_rules("deny", network.deny);
  if (network.ingress == RuleAction::kAllow) lines.push_back("ingress " + network.ingress_pointer);
  if (network.host_loopback == RuleAction::kAllow)
    lines.push_back("loopback " + network.host_loopback_pointer);
  if (network.proxy) lines.push_back("proxy " + network.proxy->pointer + " " + network.proxy->url);
  if (!network.upstream.pointer.empty()) lines.push_back("upstream " + network.upstream.pointer);
  if (network.share_host) lines.push_back("host " + network.share_host_pointer);
  return lines;
}

std::vector<std::string> Decoded(std::string_view fragment, std::string_view version) {
  const Result<Config> config = DecodeText(With(fragment, version));
  if (!config) return {"error " + config.error().pointer + " " + config.error().message};
  return Lines(config->network);
}

std::vector<std::string> Legacy(std::string_view members) {
  return Decoded("\"network\":{" + std::string(members) + "}", "0.7.0-alpha");
}

std::vector<std::string> Directional(std::string_view members) {
  return Decoded("\"network\":{" + std::string(members) + "}", "0.8.0-alpha");
}

TEST(Network, IsClosedUnlessOpened) {
  for (const std::string version : {"", "0.4.0-alpha", "0.7.0-alpha", "0.8.0-alpha", "1.0.0"}) {
    EXPECT_THAT(Decoded("", version), ElementsAre()) << version;
    EXPECT_THAT(Decoded(R"("network":{})", version), ElementsAre()) << version;
    EXPECT_FALSE(DecodeText(With("", version))->network_written);
    EXPECT_TRUE(DecodeText(With(R"("network":{})", version))->network_written);
  }
}

TEST(Network, TakesTheProxyOfTheEnvironmentWhereDirectional) {
  EXPECT_THAT(Directional(R"("egress":{"upstreamProxy":"environment"})"),
              ElementsAre("upstream /network/egress/upstreamProxy"));
  EXPECT_THAT(Decoded(R"("network":{"egress":{"upstreamProxy":"http://a:1"}})", "1.0.0"),
              ElementsAre(testing::StartsWith("error /network/egress/upstreamProxy ")));
  EXPECT_THAT(Directional(R"("upstreamProxy":"environment")"), ElementsAre(testing::StartsWith("error ")));
}

TEST(Network, UpgradesTheLegacyDefault) {
  EXPECT_THAT(Legacy(R"("defaultPolicy":"allow")"), ElementsAre("egress /network/defaultPolicy"));
  EXPECT_THAT(Legacy(R"("defaultPolicy":"block")"), ElementsAre());
  EXPECT_THAT(Legacy(R"("defaultPolicy":"allow","allowLocalNetwork":true)"),
              ElementsAre("egress /network/defaultPolicy", "host /network/allowLocalNetwork"));
  EXPECT_THAT(Legacy(R"("allowLocalNetwork":true)"), ElementsAre("ingress /network/allowLocalNetwork"));
  EXPECT_THAT(Legacy(R"("allowLocalNetwork":false)"), ElementsAre());
  EXPECT_THAT(Legacy(R"("defaultPolicy":"allow","allowLocalNetwork":true,"blockedHosts":["a.com"])"),
              ElementsAre("egress /network/defaultPolicy", "deny /network/blockedHosts/0 a.com",
                          "ingress /network/allowLocalNetwork"));
}

TEST(Network, UpgradesHostLists) {
  EXPECT_THAT(
      Legacy(R"("allowedHosts":["10.1.2.3/8"," 1.2.3.4 ","Example.com","*.example.com:443"],
                        "blockedHosts":["::1","[2001:db8::1]:53","::ffff:9.9.9.9","*:25"])"),
      ElementsAre("allow /network/allowedHosts/0 10.0.0.0/8", "allow /network/allowedHosts/1 1.2.3.4/32",
                  "allow /network/allowedHosts/2 example.com",
                  "allow /network/allowedHosts/3 *.example.com any:443-443",
                  "deny /network/blockedHosts/0 ::1/128",
                  "deny /network/blockedHosts/1 2001:db8::1/128 any:53-53",
                  "deny /network/blockedHosts/2 9.9.9.9/32", "deny /network/blockedHosts/3 * any:25-25"));
  for (const std::string entry : {"", " ", "a b", "a..b", "-a.com", "http://a.com", "a.com:0", "a.com:65536",
                                  "a.*.com", "**", "1.2.3", "[::1", "a\xc3\xa4.com"}) {
    EXPECT_EQ(Blamed(With("\"network\":{\"blockedHosts\":[\"" + entry + "\"]}")), "/network/blockedHosts/0")
        << entry;
  }
  EXPECT_THAT(
      Legacy(R"("allowedHosts":["_sip._tcp.a.com","my_service","*.a_b.com:443"])"),
      ElementsAre("allow /network/allowedHosts/0 _sip._tcp.a.com", "allow /network/allowedHosts/1 my_service",
                  "allow /network/allowedHosts/2 *.a_b.com any:443-443"));
}

TEST(Network, ReadsProxies) {
  const std::string open = R"("defaultPolicy":"allow","proxy":)";
  EXPECT_THAT(Legacy(open + R"({"localhost":8080})"),
              ElementsAre("egress /network/defaultPolicy", "proxy /network/proxy http://127.0.0.1:8080"));
  EXPECT_THAT(Legacy(open + R"({"url":"HTTP://Proxy:80/"})"),
              ElementsAre("egress /network/defaultPolicy", "proxy /network/proxy http://proxy:80"));
  EXPECT_THAT(Legacy(open + R"({"url":"https://[::1]:8443"})"),
              ElementsAre("egress /network/defaultPolicy", "proxy /network/proxy https://[::1]:8443"));
  EXPECT_THAT(Legacy(R"("proxy":{"builtinTestServer":true})"), ElementsAre("proxy /network/proxy builtin:"));
}

TEST(Network, RefusesProxiesItCannotRead) {
  const auto blamed = [](const std::string& proxy) {
    return Blamed(With(R"("network":{"defaultPolicy":"allow","proxy":)" + proxy + "}"));
  };
  EXPECT_EQ(blamed("{}"), "/network/proxy");
  EXPECT_EQ(blamed(R"({"builtinTestServer":false})"), "/network/proxy/builtinTestServer");
  EXPECT_EQ(blamed(R"({"builtinTestServer":true,"localhost":1})"), "/network/proxy");
  EXPECT_EQ(blamed(R"({"localhost":0})"), "/network/proxy/localhost");
  EXPECT_EQ(blamed(R"({"localhost":65536})"), "/network/proxy/localhost");
  for (const std::string url :
       {"", "proxy:80", "ftp://proxy:80", "http://proxy", "http://:80", "http://proxy:", "http://proxy:080",
        "http://proxy:99999", "http://a b:80", "http://[::1:80", "http://[1.2.3.4]:80", "http://p:80/x",
        "http://p:80?x", "http://u@p:80"}) {
    EXPECT_EQ(blamed("{\"url\":\"" + url + "\"}"), "/network/proxy/url") << url;
  }
}

TEST(Network, NeverShowsProxyCredentials) {
  const Result<Config> config = DecodeText(
      With(R"("network":{"defaultPolicy":"allow","proxy":{"url":"http://bob:hunter2@proxy:80"}})"));
  ASSERT_FALSE(config.ok());
  EXPECT_THAT(config.error().message, HasSubstr("carries credentials"));
  EXPECT_THAT(config.error().message + config.error().hint, testing::Not(HasSubstr("hunter2")));
}

TEST(Network, LocalhostWinsOverUrl) {
  const Result<Config> config = DecodeText(
      With(R"("network":{"defaultPolicy":"allow","proxy":{"localhost":1,"url":"http://proxy:80"}})"));
  ASSERT_TRUE(config.ok());
  EXPECT_EQ(config->network.proxy->url, "http://127.0.0.1:1");
  EXPECT_EQ(config->notes[0].category, "proxy-url-ignored");
}

TEST(Network, ProxiesExcludeWhatTheyCannotHonour) {
  const auto blamed = [](const std::string& members, const std::string& containment = "bubblewrap") {
    return Blamed(With("\"containment\":\"" + containment + "\",\"network\":{" + members + "}"));
  };
  const std::string local = R"("proxy":{"localhost":8080})";
  const std::string open = R"("defaultPolicy":"allow",)";
  EXPECT_EQ(blamed(local), "/network/proxy");
  EXPECT_EQ(blamed(open + local), "ok");
  EXPECT_EQ(blamed(open + R"("enforcementMode":"firewall",)" + local), "/network/proxy");
  EXPECT_EQ(blamed(open + R"("allowedHosts":["a.com"],)" + local), "/network/proxy");
  EXPECT_EQ(blamed(R"("allowedHosts":["a.com"],"proxy":{"builtinTestServer":true})"), "ok");
  EXPECT_EQ(blamed(open + local, "lxc"), "/network/proxy");
  const std::string remote = R"("proxy":{"url":"http://proxy:80"})";
  EXPECT_EQ(blamed(open + remote, "lxc"), "/network/proxy");
  EXPECT_EQ(blamed(R"("enforcementMode":"both",)" + remote, "lxc"), "ok");
  EXPECT_EQ(blamed(R"("enforcementMode":"both","proxy":{"url":"http://127.0.0.9:80"})", "lxc"),
            "/network/proxy");
  EXPECT_EQ(blamed(remote, "seatbelt"), "/network/proxy");
  EXPECT_EQ(blamed(local, "seatbelt"), "ok");
  EXPECT_EQ(blamed(open + remote, "wslc"), "ok");
  EXPECT_EQ(blamed(open + local, "wslc"), "/network/proxy");
  EXPECT_EQ(blamed(R"("blockedHosts":["a.com"])", "wslc"), "/network/blockedHosts");
  EXPECT_EQ(blamed(open + remote, "hyperlight"), "/network/proxy");
}

TEST(Network, ReadsDirectionalRules) {
  EXPECT_THAT(
      Directional(R"("egress":{"default":"allow"},"ingress":{"default":"allow","hostLoopback":"allow"})"),
      ElementsAre("egress /network/egress/default", "ingress /network/ingress/default",
                  "loopback /network/ingress/hostLoopback"));
  EXPECT_THAT(
      Directional(R"("egress":{"allow":[{},
          {"to":[{"cidr":"10.0.0.0/8","except":["10.1.0.0/16","10.0.0.0/8"]},{"cidr":"::1"}],
           "ports":[{"protocol":"tcp","port":443},{"port":1,"endPort":9},{"protocol":"icmp"}]}],
          "deny":[{"to":[{"host":"*.Example.com"}]}]})"),
      ElementsAre("allow /network/egress/allow/0",
                  "allow /network/egress/allow/1 10.0.0.0/8 except 10.1.0.0/16 except 10.0.0.0/8 ::1/128 "
                  "tcp:443-443 any:1-9 icmp:0-0",
                  "deny /network/egress/deny/0 *.example.com"));
}

TEST(Network, RefusesMalformedRules) {
  const auto blamed = [](const std::string& rule) {
    const std::string pointer =
        Blamed(With(R"("network":{"egress":{"allow":[)" + rule + "]}}", "0.8.0-alpha"));
    constexpr std::string_view kPrefix = "/network/egress/allow/0";
    return pointer.starts_with(kPrefix) ? pointer.substr(kPrefix.size()) : pointer;
  };
  EXPECT_EQ(blamed(R"({"to":[]})"), "/to");
  EXPECT_EQ(blamed(R"({"ports":[]})"), "/ports");
  EXPECT_EQ(blamed(R"({"to":[{}]})"), "/to/0");
  EXPECT_EQ(blamed(R"({"to":[{"cidr":"1.2.3.4","host":"a.com"}]})"), "/to/0");
  EXPECT_EQ(blamed(R"({"to":[{"cidr":"10.0.0.1/8"}]})"), "/to/0/cidr");
  EXPECT_EQ(blamed(R"({"to":[{"cidr":"example.com"}]})"), "/to/0/cidr");
  EXPECT_EQ(blamed(R"({"to":[{"cidr":" 10.0.0.1"}]})"), "/to/0/cidr");
  EXPECT_EQ(blamed(R"({"to":[{"cidr":"10.0.0.0/8","except":["11.0.0.0/8"]}]})"), "/to/0/except/0");
  EXPECT_EQ(blamed(R"({"to":[{"cidr":"10.0.0.0/8","except":["::1"]}]})"), "/to/0/except/0");
  EXPECT_EQ(blamed(R"({"to":[{"cidr":"10.0.0.0/8","except":["x"]}]})"), "/to/0/except/0");
  EXPECT_EQ(blamed(R"({"to":[{"host":"a.com","except":["1.2.3.4"]}]})"), "/to/0/except");
  EXPECT_EQ(blamed(R"({"to":[{"host":"a.*.com"}]})"), "/to/0/host");
  EXPECT_EQ(blamed(R"({"to":[{"host":"10.0.0.1"}]})"), "/to/0/host");
  EXPECT_EQ(blamed(R"({"ports":[{"port":0}]})"), "/ports/0/port");
  EXPECT_EQ(blamed(R"({"ports":[{"port":65536}]})"), "/ports/0/port");
  EXPECT_EQ(blamed(R"({"ports":[{"port":10,"endPort":5}]})"), "/ports/0/endPort");
  EXPECT_EQ(blamed(R"({"ports":[{"endPort":5}]})"), "/ports/0/endPort");
  EXPECT_EQ(blamed(R"({"ports":[{"protocol":"icmp","port":5}]})"), "/ports/0/port");
  EXPECT_EQ(blamed(R"({"ports":[{"protocol":"TCP"}]})"), "/ports/0/protocol");
}

TEST(Network, OfAUrlTheHostIsWanted) {
  EXPECT_EQ(HostOfUrl("https://foo.com/x"), "foo.com");
  EXPECT_EQ(HostOfUrl("https://user:secret@foo.com:8443/x?y"), "foo.com");
  EXPECT_EQ(HostOfUrl("foo.com/x"), "foo.com");
  EXPECT_EQ(HostOfUrl("http://10.0.0.1/"), "10.0.0.1");
  EXPECT_EQ(HostOfUrl("http://[::1]:80/"), "::1");
  for (const char* text :
       {"foo.com", "foo.com:443", "10.0.0.0/33", "fe80::1/200", "https://", "a b", "/x", ""})
    EXPECT_EQ(HostOfUrl(text), "") << text;
  const auto hint = [](const std::string& network, const std::string& version) {
    const Result<Config> config = DecodeText(With(R"("network":)" + network, version));
    return config ? "ok" : config.error().hint;
  };
  EXPECT_EQ(hint(R"({"egress":{"allow":[{"to":[{"host":"https://foo.com/x"}]}]}})", "1.0.0"),
            "write the host alone: foo.com");
  EXPECT_EQ(hint(R"({"egress":{"allow":[{"to":[{"cidr":"https://foo.com"}]}]}})", "1.0.0"),
            "write the name alone, as `host`: foo.com");
  EXPECT_EQ(hint(R"({"egress":{"allow":[{"to":[{"cidr":"http://10.0.0.1/"}]}]}})", "1.0.0"),
            "write the address alone: 10.0.0.1");
  EXPECT_EQ(hint(R"({"allowedHosts":["https://foo.com/x"]})", "0.7.0-alpha"),
            "write the host alone: foo.com");
}

TEST(Network, SaysWhereAPortGoes) {
  const auto told = [](const std::string& network, const char* version) {
    const Result<Config> config = DecodeText(std::string(R"({"version":")") + version +
                                             R"(","process":{"commandLine":"x"},"network":)" + network + "}");
    if (config) return std::string("ok");
    const std::string& message = config.error().message;
    return message.substr(0, message.find(" at line ")) + " | " + config.error().hint;
  };
  const auto rule = [&](const std::string& peer) {
    return told(R"({"egress":{"allow":[{"to":[)" + peer + "]}]}}", "1.0.0");
  };
  EXPECT_THAT(
      rule(R"({"host":"a.com:443"})"),
      HasSubstr("`a.com:443` has a port | write the `host` as a.com, and a port from 1 to 65535 beside "
                "`to`: \"ports\": [{\"port\": 443}]"));
  EXPECT_THAT(rule(R"({"host":"a.com:99999"})"),
              HasSubstr("write the `host` as a.com, and a port from 1 to"));
  EXPECT_THAT(rule(R"({"cidr":"10.0.0.0/8:80"})"),
              HasSubstr("`10.0.0.0/8:80` has a port | write the `cidr` as 10.0.0.0/8,"));
  EXPECT_THAT(rule(R"({"cidr":"[::1]:80"})"), HasSubstr("write the `cidr` as ::1,"));
  EXPECT_THAT(rule(R"({"cidr":"a.com:80"})"), HasSubstr("write the `host` as a.com,"));
  const auto legacy = [&](const std::string& entry) {
    return told(R"({"defaultPolicy":"block","allowedHosts":[")" + entry + R"("]})", "0.7.0-alpha");
  };
  EXPECT_THAT(legacy("a.com:99999"),
              HasSubstr("`a.com:99999`: the port is not a number from 1 to 65535 | write "
                        "HOST:PORT, or a.com for every port"));
  EXPECT_THAT(legacy("https://a.com"),
              HasSubstr("`https://a.com` is not an address, a block or a host name | "
                        "write the host alone: a.com"));
}

TEST(Network, KeepsTheFormsApart) {
  EXPECT_EQ(Blamed(With(R"("network":{"egress":null})", "0.7.0-alpha")), "/network/egress");
  EXPECT_EQ(Blamed(With(R"("runtimeConfig":null)", "0.7.0-alpha")), "/runtimeConfig");
  EXPECT_EQ(Blamed(With(R"("network":{"egress":{},"defaultPolicy":"allow"})", "0.8.0-alpha")), "/network");
  EXPECT_EQ(Blamed(With(R"("network":{"defaultPolicy":"allow"},"runtimeConfig":{})", "0.8.0-alpha")),
            "/network");
  EXPECT_EQ(Blamed(With(R"("network":{"egress":null,"defaultPolicy":"block"})", "0.8.0-alpha")), "ok");
  EXPECT_THAT(Decoded(R"("network":{"defaultPolicy":"allow"})", "0.9.0"),
              ElementsAre("egress /network/defaultPolicy"));
}

TEST(Network, ReadsTheRuntimeProxy) {
  const auto proxy = [](const std::string& url, const std::string& more = "") {
    return Decoded("\"runtimeConfig\":{\"networkProxy\":\"" + url + "\"}" + more, "1.0.0");
  };
  EXPECT_THAT(proxy("http://LOCALHOST:8080"),
              ElementsAre("proxy /runtimeConfig/networkProxy http://localhost:8080"));
  EXPECT_THAT(proxy("http://[::1]:80"), ElementsAre("proxy /runtimeConfig/networkProxy http://[::1]:80"));
  EXPECT_THAT(proxy("http://10.0.0.1:8080"), ElementsAre(HasSubstr("error /runtimeConfig/networkProxy")));
  EXPECT_THAT(proxy("http://127.0.0.2:8080"), ElementsAre(HasSubstr("error /runtimeConfig/networkProxy")));
  EXPECT_THAT(proxy("http://127.0.0.1:80", R"(,"network":{"egress":{"default":"allow"}})"),
              ElementsAre(HasSubstr("error /runtimeConfig/networkProxy")));
  EXPECT_THAT(proxy("http://127.0.0.1:80", R"(,"network":{"egress":{"deny":[{}]}})"),
              ElementsAre(HasSubstr("error /runtimeConfig/networkProxy")));
  EXPECT_EQ(Blamed(With(R"("runtimeConfig":{})", "0.8.0-alpha")), "ok");
}

TEST(Network, ProxyPeersNeedAProxy) {
  const auto blamed = [](const std::string& peer, const std::string& more) {
    return Blamed(
        With(R"("containment":"processcontainer","processContainer":{"network":{"allowedProxyPeer":")" +
                 peer + "\"}}" + more,
             "0.8.0-alpha"));
  };
  const std::string proxy = R"(,"runtimeConfig":{"networkProxy":"http://127.0.0.1:80"})";
  EXPECT_EQ(blamed("peer", proxy), "ok");
  EXPECT_EQ(blamed("peer", ""), "/processContainer/network/allowedProxyPeer");
  EXPECT_EQ(blamed(" ", ""), "ok");
  EXPECT_EQ(blamed("mxc-LOOPBACK", proxy), "/processContainer/network/allowedProxyPeer");
}

TEST(Network, AnIsolationSessionMustBeOpen) {
  const std::string open =
      R"("network":{"egress":{"default":"allow"},"ingress":{"default":"allow","hostLoopback":"allow"}})";
  EXPECT_EQ(Blamed(With(R"("containment":"isolation_session")", "1.0.0")), "/network");
  EXPECT_EQ(Blamed(With(R"("containment":"isolation_session",)" + open, "1.0.0")), "ok");
  EXPECT_EQ(Blamed(With(R"("containment":"isolation_session")")), "ok");
}

TEST(HostName, FollowsTheRulesOfTheDns) {
  EXPECT_TRUE(IsHostName("a", Wildcard::kForbidden));
  EXPECT_TRUE(IsHostName("xn--bcher-kva.example", Wildcard::kForbidden));
  EXPECT_TRUE(IsHostName("1.a", Wildcard::kForbidden));
  EXPECT_TRUE(IsHostName("*.a.b", Wildcard::kAllowed));
  for (const std::string_view name : {"", "*.a", ".", "a.", ".a", "a..b", "a-", "1.2.3.4", "a b", "*"}) {
    EXPECT_FALSE(IsHostName(name, Wildcard::kForbidden)) << name;
  }
  EXPECT_TRUE(IsHostName(std::string(63, 'a'), Wildcard::kForbidden));
  EXPECT_FALSE(IsHostName(std::string(64, 'a'), Wildcard::kForbidden));
}

}  // namespace
}  // namespace mxc::network_decode_test
