#include "policy/paths/homes.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/lists.h"

namespace mxc {
namespace {

constexpr std::size_t kMaxPasswdBytes = std::size_t{1} << 20U;
constexpr std::size_t kName = 0;
constexpr std::size_t kUid = 2;
constexpr std::size_t kHome = 5;

std::string_view FieldOf(std::string_view line, std::size_t field) {
  for (; field > 0; --field) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return {};
    line.remove_prefix(colon + 1);
  }
  return line.substr(0, line.find(':'));
}

// The first line with `value` in `field`; empty if there is none.
std::string_view LineWith(std::string_view passwd, std::size_t field, std::string_view value) {
  while (!passwd.empty()) {
    const std::string_view line = TakePiece(passwd, '\n');
    if (!FieldOf(line, kName).empty() && FieldOf(line, field) == value) return line;
  }
  return {};
}

std::string HomeIn(const Host& host, std::size_t field, std::string_view value) {
  const Result<std::string> passwd = host.ReadFile("/etc/passwd", kMaxPasswdBytes);
  return passwd ? std::string(FieldOf(LineWith(*passwd, field, value), kHome)) : "";
}

std::string Canonical(const std::string& home, PathWalker& walker) {
  if (!home.starts_with('/')) return "";
  Result<Walked> walked = walker.Walk(home);
  return walked ? std::move(walked->path) : "";
}

}  // namespace

std::optional<std::string> UserName(std::string_view passwd, std::uint32_t uid) {
  const std::string_view name = FieldOf(LineWith(passwd, kUid, std::to_string(uid)), kName);
  return name.empty() ? std::nullopt : std::optional(std::string(name));
}

std::string HomeOf(const Host& host, std::string_view user) { return HomeIn(host, kName, user); }

std::string CanonicalHome(const Host& host, PathWalker& walker) {
  return Canonical(host.Environment("HOME").value_or(""), walker);
}

std::vector<std::string> WrittenHomes(const Host& host) {
  std::vector<std::string> homes = {host.Environment("HOME").value_or(""),
                                    HomeIn(host, kUid, std::to_string(host.Caller().uid))};
  std::erase_if(homes, [](const std::string& home) { return !home.starts_with('/'); });
  return homes;
}

std::vector<std::string> CallersHomes(const Host& host, PathWalker& walker) {
  std::vector<std::string> homes;
  for (const std::string& written : WrittenHomes(host)) {
    std::string home = Canonical(written, walker);
    if (!home.empty() && std::find(homes.begin(), homes.end(), home) == homes.end())
      homes.push_back(std::move(home));
  }
  return homes;
}

std::vector<HomeFile> LinksToGrants(const Host& host, PathWalker& walker, const RuleSet& rules,
                                    const std::vector<PathLink>& links, const std::vector<HomeFile>& files) {
  constexpr std::size_t kMaxLinks = 64;
  const std::string home = CanonicalHome(host, walker);
  if (home.empty() || home == "/") return {};
  std::vector<std::string> granted;
  for (const PathRule& rule : rules.All()) {
    if (rule.origin == Origin::kPolicy && rule.access != Access::kDenied && rule.object)
      granted.push_back(rule.path);
  }
  for (const PathLink& link : links) granted.push_back(link.path);
  std::sort(granted.begin(), granted.end());  // parents first
  std::vector<HomeFile> made;
  for (const std::string& path : granted) {
    if (!path.starts_with(home + "/.")) continue;
    const std::string name = path.substr(home.size() + 1);
    const auto taken = [&](const HomeFile& file) { return AreNested(file.name, name); };
    if (std::any_of(files.begin(), files.end(), taken) || std::any_of(made.begin(), made.end(), taken))
      continue;
    if (made.size() == kMaxLinks) break;
    made.push_back({.name = name, .link_to = path});
  }
  return made;
}

}  // namespace mxc
