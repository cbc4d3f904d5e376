#include "gateway/rules/resolv_conf.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "base/lists.h"
#include "gateway/rules/rules.h"

namespace mxc::egress {
namespace {

constexpr std::size_t kMaxServers = 3;
constexpr std::size_t kMaxSearch = 6;

std::string_view TakeWord(std::string_view& line) {
  constexpr std::string_view kBlanks = " \t\r";
  const auto begin = line.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  line.remove_prefix(begin);
  const std::string_view word = line.substr(0, line.find_first_of(kBlanks));
  line.remove_prefix(word.size());
  return word;
}

// The number behind `key` in an option such as "timeout:3", within bounds.
void TakeOption(std::string_view option, std::string_view key, std::uint32_t least, std::uint32_t most,
                std::uint32_t& value) {
  if (!option.starts_with(key)) return;
  std::uint32_t number = 0;
  const char* end = option.data() + option.size();
  if (std::from_chars(option.data() + key.size(), end, number).ptr != end) return;
  value = std::clamp(number, least, most);
}

void ReadOptions(std::string_view line, ResolvConf& conf) {
  for (std::string_view word = TakeWord(line); !word.empty(); word = TakeWord(line)) {
    std::uint32_t seconds = conf.timeout_ms / 1000;
    TakeOption(word, "timeout:", 1, 30, seconds);
    conf.timeout_ms = seconds * 1000;
    TakeOption(word, "attempts:", 1, 5, conf.attempts);
    TakeOption(word, "ndots:", 0, 15, conf.dots);
  }
}

void ReadSearch(std::string_view line, ResolvConf& conf) {
  conf.search.clear();  // the last list counts
  for (std::string_view word = TakeWord(line); !word.empty(); word = TakeWord(line)) {
    const auto name = ValidName(word);
    if (name && conf.search.size() < kMaxSearch) conf.search.push_back(*name);
  }
}

}  // namespace

ResolvConf ParseResolvConf(std::string_view text) {
  ResolvConf conf;
  while (!text.empty()) {
    std::string_view line = TakePiece(text, '\n');
    const std::string_view key = TakeWord(line);
    if (key == "nameserver") {
      const auto address = IpAddress::Parse(TakeWord(line));
      if (address && conf.servers.size() < kMaxServers) conf.servers.push_back(*address);
    } else if (key == "search" || key == "domain") {
      ReadSearch(line, conf);
    } else if (key == "options") {
      ReadOptions(line, conf);
    }
  }
  if (conf.servers.empty()) conf.servers.push_back(IpAddress::V4(0x7f000001));
  return conf;
}

std::vector<std::string> FormsOf(const std::string& name, const ResolvConf& conf) {
  std::vector<std::string> forms = {name};
  const auto dots = static_cast<std::uint32_t>(std::count(name.begin(), name.end(), '.'));
  if (dots >= conf.dots) return forms;
  for (const std::string& domain : conf.search) {
    if (name.size() + 1 + domain.size() <= 253) forms.push_back(name + "." + domain);
  }
  return forms;
}

void ForEachHost(std::string_view text,
                 const std::function<void(const IpAddress& address, const std::string& name)>& on_host) {
  while (!text.empty()) {
    std::string_view line = TakePiece(text, '\n');
    line = line.substr(0, line.find('#'));
    const auto address = IpAddress::Parse(TakeWord(line));
    if (!address) continue;
    for (std::string_view word = TakeWord(line); !word.empty(); word = TakeWord(line)) {
      if (const auto name = ValidName(word)) on_host(*address, *name);
    }
  }
}

std::vector<IpAddress> FindInHosts(std::string_view text, std::string_view name) {
  std::vector<IpAddress> found;
  while (!text.empty()) {
    std::string_view line = TakePiece(text, '\n');
    line = line.substr(0, line.find('#'));
    const auto address = IpAddress::Parse(TakeWord(line));
    if (!address) continue;
    for (std::string_view word = TakeWord(line); !word.empty(); word = TakeWord(line)) {
      if (word.size() < name.size() || ValidName(word) != name) continue;
      found.push_back(*address);
      break;
    }
  }
  return found;
}

void HostsFile::Read() const {
  if (std::exchange(read_, true)) return;
  ForEachHost(text_, [this](const IpAddress& address, const std::string& name) {
    std::vector<IpAddress>& addresses = by_name_[name];
    if (addresses.empty() || addresses.back() != address) addresses.push_back(address);
    // What embeds an IPv4 address is also that one.
    const std::vector<IpAddress> readings = address.ipv6 ? address.Readings() : std::vector{address};
    for (const IpAddress& reading : readings) by_address_[reading].push_back(hosts_.size());
    hosts_.push_back({.address = address, .name = name});
  });
}

const std::vector<IpAddress>& HostsFile::AddressesOf(const std::string& name) const {
  static const std::vector<IpAddress> kNone;
  Read();
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? kNone : found->second;
}

std::vector<HostsFile::Host> HostsFile::At(const IpAddress& address) const {
  Read();
  std::set<std::size_t> places;
  for (const IpAddress& reading : address.Readings()) {
    const auto found = by_address_.find(reading);
    if (found != by_address_.end()) places.insert(found->second.begin(), found->second.end());
  }
  std::vector<Host> hosts;
  for (const std::size_t place : places) hosts.push_back(hosts_[place]);
  return hosts;
}

}  // namespace mxc::egress
