// Proxies: the forms they are written in, and what may stand beside them.
#include "config/decoding.h"
#include "config/endpoint.h"
#include "mxc/fold.h"

namespace mxc {
namespace {

constexpr std::string_view kNoCredentials = "give the credentials to the proxy, not to the sandbox";

struct Proxy {
  bool builtin = false;  // the test server of the reference; only its planners know the URL "builtin:"
  bool localhost = false;
  ProxyUrl url = {};
};

bool ReadUrl(Decoding& decoding, const Place& place, const Json& value, ProxyUrl& url) {
  Result<ProxyUrl> parsed = ParseProxyUrl(value.text);
  if (!parsed) {
    const bool secret = value.text.find('@') != std::string::npos;
    decoding.Fail(place, value, parsed.error().message, secret ? kNoCredentials : std::string_view());
    return false;
  }
  url = std::move(*parsed);
  return true;
}

bool ReadProxy(Decoding& decoding, const Place& place, const Json& json, Proxy& proxy) {
  const Json* builtin = Member(&json, "builtinTestServer");
  const Json* localhost = Member(&json, "localhost");
  const Json* url = Member(&json, "url");
  if (builtin != nullptr) {
    if (!builtin->boolean) {
      decoding.Fail(place.Key("builtinTestServer"), *builtin, "must be true, or left out");
      return false;
    }
    if (localhost != nullptr || url != nullptr) {
      decoding.Fail(place, json, "builtinTestServer stands alone");
      return false;
    }
    proxy.builtin = true;
    return true;
  }
  if (localhost != nullptr) {
    if (url != nullptr) decoding.Note("proxy-url-ignored", place.Key("url"), "yields to `localhost`");
    proxy.localhost = true;
    proxy.url = {
        .scheme = "http", .host = "127.0.0.1", .port = static_cast<std::uint16_t>(localhost->integer)};
    return true;
  }
  if (url != nullptr) return ReadUrl(decoding, place.Key("url"), *url, proxy.url);
  decoding.Fail(place, json, "must have one of `builtinTestServer`, `localhost` and `url`");
  return false;
}

// What may stand beside a proxy.
struct Surroundings {
  bool lists = false;     // host lists
  bool blocked = false;   // defaultPolicy is `block`
  bool firewall = false;  // enforcementMode is `firewall` or `both`
};

std::string_view GatewayConflict(const Surroundings& around, const Proxy& proxy) {
  if (around.firewall) return "a proxy excludes enforcementMode `firewall` and `both`";
  if (proxy.builtin || (!around.lists && !around.blocked)) return {};
  return "a proxy needs defaultPolicy `allow` and no host lists: it filters by itself";
}

std::string_view LxcConflict(const Surroundings& around, const Proxy& proxy) {
  if (proxy.builtin || proxy.localhost) return "containment `lxc` takes a proxy only as `url`";
  if (proxy.url.IsLoopback()) return "containment `lxc` cannot reach a proxy on the host's loopback";
  return around.firewall ? "" : "a proxy needs enforcementMode `firewall` or `both`";
}

std::string_view SeatbeltConflict(const Surroundings& around, const Proxy& proxy) {
  if (around.firewall) return "a proxy excludes enforcementMode `firewall` and `both`";
  const bool far = !proxy.builtin && !proxy.url.IsLoopback();
  return far && around.blocked ? "a proxy on another host needs defaultPolicy `allow`" : "";
}

std::string_view WslcConflict(const Surroundings& around, const Proxy& proxy) {
  if (proxy.builtin || proxy.localhost) return "containment `wslc` takes a proxy only as `url`";
  const bool filters = around.lists || around.blocked;
  return filters ? "a proxy needs defaultPolicy `allow` and no host lists" : "";
}

// What a containment cannot have beside, or as, a proxy; empty when there is nothing.
std::string_view Conflict(Containment containment, const Surroundings& around, const Proxy& proxy) {
  switch (TraitsOf(containment).proxy) {
    case ProxySupport::kAnyKind:
      return {};
    case ProxySupport::kGateway:
      return GatewayConflict(around, proxy);
    case ProxySupport::kContainer:
      return LxcConflict(around, proxy);
    case ProxySupport::kProfile:
      return SeatbeltConflict(around, proxy);
    case ProxySupport::kUrl:
      return WslcConflict(around, proxy);
    case ProxySupport::kNone:
      break;
  }
  return "this containment takes no proxy";
}

bool IsLoopbackName(const std::string& host) {
  return host == "localhost" || host == "127.0.0.1" || host == "::1";
}

bool IsReservedPeer(std::string_view name) { return EqualsFolded(name, "mxc-loopback"); }

// A process container reaches a loopback proxy either in a container it names, or through the host.
void CheckProxyPeer(Decoding& decoding) {
  const Containment own = ContainmentFor(decoding.config, decoding.options.system);
  if (TraitsOf(own).proxy != ProxySupport::kAnyKind) return;
  const Network& network = decoding.config.network;
  const Json* section = Member(&decoding.document, "processContainer");
  const Place place = Place{}.Key("processContainer").Key("network").Key("allowedProxyPeer");
  const Json* peer = Member(Member(section, "network"), "allowedProxyPeer");
  const bool named = peer != nullptr && peer->text.find_first_not_of(" \t") != std::string::npos;
  if (named && !network.proxy) decoding.Fail(place, *peer, "needs runtimeConfig.networkProxy");
  if (named && IsReservedPeer(peer->text)) decoding.Fail(place, *peer, "the name is reserved");
}

}  // namespace

void DecodeLegacyProxy(Decoding& decoding, const Json& network) {
  const Json* json = Member(&network, "proxy");
  if (json == nullptr) return;
  const Place place = Place{}.Key("network").Key("proxy");
  Proxy proxy;
  if (!ReadProxy(decoding, place, *json, proxy)) return;
  const std::string& mode = network.At("enforcementMode").text;
  const Network& decoded = decoding.config.network;
  const Surroundings around{.lists = !decoded.allow.empty() || !decoded.deny.empty(),
                            .blocked = decoded.egress == RuleAction::kDeny,
                            .firewall = mode == "firewall" || mode == "both"};
  const Containment containment = ContainmentFor(decoding.config, decoding.options.system);
  const std::string_view conflict = Conflict(containment, around, proxy);
  if (!conflict.empty()) decoding.Fail(place, *json, conflict);
  decoding.config.network.proxy = {.url = proxy.builtin ? "builtin:" : proxy.url.Text(),
                                   .host = proxy.url.host,
                                   .port = proxy.url.port,
                                   .pointer = place.pointer};
}

void DecodeRuntimeProxy(Decoding& decoding) {
  const Json* value = Member(Member(&decoding.document, "runtimeConfig"), "networkProxy");
  if (value != nullptr) {
    const Place place = Place{}.Key("runtimeConfig").Key("networkProxy");
    Network& network = decoding.config.network;
    ProxyUrl url;
    if (!ReadUrl(decoding, place, *value, url)) return;
    if (!IsLoopbackName(url.host)) {
      decoding.Fail(place, *value, "the proxy must be on localhost, 127.0.0.1 or [::1]");
    }
    if (network.egress == RuleAction::kAllow || !network.allow.empty() || !network.deny.empty()) {
      decoding.Fail(place, *value, "a proxy needs network.egress.default `deny` without rules");
    }
    network.proxy = {.url = url.Text(), .host = url.host, .port = url.port, .pointer = place.pointer};
  }
  CheckProxyPeer(decoding);
}

}  // namespace mxc
