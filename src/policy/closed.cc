#include "policy/closed.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "policy/baseline.h"

namespace mxc {
namespace {

constexpr std::uint32_t kOthersRead = 04;
constexpr std::uint32_t kOthersSearch = 01;

bool AreRelated(std::string_view left, std::string_view right) {
  return IsAtOrBelow(left, right) || IsAtOrBelow(right, left);
}

class Closing {
 public:
  Closing(const Host& host, const MountNames& names, PathWalker& walker, RuleSet& rules)
      : host_(host), names_(names), walker_(walker), rules_(rules) {}

  [[nodiscard]] bool ByKernel(const std::string& directory) const;
  void ByMasks(const std::string& directory);

 private:
  [[nodiscard]] bool OthersMayReach(const std::string& path, std::string_view directory) const;
  [[nodiscard]] bool ShowsInGrants(std::string_view directory) const;

  const Host& host_;
  const MountNames& names_;
  PathWalker& walker_;
  RuleSet& rules_;
};

// Nothing can be mounted where others may not go, in such a mount.
bool Closing::OthersMayReach(const std::string& path, std::string_view directory) const {
  std::string_view above = path;
  do {
    above = ParentOf(above);
    const Lookup& lookup = walker_.LookAt(std::string(above));
    if (!lookup.status || (lookup.status->mode & kOthersSearch) == 0) return false;
  } while (above != directory);
  return true;
}

// A grant that shows part of `directory` under another name shows it with the rights of root.
bool Closing::ShowsInGrants(std::string_view directory) const {
  if (!names_.Any()) return false;
  const auto shows = [&](const std::string& path) {
    const std::optional<std::vector<std::string>> others = names_.OthersOf(path);
    return !others || std::any_of(others->begin(), others->end(),
                                  [&](const std::string& other) { return AreRelated(other, directory); });
  };
  for (const PathRule& rule : rules_.All()) {
    if (rule.origin == Origin::kPolicy && rule.access != Access::kDenied && shows(rule.path)) return true;
  }
  return std::any_of(names_.Visible().begin(), names_.Visible().end(), [&](const Mount* mount) {
    return DecidedByPolicy(rules_, mount->path) && shows(mount->path);
  });
}

bool Closing::ByKernel(const std::string& directory) const {
  const PathRule* rule = rules_.Find(directory);
  if (rule == nullptr || rule->origin != Origin::kBaseline || rule->access != Access::kReadOnly) return false;
  const Lookup& lookup = walker_.LookAt(directory);
  constexpr std::uint32_t kOpen = kOthersRead | kOthersSearch;
  if (!lookup.status || (lookup.status->mode & kOpen) != kOpen) return false;
  for (const std::string& path : rules_.PathsAtOrBelow(directory)) {
    if (path == directory) continue;
    if (rules_.Find(path)->access != Access::kDenied || !OthersMayReach(path, directory)) return false;
  }
  return !ShowsInGrants(directory) && host_.CanUnmapOwners(directory);
}

void Closing::ByMasks(const std::string& directory) {
  for (const std::string& path : host_.ListClosed(directory)) MaskSecret(host_, walker_, rules_, path);
}

}  // namespace

void CloseToOthers(const Host& host, Containment containment, const MountNames& names, PathWalker& walker,
                   RuleSet& rules) {
  if (!host.Caller().IsRoot()) return;
  Closing closing(host, names, walker, rules);
  for (const char* directory : {"/etc", "/run/NetworkManager", "/run/systemd/resolve", "/run/resolvconf"}) {
    if (!rules.Visible(directory)) continue;
    if (containment == Containment::kNamespaces && closing.ByKernel(directory)) {
      PathRule rule = *rules.Find(directory);
      rule.unmapped_owners = true;
      rules.Replace(std::move(rule));
    } else {
      closing.ByMasks(directory);
    }
  }
}

}  // namespace mxc
