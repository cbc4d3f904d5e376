// The network section, in its legacy and its directional form.
#include "config/field_rows.h"

namespace mxc {
namespace {

constexpr EnumValue kLegacyPolicies[] = {{"allow"}, {"block"}};
constexpr EnumValue kRuleActions[] = {{"allow"}, {"deny"}};
constexpr EnumValue kEnforcementModes[] = {{"capabilities"}, {"firewall"}, {"both"}};
constexpr EnumValue kInspections[] = {{"names"}, {"none"}};
constexpr EnumValue kUpstreams[] = {{"environment"}};
constexpr EnumValue kProtocols[] = {{"tcp"}, {"udp"}, {"icmp"}, {"any"}};
constexpr std::string_view kPeerForms[] = {"cidr", "host"};
constexpr std::string_view kNeeds08 = "needs schema version 0.8 or later";

constexpr Field kPeerFields[] = {
    String("cidr", "Address or address block without host bits."),
    Strings("except", "Blocks inside cidr that the rule leaves out."),
    String("host", "Host name, *.name for its subdomains, or * for every name; instead of cidr.",
           {.in = kOwn}),
};
constexpr Shape kPeerShape{.fields = kPeerFields, .one_of = kPeerForms};

constexpr Field kPortFields[] = {
    Enum("protocol", kProtocols, "icmp takes no port.", {.standard = "\"any\""}),
    Integer("port", "Port, or the first of a range.", {.minimum = 1, .maximum = 65535}),
    Integer("endPort", "Last port of the range.", {.minimum = 1, .maximum = 65535}),
};
constexpr Shape kPortShape{.fields = kPortFields};

constexpr Field kRuleFields[] = {
    Objects("to", kPeerShape, "Destinations; absent means every address.", {.non_empty = true}),
    Objects("ports", kPortShape, "Protocols and ports; absent means all.", {.non_empty = true}),
    Enum("inspect", kInspections,
         "What is looked at on connections that the rule allows by name: the names that TLS and HTTP say "
         "there, or nothing; that needs ports, and is for rules that allow.",
         {.in = kOwn, .standard = "\"names\""}),
};
constexpr Shape kRuleShape{.fields = kRuleFields};

constexpr Field kEgressFields[] = {
    Enum("default", kRuleActions, "Verdict for destinations no rule names.", {.standard = "\"deny\""}),
    Objects("allow", kRuleShape, "Destinations that are allowed."),
    Objects("deny", kRuleShape, "Destinations that are denied; beats allow."),
    Enum("upstreamProxy", kUpstreams,
         "Reach what is allowed through the HTTP proxy that the environment of mxc-exec names, if it does.",
         {.in = kOwn}),
};
constexpr Shape kEgressShape{.fields = kEgressFields};

// The environment is the caller's: an operator names the proxy.
constexpr auto kCeilingEgressFields =
    Replaced(kEgressFields, String("upstreamProxy",
                                   "The proxy of the environment that a policy may use, http://HOST:PORT; "
                                   "without it none is used."));
constexpr Shape kCeilingEgressShape{.fields = kCeilingEgressFields};

constexpr Field kPublishFields[] = {
    Integer("host", "Port of the loopback interface of this host.",
            {.minimum = 1, .maximum = 65535, .required = kEvery}),
    Integer("guest", "Port inside where its connections arrive; the same when absent.",
            {.minimum = 1, .maximum = 65535}),
};
constexpr Shape kPublishShape{.fields = kPublishFields};

constexpr Field kLoopbackPortFields[] = {
    Integer("port", "Port of the loopback interface of this host.",
            {.minimum = 1, .maximum = 65535, .required = kEvery}),
};
constexpr Shape kLoopbackPortShape{.fields = kLoopbackPortFields};

constexpr Field kIngressFields[] = {
    Enum("default", kRuleActions, "Connections from outside.", {.standard = "\"deny\""}),
    Enum("hostLoopback", kRuleActions, "Services on the loopback interface of the host.",
         {.standard = "\"deny\""}),
    Objects("hostLoopbackPorts", kLoopbackPortShape,
            "TCP ports of the host's loopback that the command may reach, as host.mxc.internal.",
            {.in = kOwn}),
    Objects("publish", kPublishShape, "TCP ports of the sandbox that can be reached from this host.",
            {.in = kOwn}),
};
constexpr Shape kIngressShape{.fields = kIngressFields};

constexpr Field kProxyFields[] = {
    Bool("builtinTestServer", "Test proxy of the reference implementation; only true, and alone."),
    Integer("localhost", "Port of a proxy on this host.", {.minimum = 1, .maximum = 65535}),
    String("url", "http or https URL with an explicit port and without credentials."),
};
constexpr Shape kProxyShape{.fields = kProxyFields};

constexpr Field kNetworkFields[] = {
    Enum("defaultPolicy", kLegacyPolicies, "Verdict for outgoing connections.",
         {.in = kWireModel,
          .standard = "\"block\"",
          .elsewhere = "use network.egress.default (`allow` or `deny`)"}),
    Enum("enforcementMode", kEnforcementModes,
         "How the reference filters; mxc-exec always enforces or refuses.",
         {.in = kWireModel,
          .standard = "\"capabilities\"",
          .elsewhere = "leave it out: rules are always enforced"}),
    Bool("allowLocalNetwork", "Also reach and be reached from the local network.",
         {.in = kWireModel,
          .standard = "false",
          .elsewhere = "use network.ingress.default and network.ingress.hostLoopback"}),
    Strings("allowedHosts", "Addresses, blocks or names that are allowed; a port may follow.",
            {.in = kWireModel, .elsewhere = "use rules of network.egress.allow"}),
    Strings("blockedHosts", "Addresses, blocks or names that are denied; beats allowedHosts.",
            {.in = kWireModel, .elsewhere = "use rules of network.egress.deny"}),
    Object("proxy", kProxyShape, "Proxy that is the only way out.",
           {.in = kWireModel, .elsewhere = "use runtimeConfig.networkProxy"}),
    Object("egress", kEgressShape, "Outgoing traffic.", {.in = kSince08, .elsewhere = kNeeds08}),
    Object("ingress", kIngressShape, "Incoming traffic.", {.in = kSince08, .elsewhere = kNeeds08}),
};

constexpr auto kCeilingNetworkFields =
    Replaced(kNetworkFields, Object("egress", kCeilingEgressShape, "Outgoing traffic."));

constexpr Field kRuntimeFields[] = {
    String("networkProxy", "URL of a proxy on the loopback interface of this host."),
};

}  // namespace

constexpr Shape kNetworkShape{.fields = kNetworkFields};
constexpr Shape kCeilingNetworkShape{.fields = kCeilingNetworkFields};
constexpr Shape kRuntimeShape{.fields = kRuntimeFields};

}  // namespace mxc
