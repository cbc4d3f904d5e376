#include "gateway/rules/hosts_names.h"

#include <algorithm>
#include <set>
#include <vector>

namespace mxc::egress {
namespace {

constexpr std::string_view kDeniedName = "/etc/hosts gives this address a denied name";

bool MayLeadTo(const RuleBook& book, const std::string& name, const IpAddress& address, Protocol protocol,
               std::uint16_t port) {
  const Judgement judgement = book.JudgeName(name, protocol, port);
  return judgement.allowed && judgement.by_name &&
         book.JudgeAnswer(judgement, address, protocol, port).allowed;
}

}  // namespace

std::optional<std::string> AllowedNameOf(const RuleBook& book, const HostsFile& hosts,
                                         const IpAddress& address, Protocol protocol, std::uint16_t port) {
  for (const auto& [at, name] : hosts.At(address)) {
    if (at == address && MayLeadTo(book, name, at, protocol, port)) return name;
  }
  return std::nullopt;
}

std::optional<Judgement> DenialByHosts(const RuleBook& book, const HostsFile& hosts, const IpAddress& address,
                                       Protocol protocol, std::uint16_t port) {
  // Most policies deny no name. An empty name is denied where "*" is.
  if (book.Proxy() || (!book.DeniesNames() && !book.Denies({}, protocol, port))) return std::nullopt;
  if (book.AllowsBlockOf(address, protocol, port)) return std::nullopt;
  for (const auto& [at, name] : hosts.At(address)) {
    if (!book.Denies(name, protocol, port)) continue;
    Judgement denial = book.JudgeName(name, protocol, port);
    denial.reason = kDeniedName;
    return denial;
  }
  return std::nullopt;
}

Judgement JudgeResolved(const RuleBook& book, const HostsFile& hosts, const Judgement& name,
                        const IpAddress& address, Protocol protocol, std::uint16_t port) {
  // To the command it is the sandbox's own: a rule that allows it does not mean the host's.
  const BlockedRange* const own = book.Proxy() ? nullptr : FindOwn(address);
  if (own != nullptr) return {.pointer = name.pointer, .reason = own->what};
  return DenialByHosts(book, hosts, address, protocol, port)
      .value_or(book.JudgeAnswer(name, address, protocol, port));
}

bool MayBeAskedFor(const RuleBook& book, const ResolverTexts& texts, const AskedFor& asked) {
  if (const auto address = IpAddress::Parse(asked.host))
    return book.JudgeAddress(*address, Protocol::kTcp, asked.port).allowed &&
           (texts.hosts == nullptr ||
            !DenialByHosts(book, *texts.hosts, *address, Protocol::kTcp, asked.port));
  if (asked.strict && !book.JudgeName(asked.host, Protocol::kTcp, asked.port).allowed) return false;
  const std::string host(asked.host);
  const std::vector<std::string> forms =
      texts.resolv_conf == nullptr ? std::vector{host} : FormsOf(host, *texts.resolv_conf);
  return std::none_of(forms.begin(), forms.end(),
                      [&](const std::string& form) { return book.Denies(form, Protocol::kTcp, asked.port); });
}

bool MayBeDialled(const RuleBook& book, const ResolverTexts& texts, const AskedFor& asked) {
  if (texts.hosts == nullptr) return true;
  const Judgement name = book.JudgeName(asked.host, Protocol::kTcp, asked.port);
  const std::vector<IpAddress>& addresses = texts.hosts->AddressesOf(std::string(asked.host));
  return std::all_of(addresses.begin(), addresses.end(), [&](const IpAddress& address) {
    return JudgeResolved(book, *texts.hosts, name, address, Protocol::kTcp, asked.port).allowed;
  });
}

void AllowHosts(Filter& filter, const RuleBook& book, std::string_view hosts) {
  if (filter.egress == RuleAction::kAllow) return;
  std::set<IpAddress> allowed;
  ForEachHost(hosts, [&](const IpAddress& at, const std::string& name) {
    // Lists of unwanted names, which are long, lead to a blocked address.
    if (!book.Proxy() && FindBlocked(at) != nullptr) return;
    if (!allowed.contains(at) && MayLeadTo(book, name, at, Protocol::kAny, 0)) allowed.insert(at);
  });
  for (const IpAddress& at : allowed) {
    const auto width = static_cast<std::uint8_t>(at.ipv6 ? 128 : 32);
    filter.addresses.push_back(
        {.verdict = RuleAction::kAllow, .block = {.address = at.bytes, .width = width, .prefix = width}});
  }
  BoundAddresses(filter);
}

}  // namespace mxc::egress
