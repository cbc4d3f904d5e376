// Connections to addresses in the host's hosts file. The command sees that file, and the C library reads it
// before it asks a resolver: a program that looks up an allowed name then connects to the address in the
// file. Such a connection is judged as one to the name, as if the gateway had resolved it, and an address of
// a denied name is denied: nothing tells which of its names the program looked up.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gateway/rules/filter.h"
#include "gateway/rules/resolv_conf.h"
#include "gateway/rules/rules.h"

namespace mxc::egress {

// The first name of `address` in the text of a hosts file that the rules allow at this address. Absent: there
// is none.
[[nodiscard]] std::optional<std::string> AllowedNameOf(const RuleBook& book, const HostsFile& hosts,
                                                       const IpAddress& address, Protocol protocol,
                                                       std::uint16_t port);

// The host's resolver files; borrowed.
struct ResolverTexts {
  const HostsFile* hosts = nullptr;
  const ResolvConf* resolv_conf = nullptr;
};

// The refusal of an address that has a denied name in the text of a hosts file. Absent: it has none, or an
// allow rule names the address or a block around it.
[[nodiscard]] std::optional<Judgement> DenialByHosts(const RuleBook& book, const HostsFile& hosts,
                                                     const IpAddress& address, Protocol protocol,
                                                     std::uint16_t port);

// An address to which a name was resolved: RuleBook::JudgeAnswer, which knows no hosts file and no address of
// the sandbox's own.
[[nodiscard]] Judgement JudgeResolved(const RuleBook& book, const HostsFile& hosts, const Judgement& name,
                                      const IpAddress& address, Protocol protocol, std::uint16_t port);

// What a request over TCP asks for.
struct AskedFor {
  std::string_view host = {};  // ValidName, or IpAddress::Text
  std::uint16_t port = 0;
  bool strict = false;  // a rule has to allow a name; else none may deny it
};
// Whether its name, each form of it and its address may be asked for, as when the command connects to it.
[[nodiscard]] bool MayBeAskedFor(const RuleBook& book, const ResolverTexts& texts, const AskedFor& asked);
// Whether all addresses that the hosts file gives this name, if any, may be reached: a proxy takes any of
// them.
[[nodiscard]] bool MayBeDialled(const RuleBook& book, const ResolverTexts& texts, const AskedFor& asked);

// Makes the filter pass connections to these addresses; the gateway judges their ports.
void AllowHosts(Filter& filter, const RuleBook& book, std::string_view hosts);

}  // namespace mxc::egress
