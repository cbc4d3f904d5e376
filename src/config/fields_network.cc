// The network section, in its legacy and its directional form.
#include "config/fields.h"

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
    {.name = "cidr", .type = FieldType::kString, .text = "Address or address block without host bits."},
    {.name = "except",
     .type = FieldType::kStringList,
     .text = "Blocks inside cidr that the rule leaves out."},
    {.name = "host",
     .type = FieldType::kString,
     .in = kOwn,
     .text = "Host name, *.name for its subdomains, or * for every name; instead of cidr."},
};
constexpr Shape kPeerShape{.fields = kPeerFields, .one_of = kPeerForms};

constexpr Field kPortFields[] = {
    {.name = "protocol",
     .type = FieldType::kEnum,
     .text = "icmp takes no port.",
     .values = kProtocols,
     .standard = "\"any\""},
    {.name = "port",
     .type = FieldType::kInteger,
     .text = "Port, or the first of a range.",
     .minimum = 1,
     .maximum = 65535},
    {.name = "endPort",
     .type = FieldType::kInteger,
     .text = "Last port of the range.",
     .minimum = 1,
     .maximum = 65535},
};
constexpr Shape kPortShape{.fields = kPortFields};

constexpr Field kRuleFields[] = {
    {.name = "to",
     .type = FieldType::kObjectList,
     .text = "Destinations; absent means every address.",
     .shape = &kPeerShape,
     .non_empty = true},
    {.name = "ports",
     .type = FieldType::kObjectList,
     .text = "Protocols and ports; absent means all.",
     .shape = &kPortShape,
     .non_empty = true},
    {.name = "inspect",
     .type = FieldType::kEnum,
     .in = kOwn,
     .text = "What is looked at on connections that the rule allows by name: the names that TLS and HTTP say "
             "there, "
             "or nothing; that needs ports, and is for rules that allow.",
     .values = kInspections,
     .standard = "\"names\""},
};
constexpr Shape kRuleShape{.fields = kRuleFields};

constexpr Field kEgressFields[] = {
    {.name = "default",
     .type = FieldType::kEnum,
     .text = "Verdict for destinations no rule names.",
     .values = kRuleActions,
     .standard = "\"deny\""},
    {.name = "allow",
     .type = FieldType::kObjectList,
     .text = "Destinations that are allowed.",
     .shape = &kRuleShape},
    {.name = "deny",
     .type = FieldType::kObjectList,
     .text = "Destinations that are denied; beats allow.",
     .shape = &kRuleShape},
    {.name = "upstreamProxy",
     .type = FieldType::kEnum,
     .in = kOwn,
     .text =
         "Reach what is allowed through the HTTP proxy that the environment of mxc-exec names, if it does.",
     .values = kUpstreams},
};
constexpr Shape kEgressShape{.fields = kEgressFields};

constexpr Field kPublishFields[] = {
    {.name = "host",
     .type = FieldType::kInteger,
     .text = "Port of the loopback interface of this host.",
     .minimum = 1,
     .maximum = 65535,
     .required = kEvery},
    {.name = "guest",
     .type = FieldType::kInteger,
     .text = "Port inside where its connections arrive; the same when absent.",
     .minimum = 1,
     .maximum = 65535},
};
constexpr Shape kPublishShape{.fields = kPublishFields};

constexpr Field kIngressFields[] = {
    {.name = "default",
     .type = FieldType::kEnum,
     .text = "Connections from outside.",
     .values = kRuleActions,
     .standard = "\"deny\""},
    {.name = "hostLoopback",
     .type = FieldType::kEnum,
     .text = "Services on the loopback interface of the host.",
     .values = kRuleActions,
     .standard = "\"deny\""},
    {.name = "publish",
     .type = FieldType::kObjectList,
     .in = kOwn,
     .text = "TCP ports of the sandbox that can be reached from this host.",
     .shape = &kPublishShape},
};
constexpr Shape kIngressShape{.fields = kIngressFields};

constexpr Field kProxyFields[] = {
    {.name = "builtinTestServer",
     .type = FieldType::kBool,
     .text = "Test proxy of the reference implementation; only true, and alone."},
    {.name = "localhost",
     .type = FieldType::kInteger,
     .text = "Port of a proxy on this host.",
     .minimum = 1,
     .maximum = 65535},
    {.name = "url",
     .type = FieldType::kString,
     .text = "http or https URL with an explicit port and without credentials."},
};
constexpr Shape kProxyShape{.fields = kProxyFields};

constexpr Field kNetworkFields[] = {
    {.name = "defaultPolicy",
     .type = FieldType::kEnum,
     .in = kWireModel,
     .text = "Verdict for outgoing connections.",
     .values = kLegacyPolicies,
     .standard = "\"block\"",
     .elsewhere = "use network.egress.default (`allow` or `deny`)"},
    {.name = "enforcementMode",
     .type = FieldType::kEnum,
     .in = kWireModel,
     .text = "How the reference filters; mxc-exec always enforces or refuses.",
     .values = kEnforcementModes,
     .standard = "\"capabilities\"",
     .elsewhere = "leave it out: rules are always enforced"},
    {.name = "allowLocalNetwork",
     .type = FieldType::kBool,
     .in = kWireModel,
     .text = "Also reach and be reached from the local network.",
     .standard = "false",
     .elsewhere = "use network.ingress.default and network.ingress.hostLoopback"},
    {.name = "allowedHosts",
     .type = FieldType::kStringList,
     .in = kWireModel,
     .text = "Addresses, blocks or names that are allowed; a port may follow.",
     .elsewhere = "use rules of network.egress.allow"},
    {.name = "blockedHosts",
     .type = FieldType::kStringList,
     .in = kWireModel,
     .text = "Addresses, blocks or names that are denied; beats allowedHosts.",
     .elsewhere = "use rules of network.egress.deny"},
    {.name = "proxy",
     .type = FieldType::kObject,
     .in = kWireModel,
     .text = "Proxy that is the only way out.",
     .shape = &kProxyShape,
     .elsewhere = "use runtimeConfig.networkProxy"},
    {.name = "egress",
     .type = FieldType::kObject,
     .in = kSince08,
     .text = "Outgoing traffic.",
     .shape = &kEgressShape,
     .elsewhere = kNeeds08},
    {.name = "ingress",
     .type = FieldType::kObject,
     .in = kSince08,
     .text = "Incoming traffic.",
     .shape = &kIngressShape,
     .elsewhere = kNeeds08},
};
}  // namespace

constexpr Shape kNetworkShape{.fields = kNetworkFields};

namespace {
constexpr Field kRuntimeFields[] = {
    {.name = "networkProxy",
     .type = FieldType::kString,
     .text = "URL of a proxy on the loopback interface of this host."},
};
}  // namespace

constexpr Shape kRuntimeShape{.fields = kRuntimeFields};

}  // namespace mxc
