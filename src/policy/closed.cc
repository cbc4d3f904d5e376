#include "policy/closed.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "policy/paths/baseline.h"

namespace mxc {
namespace {

constexpr std::uint32_t kOthersRead = 04;
constexpr std::uint32_t kOthersSearch = 01;
constexpr std::uint32_t kOthersAny = 07;

class Closing {
 public:
  Closing(const Host& host, Containment containment, const MountNames& names, PathWalker& walker,
          RuleSet& rules)
      : host_(host), containment_(containment), names_(names), walker_(walker), rules_(rules) {}

  // False, with nothing changed, if the kernel cannot enforce it for everything below.
  [[nodiscard]] bool ByKernel(const std::string& directory) {
    const PathRule* rule = rules_.Find(directory);
    if (rule == nullptr || rule->access != Access::kReadOnly || !OthersMayRead(directory)) return false;
    std::vector<std::string> unmapped = {directory};
    for (const std::string& path : rules_.PathsAtOrBelow(directory)) {
      if (path == directory) continue;
      const Access access = rules_.Find(path)->access;
      if (access == Access::kReadWrite || !OthersMayReach(path, directory)) return false;
      const bool shown = access == Access::kReadOnly && OthersMayRead(path);
      const bool hidden = access == Access::kDenied && rules_.Find(path)->origin == Origin::kBaseline;
      if (shown || (hidden && IsClosedFile(path))) unmapped.push_back(path);
    }
    if (!MayGrantIn(directory) || ShowsInGrants(directory) || !host_.CanUnmapOwners(directory)) return false;
    for (const std::string& path : unmapped) {
      PathRule shown = *rules_.Find(path);
      shown.unmapped_owners = true;
      rules_.Replace(std::move(shown));
    }
    return true;
  }

  void ByMasks(const std::string& directory) {
    for (const std::string& path : host_.ListClosed(directory)) MaskSecret(host_, walker_, rules_, path);
  }

 private:
  // If others may read it, a grant gives them nothing more.
  [[nodiscard]] bool OthersMayRead(const std::string& path) const {
    const Lookup& lookup = walker_.LookAt(path);
    if (!lookup.status) return false;
    const std::uint32_t needed = lookup.Is(FileType::kDirectory) ? kOthersRead | kOthersSearch : kOthersRead;
    return (lookup.status->mode & needed) == needed;
  }

  [[nodiscard]] bool IsClosedFile(const std::string& path) const {
    const Lookup& lookup = walker_.LookAt(path);
    return lookup.Is(FileType::kRegular) && (lookup.status->mode & kOthersAny) == 0;
  }

  // In such a mount nothing can be mounted below a directory that others may not search.
  [[nodiscard]] bool OthersMayReach(const std::string& path, std::string_view directory) const {
    std::string_view above = path;
    do {
      above = ParentOf(above);
      const Lookup& lookup = walker_.LookAt(std::string(above));
      if (!lookup.status || (lookup.status->mode & kOthersSearch) == 0) return false;
    } while (above != directory);
    return true;
  }

  // Our engine opens the source of a grant on the host, bubblewrap in its own view of the host.
  [[nodiscard]] bool MayGrantIn(std::string_view directory) const {
    if (containment_ == Containment::kNamespaces || containment_ == Containment::kLxc) return true;
    const std::vector<std::string> paths = rules_.PathsAtOrBelow(directory);
    return containment_ == Containment::kBubblewrap &&
           std::none_of(paths.begin(), paths.end(), [&](const std::string& path) {
             const PathRule& rule = *rules_.Find(path);
             return rule.origin != Origin::kBaseline && rule.access != Access::kDenied;
           });
  }

  // A grant that shows part of `directory` under another name shows it with root's rights.
  [[nodiscard]] bool ShowsInGrants(std::string_view directory) const {
    if (!names_.Any()) return false;
    const auto shows = [&](const std::string& path) {
      const std::optional<std::vector<std::string>> others = names_.OthersOf(path);
      return !others || std::any_of(others->begin(), others->end(),
                                    [&](const std::string& other) { return AreNested(other, directory); });
    };
    for (const PathRule& rule : rules_.All()) {
      const bool grant = rule.origin == Origin::kPolicy && rule.access != Access::kDenied;
      if (grant && !IsAtOrBelow(rule.path, directory) && shows(rule.path)) return true;
    }
    return std::any_of(names_.Visible().begin(), names_.Visible().end(), [&](const Mount* mount) {
      return DecidedByPolicy(rules_, mount->path) && shows(mount->path);
    });
  }

  const Host& host_;
  Containment containment_;
  const MountNames& names_;
  PathWalker& walker_;
  RuleSet& rules_;
};

}  // namespace

void CloseToOthers(const Host& host, Containment containment, const MountNames& names, PathWalker& walker,
                   RuleSet& rules) {
  if (!host.Caller().IsRoot()) return;
  Closing closing(host, containment, names, walker, rules);
  for (const char* directory : {"/etc", "/run/NetworkManager", "/run/systemd/resolve", "/run/resolvconf"}) {
    if (!rules.Visible(directory)) continue;
    if (!closing.ByKernel(directory)) closing.ByMasks(directory);
  }
}

}  // namespace mxc
