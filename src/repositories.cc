#include "repositories.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/quoted.h"
#include "cleanup/deferred_deletion.h"
#include "cleanup/detach_writers.h"
#include "cleanup/way_rights.h"
#include "mxc/limits.h"
#include "policy/paths/paths.h"
#include "policy/protect/git/config.h"
#include "policy/protect/git/review_budget.h"
#include "policy/protect/git/review_host.h"
#include "policy/protect/git/safe_config.h"
#include "policy/protect/git_next_run.h"
#include "policy/protect/git_review.h"
#include "run/end_asked.h"

namespace mxc {
namespace {

using Kind = GitChange::Kind;

constexpr std::string_view kAllowSafe =
    R"(--protect git=allow-safe, or "protect": {"git": {"config": "allow-safe"}} to `filesystem`)";

// A command must not be able to hide one among others, nor to fill the screen.
class Names {
 public:
  void Add(const std::string& name) {
    constexpr std::size_t kNamed = 100;
    if (named_ < kNamed) text_ += (text_.empty() ? "" : ", ") + name;
    ++(named_ < kNamed ? named_ : more_);
  }
  [[nodiscard]] bool Empty() const { return named_ == 0; }
  [[nodiscard]] std::string Text() const {
    return more_ == 0 ? text_ : text_ + " and " + std::to_string(more_) + " more";
  }

 private:
  std::string text_ = {};
  std::size_t named_ = 0;
  std::size_t more_ = 0;
};

Warning ProtectWarning(std::string category, std::string message) {
  return {.category = std::move(category), .message = std::move(message), .pointer = "/filesystem/protect"};
}

// Nothing without names.
void Warn(std::string category, const std::string& before, const Names& names, std::string_view after,
          std::vector<Warning>& warnings) {
  if (!names.Empty())
    warnings.push_back(ProtectWarning(std::move(category), before + names.Text() + std::string(after)));
}

// `aside`: what it is called now; empty: as before.
std::string WithNewName(const std::string& path, const std::string& aside) {
  return Quoted(path) + (aside.empty() ? "" : " (now " + Quoted(aside) + ")");
}

// The warning about changes of one kind: `before_names`, their names, `after_names`.
struct KindOfWarning {
  Kind kind;
  const char* category;
  const char* before_names;
  const char* after_names;
};
constexpr KindOfWarning kKindsOfWarnings[] = {
    // in the order of the warnings
    {Kind::kNew, "new-repository",
     "the command has left new repositories: ", "; see what they run before you use git there"},
    {Kind::kTakenUp, "repository-set-aside",
     "git in an existing repository would have run what the command has put in its way: ",
     "; see what it runs before you put it back"},
    {Kind::kInstructions, "repository-set-aside",
     "the command has left unfinished operations or remotes that may have git run something: ",
     "; see what they say before you put them back"},
    {Kind::kReplaced, "protection-lost",
     "protected files were changed from outside, and the command could write those that were replaced: ",
     "; see what they say before you use git there"},
    {Kind::kYoung, "new-repository",
     "while another command ran beside this one, git repositories were made or changed that have git run "
     "something: ",
     "; see what they run before you use git there"},
    {Kind::kPassage, "repository-set-aside",
     "the command has left what git would write or delete through, among git's own data: ",
     "; see where it leads before you put it back"},
    {Kind::kIndex, "repository-set-aside",
     "the command has left indexes that list more than files of the work tree, or that cannot be read: ",
     "; `git reset` makes new ones"},
    {Kind::kList, "repository-set-aside",
     "the command has left files of git's that name paths it could not write itself, or that are damaged: ",
     "; see what they name before you put them back"},
    {Kind::kStaged, "new-repository",
     "the command has left indexes whose next checkout makes repositories, which git obeys: ",
     "; see what they run, or take them out of the index (`git rm -r --cached`), before you check out there"},
    {Kind::kUnlisted, "new-repository",
     "the command has left directories that cannot be listed, or whose paths are too long, and that may hold "
     "git repositories: ",
     "; see what is in them before you use git there"},
    {Kind::kOpened, "rights-restored",
     "the command had given other users rights in directories that lead to what is held or denied; they are "
     "taken back: ",
     ""},
    {Kind::kListed, "listing-restored",
     "the command had taken away the right to list directories, which can be listed again: ", ""},
    {Kind::kConfig, "git-config-restored",
     "the command had written to configurations of git's what may run something, or what they must keep; "
     "what they said before stands there again: ",
     ""},
    {Kind::kFoundByName, "program-changed", "what programs of the host find by name is new or changed: ",
     "; see what it does before you use git there"},
    {Kind::kLinkTurned, "link-restored",
     "the command had replaced protected links, which lead again where they did: ", ""},
};

static_assert(std::size(kKindsOfWarnings) == static_cast<std::size_t>(Kind::kConfig) + 1);  // all of them

// The names of what was found, by kind.
class Findings {
 public:
  void Add(Kind kind, const std::string& name) { names_[kind].Add(name); }
  void Set(Kind kind, Names names) { names_[kind] = std::move(names); }
  [[nodiscard]] std::vector<Warning> Warnings() const {
    std::vector<Warning> warnings;
    for (const KindOfWarning& each : kKindsOfWarnings) {
      const auto found = names_.find(each.kind);
      if (found != names_.end())
        Warn(each.category, each.before_names, found->second, each.after_names, warnings);
    }
    return warnings;
  }

 private:
  std::map<Kind, Names> names_ = {};
};

// Configurations that were changed in a way that is not allowed, and were restored.
struct ConfigsPutBack {
  Names names = {};
  Names missing = {};                 // taken away, and not yet put back
  std::set<std::string> asides = {};  // what stood in their places, by the names that it has now
};

// Comes before the rest of the review, because configurations say how an index, for instance, is read.
void PutBackConfig(const GitChange& change, unsigned mode, const Host& host, ConfigsPutBack& put_back,
                   Names& standing) {
  const Result<std::string> aside = PutBack(change.path, change.text, mode);
  const std::string text = WithNewName(change.path, aside ? *aside : "");
  if (!aside) {
    const bool stands = host.LookAt(change.path).status.has_value();
    (stands ? standing : put_back.missing).Add(text + ": " + change.why + " (" + aside.error().message + ")");
    return;
  }
  if (!aside->empty()) put_back.asides.insert(*aside);
  put_back.names.Add(text + ": " + change.why);
}

// Restores the right to list the directories above git's data, from the top down: nothing below a directory
// that the command has closed can be read or put back.
Names OpenWays(const GitSnapshot& before) {
  std::set<std::string> ways;
  const auto granted = [&](std::string_view path) {
    return std::any_of(before.roots.begin(), before.roots.end(),
                       [&](const std::string& root) { return IsAtOrBelow(path, root); });
  };
  const auto add = [&](std::string_view path) {
    for (std::string_view at = ParentOf(path); granted(at) && ways.emplace(at).second;) at = ParentOf(at);
  };
  for (const std::vector<GitSnapshot::Text>* each : {&before.configs, &before.links})
    for (const GitSnapshot::Text& file : *each) add(file.path);
  for (const GitSnapshot::Place& place : before.places) add(place.part);
  Names opened;
  for (const std::string& way : ways) {
    if (RestoreListing(way)) opened.Add(Quoted(way));
  }
  return opened;
}

// git opens what it makes, and on `git init` what it finds, to the group of the repository, where a
// configuration says so, which the command could not write.
bool IsShared(const std::string& directory, const Host& host) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 20U;
  const Result<std::string> text = host.ReadFile(JoinPath(directory, "config"), kMostBytes);
  std::string value;
  for (const GitVariable& variable : ReadGitConfig(text ? *text : "")) {
    if (variable.section == "core" && variable.subsection.empty() && variable.name == "sharedrepository")
      value = variable.value;
  }
  constexpr std::string_view kSharing[] = {"group", "true", "yes",   "on",       "1",
                                           "all",   "2",    "world", "everybody"};
  unsigned mode = 0;
  std::from_chars(value.data(), value.data() + value.size(), mode, 8);
  return std::find(std::begin(kSharing), std::end(kSharing), value) != std::end(kSharing) ||
         (value.starts_with("0") && (mode & 020U) != 0);
}

// Without the rights that git itself gives.
Way WithoutShared(Way way, const GitSnapshot& before, const Host& host) {
  constexpr unsigned kGroupWrites = 020;
  const Lookup lookup = host.LookAt(way.path);
  if (!lookup.status || (lookup.status->mode & ~way.mode & kGroupWrites) == 0) return way;
  for (const std::string& directory : before.directories) {
    if (IsAtOrBelow(way.path, directory) && IsShared(directory, host)) way.guarded &= ~kGroupWrites;
  }
  return way;
}

// Of what the command could open to other users on the way to what is held. `still`: what could not be
// closed.
Names CloseWays(const GitSnapshot& before, const Host& host, Names& still) {
  Names closed;
  for (const Way& way : before.ways) {
    const Result<bool> taken_back = TakeRightsBack(WithoutShared(way, before, host));
    if (!taken_back) still.Add(Quoted(way.path) + " (" + taken_back.error().message + ")");
    if (taken_back && *taken_back) closed.Add(Quoted(way.path));
  }
  return closed;
}

// Restores those whose text may not stay, and those whose mode gives others more rights than before.
ConfigsPutBack PutBackConfigs(const GitSnapshot& before, const std::vector<GuardedConfig>& configs,
                              const Host& host, Names& standing) {
  ConfigsPutBack put_back;
  std::vector<GitChange> changes = ReviewGitConfigs(before, host);
  for (const GuardedConfig& config : configs) {
    auto change = std::find_if(changes.begin(), changes.end(),
                               [&](const GitChange& each) { return each.path == config.path; });
    const Lookup lookup = host.LookAt(config.path);
    if (change == changes.end() && lookup.status && (lookup.status->mode & ~config.mode) != 0) {
      change = changes.insert(changes.end(), {.kind = Kind::kConfig,
                                              .path = config.path,
                                              .part = config.path,
                                              .text = config.text,
                                              .why = "its mode gives more than it did"});
    }
    if (change != changes.end()) PutBackConfig(*change, config.mode, host, put_back, standing);
  }
  return put_back;
}

// A change of the command's that has been taken out of git's way, or could not be.
struct Disarmed {
  GitChange change;
  std::string aside = {};  // what `part` is called now; empty: as before
  std::string failure = {};
};

Disarmed Disarm(const GitChange& change) {
  Disarmed done{.change = change};
  if (!change.part.empty()) {
    Result<std::string> aside = SetAside(change.part, change.into);
    if (!aside) return {.change = change, .failure = aside.error().message};
    done.aside = std::move(*aside);
  }
  if (change.text.empty()) return done;
  if (const Status made = MakeLink(change.path, change.text); !made) done.failure = made.error().message;
  return done;
}

// What `path` is called when directories above it have been renamed.
std::string NameAfter(const std::map<std::string, std::string>& renamed, std::string path) {
  for (std::string at(ParentOf(path)); at.size() > 1; at = ParentOf(at)) {
    const auto found = renamed.find(at);
    if (found == renamed.end()) continue;
    path = found->second + path.substr(at.size());
    at = found->second;
  }
  return path;
}

// From below: once a directory has another name, what is in it is no longer found by the old one.
std::vector<Disarmed> DisarmAll(std::vector<GitChange> changes, const std::set<std::string>& told) {
  std::erase_if(changes, [&](const GitChange& change) { return told.contains(change.path); });
  const auto depth = [](const GitChange& change) {
    return std::count(change.part.begin(), change.part.end(), '/');
  };
  std::stable_sort(changes.begin(), changes.end(),
                   [&](const GitChange& one, const GitChange& other) { return depth(one) > depth(other); });
  std::vector<Disarmed> all;
  std::map<std::string, std::string> renamed;
  for (const GitChange& change : changes) {
    all.push_back(Disarm(change));
    if (!all.back().aside.empty()) renamed.emplace(change.part, all.back().aside);
  }
  for (Disarmed& each : all) each.aside = NameAfter(renamed, each.aside);
  return all;
}

std::string TextOf(const Disarmed& one) {
  const std::string text = WithNewName(one.change.path, one.aside);
  return one.failure.empty() ? text : text + " (" + one.failure + ")";
}

// Sets files aside that the next run could not read, which would be refused. Says nothing if this review did
// not read everything.
void WarnOfNextRun(const GitSnapshot& before, const std::vector<std::string>& left, const Host& host,
                   ReviewBudget& budget, std::vector<Warning>& warnings) {
  const auto stays = [](const std::string& /*path*/, std::uint64_t /*room*/) { return Result<bool>(false); };
  const ReviewHost reading(host, before, stays, &budget);
  NextRun next = CheckNextRun(before, left, reading);
  if (!budget.Gap().empty()) return;
  Names names;
  for (const std::string& obstacle : next.obstacles) {
    const Result<std::string> aside = SetAside(obstacle, "");
    if (aside) names.Add(WithNewName(obstacle, *aside));
  }
  if (!names.Empty()) next = CheckNextRun(before, left, reading);
  Warn("repository-set-aside",
       "the command has left files of git's that cannot be read, or name what cannot be, which would keep "
       "later runs from starting: ",
       names, "; see what they say before you put them back", warnings);
  if (next.starts || !budget.Gap().empty()) return;
  warnings.push_back(ProtectWarning(
      "next-run-refused", "what the command has left keeps later runs with these grants from starting: " +
                              next.starts.error().message + "; " + next.starts.error().hint));
}

Names CopiesIn(const std::vector<std::string>& paths, const std::vector<std::string>& more) {
  Names copies;
  for (const std::vector<std::string>* each : {&paths, &more}) {
    for (const std::string& path : *each) copies.Add(Quoted(path));
  }
  return copies;
}

}  // namespace

RepositoryReview ReviewRepositories(const GitSnapshot& before, const std::vector<GuardedConfig>& configs,
                                    const std::vector<std::string>& tried, const Host& host,
                                    const std::set<std::string>& asides) {
  const auto detach = [](const std::string& path, std::uint64_t room) {
    return DetachWriters(path, static_cast<std::size_t>(std::min<std::uint64_t>(room, kMaxGitIndexBytes)));
  };
  ReviewBudget budget(host, {.interrupted = IsEndAsked});
  // A ReviewHost caches what it has looked up, and PutBackConfigs changes files: the review needs its own.
  const ReviewHost for_configs(host, before, detach, &budget);
  const ReviewHost for_review(host, before, detach, &budget);
  Findings findings;
  Names standing;                 // what could not be renamed
  Names links;                    // what could not be made again
  std::vector<std::string> left;  // new repositories, and what was renamed, under their present names
  std::string gap;
  Names open;  // to other users
  findings.Set(Kind::kOpened, CloseWays(before, host, open));
  findings.Set(Kind::kListed, OpenWays(before));
  const ConfigsPutBack put_back = PutBackConfigs(before, configs, for_configs, standing);
  findings.Set(Kind::kConfig, put_back.names);
  std::vector<GitChange> changes = ReviewGit(before, for_review, gap, RestoreListing);
  std::erase_if(changes, [&](const GitChange& change) {
    const bool named = change.kind == Kind::kPassage || change.kind == Kind::kFoundByName;
    return named && asides.contains(change.path);
  });
  for (const Disarmed& one : DisarmAll(std::move(changes), put_back.asides)) {
    const GitChange& change = one.change;
    const std::string text = TextOf(one);
    if (change.kind == Kind::kNew || change.kind == Kind::kTakenUp) left.push_back(change.path);
    if (!one.aside.empty() && change.into.empty()) left.push_back(one.aside);
    if (!change.part.empty() && one.aside.empty()) {
      standing.Add(text);
    } else if (!change.text.empty() && !one.failure.empty()) {
      links.Add(text + ", to " + Quoted(change.text));
    } else {
      findings.Add(change.kind, text);
    }
  }
  std::vector<Warning> warnings = findings.Warnings();
  Warn("repository-file-copied",
       "files of git's were still open for writing when the command had ended, and are copies now, which "
       "nobody has open: ",
       CopiesIn(for_configs.Copied(), for_review.Copied()), "", warnings);
  Warn("protection-incomplete",
       "configurations of git's could not be put back, and are missing now: ", put_back.missing,
       "; the next run puts them back, or `mxc-exec --recover`", warnings);
  Warn("protection-incomplete", "protected links could not be made again, and are missing now: ", links,
       "; make them before you use git there", warnings);
  Warn("protection-incomplete",
       "other users have got rights in directories that lead to what is held or denied: ", open,
       "; see what is in them, and take the rights back", warnings);
  Warn("protection-incomplete", "what git would obey still stands there: ", standing,
       "; remove it before you use git there", warnings);
  WarnOfNextRun(before, left, host, budget, warnings);
  if (!budget.Gap().empty()) {
    warnings.push_back(ProtectWarning("protection-incomplete",
                                      "not all that the command has left for git was read, because " +
                                          budget.Gap() +
                                          "; what was not read was treated as what cannot be read"));
  }
  if (!gap.empty()) {
    warnings.push_back(
        ProtectWarning("protection-incomplete", "not all was looked at for new git repositories: " + gap));
  }
  for (Warning& held : HeldWarnings(tried, before, false, host)) warnings.push_back(std::move(held));
  return {.warnings = std::move(warnings), .settled = put_back.missing.Empty()};
}

std::vector<GuardedConfig> ConfigsToRestore(const GitSnapshot& before, const Host& host) {
  constexpr unsigned kOwnersAlone = 0600;
  std::vector<GuardedConfig> configs;
  for (const GitSnapshot::Text& each : before.configs) {
    const Lookup lookup = host.LookAt(each.path);
    configs.push_back({.path = each.path,
                       .text = each.text,
                       .mode = lookup.status ? lookup.status->mode : kOwnersAlone,
                       .alone = !IsAllSafe(each.text)});
  }
  return configs;
}

std::vector<GuardedPath> ProtectedPathsToRestore(const Policy& policy, const Plan& plan) {
  std::vector<GuardedPath> guarded;
  if (plan.isolation_level != IsolationLevel::kLandlock) return guarded;
  const auto grant_of = [&](const std::string& path) {
    std::string grant = path;  // without one nothing above it is renamed
    for (const PathRule& above : policy.paths) {
      const bool granted = above.origin == Origin::kPolicy && above.access == Access::kReadWrite;
      if (granted && IsAtOrBelow(path, above.path)) grant = above.path;
    }
    return grant;
  };
  for (const PathRule& rule : policy.paths) {
    if (rule.origin != Origin::kProtection || rule.access != Access::kReadOnly) continue;
    guarded.push_back({.path = rule.path, .grant = grant_of(rule.path), .object = rule.object});
  }
  for (const GitSnapshot::Text& link : plan.git.links)
    guarded.push_back({.path = link.path, .grant = grant_of(link.path), .link = link.text});
  return guarded;
}

std::vector<Warning> PutBackWarnings(const std::vector<PutBackPath>& paths) {
  Names again;
  Names gone;
  Names missing;
  Names standing;
  std::string advice;
  for (const PutBackPath& each : paths) {
    const std::string text = WithNewName(each.path, each.aside);
    if (each.path.ends_with("/config"))
      advice = "; to let keys be written that execute nothing, add " + std::string(kAllowSafe);
    if (each.failure.empty()) {
      (each.gone ? gone : again).Add(text);
    } else {
      (each.missing ? missing : standing).Add(text + " (" + each.failure + ")");
    }
  }
  std::vector<Warning> warnings;
  Warn("protected-put-back",
       "the command had changed what `protect` names, which is what it was again: ", again, advice, warnings);
  Warn("protected-put-back",
       "the command had moved away or removed what `protect` names, and put something else in its place, "
       "where nothing stands any more: ",
       gone, "", warnings);
  Warn("protection-incomplete",
       "the command had changed what `protect` names, which could not be put back, and is missing now: ",
       missing, "; the next call puts it back, or `mxc-exec --recover`, when there is room", warnings);
  Warn("protection-incomplete",
       "the command has changed what `protect` names, and it could not be put back: ", standing,
       "; see what it says before git or mxc-exec reads it", warnings);
  return warnings;
}

std::vector<Warning> HeldWarnings(const std::vector<std::string>& tried, const GitSnapshot& before,
                                  bool stays, const Host& host) {
  const auto was_tried = [&](const std::string& path) {
    return std::find(tried.begin(), tried.end(), path) != tried.end();
  };
  Names configs;
  Names removed;
  for (const GitSnapshot::Held& held : before.held) {
    if (held.inode == 0 || NameOf(held.path) != "config") continue;
    const Lookup lookup = host.LookAt(held.path);
    // With another inode the host's git has replaced it, which is another warning.
    if (!lookup.status || lookup.status->object.inode != held.inode) continue;
    const std::string directory(ParentOf(held.path));
    const std::string head = JoinPath(directory, "HEAD");
    if (was_tried(held.path)) configs.Add(Quoted(held.path));
    if (was_tried(head) && !host.LookAt(head).status) removed.Add(Quoted(directory));
  }
  std::vector<Warning> warnings;
  Warn("repository-held",
       "the command has removed parts of repositories, of which `protect` holds the rest: ", removed,
       "; to remove them whole, do so outside of the sandbox", warnings);
  if (configs.Empty()) return warnings;
  warnings.push_back(ProtectWarning("git-config-held",
                                    "git could not write " + configs.Text() +
                                        ": `protect` holds it, because the host's git runs what it names; to "
                                        "let keys be written that execute nothing, " +
                                        (stays ? "run git outside of this sandbox, in a run with " : "add ") +
                                        std::string(kAllowSafe)));
  return warnings;
}

}  // namespace mxc
