#include "policy/own_state.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/runtime_places.h"
#include "mxc/limits.h"
#include "policy/own_places.h"
#include "policy/paths/entries.h"
#include "policy/paths/placeholders.h"
#include "policy/protect/protector.h"

namespace mxc {
namespace {

// Whoever may not write the directory above cannot create it, inside or out. Where that is missing, it is
// /run/user/UID, which root alone creates (HasSessionPlace).
bool CanBeMade(const Host& host, PathWalker& walker, const std::string& path) {
  const std::string above{ParentOf(path)};
  return walker.LookAt(above).status && host.MayAccess(above, Access::kReadWrite);
}

// An image that is being unpacked: tar writes there, in a sandbox, and no run uses it before it is done.
bool IsUnfinishedImage(const std::string& path) { return NameOf(path).starts_with(kUnfinishedImage); }

Error Granted(const PathRule& rule, const OwnPlace& place, const std::string& path) {
  const std::string why =
      place.denied ? ": what mxc-exec keeps of sandboxes in " + Quoted(path) + " never appears inside"
                   : ": what mxc-exec keeps in " + Quoted(path) + " is no command's to write";
  return Conflict(Quoted(rule.path) + why, rule.pointer, "remove the entry");
}

Error IsALink(const PathRule& grant, const std::string& path) {
  return Conflict(Quoted(path) + ", below the read-write " + Quoted(grant.path) +
                      ", is a symbolic link on the way to what mxc-exec keeps for itself",
                  grant.pointer, "remove the link, or grant less");
}

Error NotTold(const std::string& path) {
  return Conflict("what mxc-exec keeps for itself cannot be told: " + Quoted(path) +
                      " cannot be looked into, or is a symbolic link that leads nowhere",
                  "/filesystem", "remove the link, or make the directory readable for you");
}

Error NotHeld(const PathRule& grant, const std::string& path) {
  return Conflict("the command could make " + Quoted(path) + ", whose name decides what later calls mean",
                  grant.pointer, "make it, or grant less than " + Quoted(grant.path));
}

Error NeedsMounts(const PathRule& grant, const std::string& path) {
  return Unenforceable(
      Quoted(path) + ", whose name decides what later calls mean, cannot be held below the read-write " +
          Quoted(grant.path) + " without a mount namespace",
      grant.pointer,
      "grant the directories beside it instead of the one above, or " + std::string(kChooseUserNamespaces));
}

Error NotFollowed(const std::string& path) {
  return Conflict("the file of the policy, " + Quoted(path) + ", cannot be held: its path cannot be followed",
                  "/filesystem", "name the file by its path, or give it on standard input, to mxc-exec -");
}

class OwnState {
 public:
  OwnState(const Host& host, Containment containment, const MountNames& names, PathWalker& walker,
           RuleSet& rules, std::vector<Warning>& warnings)
      : host_(host),
        containment_(containment),
        names_(names),
        walker_(walker),
        rules_(rules),
        seen_(host, rules),
        seen_walker_(seen_),
        protector_(seen_, names, seen_walker_, rules, {}, warnings) {}

  // A place that no grant may show.
  Status Deny(const OwnPlace& place) {
    const Result<Walked> above = walker_.Walk(ParentOf(place.path));
    if (!above) return Done{};  // a run of mxc-exec could not look it up either
    const Result<std::vector<std::string>> all = NamesOf(JoinPath(above->path, NameOf(place.path)));
    if (!all) return all.error();
    for (const std::string& path : *all) {
      if (Status denied = DenyName(place, path); !denied) return denied;
    }
    return Done{};
  }

  // One that a grant may show, and no command may write.
  Status Keep(const OwnPlace& place) {
    if (rules_.PathsWith(Access::kReadWrite).empty()) return Done{};
    const Result<Walked> way = walker_.Walk(place.path);
    if (!way || place.unlisted) return CheckClosed(place.path);
    if (Status links = CheckLinks(*way); !links) return links;
    if (Status left = PinDirectoriesSteppedOutOf(*way); !left) return left;
    const Result<std::vector<std::string>> all = NamesOf(way->path);
    if (!all) return all.error();
    const bool linked = std::any_of(way->links.begin(), way->links.end(),
                                    [](const LinkMet& met) { return !IsRootsAlone(met); });
    for (const std::string& path : *all) {
      if (Status kept = KeepName(place, path, linked); !kept) return kept;
    }
    return Done{};
  }

  // What the caller's next call reads or runs: it stays as it is, and keeps its place below the grant.
  Status KeepFile(const std::string& file) {
    const Result<Walked> walked = seen_walker_.Walk(file);
    if (!walked || !walked->status) return Done{};
    for (const std::string& granted : rules_.PathsAtOrBelow(walked->path)) {
      const PathRule& rule = *rules_.Find(granted);
      if (rule.access == Access::kReadWrite && rule.origin == Origin::kPolicy)
        return Conflict(Quoted(granted) + ": whoever could write it would choose what the next call runs",
                        rule.pointer, "remove the entry");
    }
    const PathRule* const grant = Writable(walked->path);
    protector_.BeginOwnState(grant != nullptr ? grant->pointer : "/filesystem");
    protector_.Protect(file, WhenMissing::kLeft);
    std::string_view above = ParentOf(walked->path);
    for (; above != "/" && rules_.Find(above) == nullptr; above = ParentOf(above))
      protector_.Pin(std::string(above));
    return protector_.End();
  }

  // The same; also refuses a link on the way that the command could replace.
  Status KeepPolicy(const PolicyFile& file) {
    const Result<Walked> walked = seen_walker_.Walk(file.path);
    // A walk ends at a link of /proc, whose target only its process can see.
    if (!walked || walked->Is(FileType::kSymlink)) return NotFollowed(file.path);
    if (Status left = PinDirectoriesSteppedOutOf(*walked); !left || !file.kept) return left;
    if (Status links = CheckLinks(*walked); !links) return links;
    return KeepFile(file.path);
  }

  // Pins the directories that a path steps back out of by "..". One above a link that the path met needs no
  // pin: it is held with that link.
  Status PinDirectoriesSteppedOutOf(const Walked& way) {
    for (const std::string& directory : way.left) {
      if (std::any_of(way.links.begin(), way.links.end(),
                      [&](const LinkMet& met) { return IsAtOrBelow(met.link.path, directory); }))
        continue;
      const Result<std::vector<std::string>> all = NamesOf(directory);
      if (!all) return all.error();
      for (const std::string& name : *all) {
        const PathRule* const grant = Writable(name);
        if (grant == nullptr || grant->path == name) continue;
        if (Status pinned = PinDirectory(name, *grant); !pinned) return pinned;
      }
    }
    return Done{};
  }

  // Protects the other hard-link names of the files kept above.
  Status HoldOtherNames() {
    protector_.BeginOwnState("/filesystem");
    if (Status held = protector_.HoldOtherNames(); !held) return held;
    return protector_.End();
  }

  [[nodiscard]] const std::vector<GitSnapshot::Text>& Links() const { return protector_.Links(); }

 private:
  // A directory that the caller cannot enter needs no protection, because no later run can enter it. Refused
  // if the caller owns it, because the command could open a way to it, or if it is a link that leads nowhere.
  [[nodiscard]] Status CheckClosed(const std::string& path) {
    for (std::string at = path;; at = ParentOf(at)) {
      const Lookup& lookup = walker_.LookAt(at);
      if (!lookup.status && at != "/") continue;
      const bool link = lookup.Is(FileType::kSymlink);
      const Identity caller = host_.Caller();
      const bool own = lookup.status && lookup.status->uid == caller.uid && !caller.IsRoot();
      return link || own ? Status(NotTold(at)) : Done{};
    }
  }

  [[nodiscard]] Result<std::vector<std::string>> NamesOf(const std::string& path) const {
    std::vector<std::string> all = {path};
    if (!names_.Any()) return all;
    const std::optional<std::vector<std::string>> others = names_.OthersOf(path);
    if (!others) {
      return Conflict(Quoted(path) + ", mxc-exec's own, has more than " + std::to_string(kMaxSecondNames) +
                          " names through mounts",
                      "/filesystem", "unmount some of them, or grant less");
    }
    all.insert(all.end(), others->begin(), others->end());
    return all;
  }

  // Refuses a link that the command could replace: its target controls later runs, and no mount can protect a
  // link.
  [[nodiscard]] Status CheckLinks(const Walked& way) {
    for (const LinkMet& met : way.links) {
      if (IsRootsAlone(met) || !CanChange(std::string(ParentOf(met.link.path)))) continue;
      const Result<std::vector<std::string>> all = NamesOf(met.link.path);
      if (!all) return all.error();
      for (const std::string& name : *all) {
        if (const PathRule* const grant = Writable(name)) return IsALink(*grant, name);
      }
    }
    return Done{};
  }

  [[nodiscard]] Status PinDirectory(const std::string& path, const PathRule& grant) {
    if (!TraitsOf(containment_).mounts) {
      return Unenforceable(Quoted(path) +
                               ", which a path steps back out of, cannot be held below the "
                               "read-write " +
                               Quoted(grant.path) + " without a mount namespace",
                           grant.pointer, "write the path without '..'");
    }
    if (!walker_.LookAt(path).status) return Hold(path, grant, true);
    protector_.BeginOwnState(grant.pointer);
    protector_.Pin(path);
    return Done{};
  }

  [[nodiscard]] Status DenyName(const OwnPlace& place, const std::string& path) {
    for (const std::string& granted : rules_.PathsAtOrBelow(path)) {
      const PathRule& rule = *rules_.Find(granted);
      const bool shown = !place.shown.empty() && IsAtOrBelow(granted, place.shown);
      if (rule.access != Access::kDenied && rule.origin == Origin::kPolicy && !shown)
        return Granted(rule, place, path);
    }
    const PathRule* grant = rules_.Covering(path);
    if (grant == nullptr || grant->access == Access::kDenied || grant->path == path) return Done{};
    const Lookup& lookup = walker_.LookAt(path);
    if (lookup.Is(FileType::kSymlink))
      return grant->access == Access::kReadWrite ? Status(IsALink(*grant, path)) : Done{};
    if (!lookup.status && lookup.failure != LookupFailure::kMissing) return Done{};
    if (!lookup.status && !CanBeMade(host_, walker_, path)) return Done{};
    PathRule rule{.path = path, .access = Access::kDenied, .origin = Origin::kBaseline};
    if (lookup.status) {
      rule.object = lookup.status->object;
    } else {
      rule.own_directory_mode = 0700;
    }
    rules_.Add(std::move(rule));
    return Done{};
  }

  [[nodiscard]] Status KeepName(const OwnPlace& place, const std::string& path, bool linked) {
    for (const std::string& granted : rules_.PathsAtOrBelow(path)) {
      const PathRule& rule = *rules_.Find(granted);
      if (rule.access == Access::kReadWrite && rule.origin == Origin::kPolicy && !IsUnfinishedImage(granted))
        return Granted(rule, place, path);
    }
    const PathRule* grant = Writable(path);
    if (grant == nullptr || grant->path == path) return Done{};
    while (grant->origin == Origin::kProtection && grant->path != "/")
      grant = rules_.Covering(ParentOf(grant->path));
    return Hold(path, *grant, linked);
  }

  // A missing path that nobody can create needs no protection. Without mounts the cleanup process restores
  // the path itself; one that links lead to is refused.
  [[nodiscard]] Status Hold(const std::string& path, const PathRule& grant, bool linked) {
    const PathRule found = grant;  // rules are added
    std::string above{ParentOf(path)};
    while (!seen_walker_.LookAt(above).status && above != "/") above = ParentOf(above);
    const bool there = seen_walker_.LookAt(path).status.has_value();
    const bool made = !there && CanChange(above);
    if (linked && (made || there) && !TraitsOf(containment_).mounts) return NeedsMounts(found, path);
    protector_.BeginOwnState(found.pointer);
    protector_.Protect(path, WhenMissing::kDirectory);
    if (Status ended = protector_.End(); !ended) return ended;
    return made && Writable(path) != nullptr ? Status(NotHeld(found, path)) : Done{};
  }

  // The owner may chmod, so it counts as able to write.
  [[nodiscard]] bool CanChange(const std::string& directory) {
    const Lookup& lookup = walker_.LookAt(directory);
    return host_.MayAccess(directory, Access::kReadWrite) ||
           (lookup.status && lookup.status->uid == host_.Caller().uid);
  }

  // The read-write grant that `path` is in; nullptr: it is in none.
  [[nodiscard]] const PathRule* Writable(const std::string& path) const {
    const PathRule* const rule = rules_.Covering(path);
    return rule != nullptr && rule->access == Access::kReadWrite ? rule : nullptr;
  }

  const Host& host_;
  Containment containment_;
  const MountNames& names_;
  PathWalker& walker_;
  RuleSet& rules_;
  WithoutPlaceholders seen_;
  PathWalker seen_walker_;
  Protector protector_;
};

}  // namespace

Status ProtectOwnState(const Host& host, const std::vector<OwnPlace>& places, const MountNames& names,
                       const std::vector<ExaminedEntry>& entries, const PolicyFile& policy_file,
                       PathWalker& walker, RuleSet& rules, Policy& policy) {
  if (!rules.HasGrantOfPolicy()) return Done{};
  OwnState state(host, policy.containment, names, walker, rules, policy.warnings);
  for (const OwnPlace& place : places) {
    if (Status done = place.denied ? state.Deny(place) : state.Keep(place); !done) return done;
  }
  if (rules.PathsWith(Access::kReadWrite).empty()) return Done{};
  for (const ExaminedEntry& entry : entries) {
    if (Status left = state.PinDirectoriesSteppedOutOf(entry.walked); !left) return left;
  }
  for (const std::string& file : FindOwnFiles(host)) {
    if (Status kept = state.KeepFile(file); !kept) return kept;
  }
  if (Status kept = policy_file.path.empty() ? Status(Done{}) : state.KeepPolicy(policy_file); !kept)
    return kept;
  if (Status held = state.HoldOtherNames(); !held) return held;
  policy.git.links.insert(policy.git.links.end(), state.Links().begin(), state.Links().end());
  return Done{};
}

}  // namespace mxc
