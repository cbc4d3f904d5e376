#include "repositories.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/quoted.h"
#include "cleanup/deferred_deletion.h"
#include "cleanup/detach_writers.h"
#include "mxc/limits.h"
#include "policy/paths/paths.h"
#include "policy/protect/git_config_review.h"
#include "policy/protect/git_next_run.h"
#include "policy/protect/git_review.h"
#include "policy/protect/git_safe_config.h"
#include "policy/protect/review_host.h"

namespace mxc {
namespace {

using Kind = GitChange::Kind;

constexpr std::string_view kAllowSafe =
    R"(--protect git=allow-safe, or "protect": {"git": {"config": "allow-safe"}} to `filesystem`)";

// A command must not be able to hide one among others, nor to fill the screen.
std::string Named(const std::vector<std::string>& names) {
  constexpr std::size_t kNamed = 100;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kNamed); ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kNamed) text += " and " + std::to_string(names.size() - kNamed) + " more";
  return text;
}

// What is judged afterwards is read as these say, which stand there again by then: an index for instance.
std::string PutBackConfig(const GitChange& change, unsigned mode, std::set<std::string>& asides,
                          std::vector<std::string>& standing) {
  std::string text = Quoted(change.path);
  const Result<std::string> aside = PutBack(change.path, change.text, mode);
  if (!aside) standing.push_back(text + " (" + aside.error().message + ")");
  if (aside && !aside->empty()) {
    text += " (now " + Quoted(*aside) + ")";
    asides.insert(*aside);
  }
  return text + ": " + change.why;
}

// `asides`: what stood in their places, by the names that it has now. One that others may write, or run,
// since the command could is none that it may leave.
std::vector<std::string> PutBackConfigs(const GitSnapshot& before, const std::vector<GuardedConfig>& configs,
                                        const Host& host, std::set<std::string>& asides,
                                        std::vector<std::string>& standing) {
  PathWalker walker(host);
  std::vector<std::string> names;
  std::vector<GitChange> changes = ReviewGitConfigs(before, host, walker);
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
    if (change != changes.end()) names.push_back(PutBackConfig(*change, config.mode, asides, standing));
  }
  return names;
}

// Takes it out of git's way; what came of that. `left`: where it stands now. `standing`: what could not be
// renamed.
std::string Disarm(const GitChange& change, std::vector<std::string>& left,
                   std::vector<std::string>& standing) {
  std::string text = Quoted(change.path);
  if (!change.part.empty()) {
    const Result<std::string> aside = SetAside(change.part, change.into);
    if (!aside) {
      text += " (" + aside.error().message + ")";
      standing.push_back(text);
      return text;
    }
    text += " (now " + Quoted(*aside) + ")";
    if (change.into.empty()) left.push_back(*aside);
  }
  if (change.text.empty()) return text;
  const Status made = MakeLink(change.path, change.text);
  return made ? text : text + " (" + made.error().message + ")";
}

}  // namespace

std::vector<Warning> ReviewRepositories(const GitSnapshot& before, const std::vector<GuardedConfig>& configs,
                                        const Host& host) {
  struct Sort {
    Kind kind;
    const char* category;
    const char* before_names;
    const char* after_names;
    std::vector<std::string> names = {};
  };
  Sort sorts[] = {
      {Kind::kNew, "new-repository",
       "the command has left new git repositories: ", "; see what they run before you use git there"},
      {Kind::kTakenUp, "repository-set-aside",
       "git in a repository of before would have run what the command has put in its way: ",
       "; see what it runs before you put it back"},
      {Kind::kInstructions, "repository-set-aside",
       "the command has left unfinished operations or remotes that may have git run something: ",
       "; see what they say before you put them back"},
      {Kind::kReplaced, "protection-lost",
       "protected files were changed from outside, and the command could write those that were replaced: ",
       "; see what they say before you use git there"},
      {Kind::kPassage, "repository-set-aside",
       "the command has left what git would write or delete through, among git's own data: ",
       "; see where it leads before you put it back"},
      {Kind::kIndex, "repository-set-aside",
       "the command has left indexes that list more than files of the work tree, or that cannot be read: ",
       "; `git reset` makes new ones"},
      {Kind::kList, "repository-set-aside",
       "the command has left files of git's that name paths it could not write itself, or that are damaged: ",
       "; see what they name before you put them back"},
      {Kind::kUnlisted, "new-repository",
       "the command has left directories that cannot be listed and may hold git repositories: ",
       "; see what is in them before you use git there"},
      {Kind::kListed, "listing-restored",
       "the command had taken away the right to list directories, which can be listed again: ", ""},
      {Kind::kConfig, "git-config-restored",
       "the command had written to configurations of git's what may run something, or what they must keep; "
       "what they said before stands there again: ",
       ""},
      {Kind::kFoundByName, "program-changed",
       "what programs of the host find by name is new or changed, on the caller's PATH or in the words of "
       "git's "
       "configuration: ",
       "; see what it does before you use git there"},
      {Kind::kLinkTurned, "link-restored",
       "the command had replaced protected links, which lead again where they did: ", ""},
  };
  std::string gap;
  std::vector<std::string> left;
  std::vector<std::string> standing;
  const auto detach = [](const std::string& path) { return DetachWriters(path, kMaxGitIndexBytes); };
  const ReviewHost judging(host, before, detach);
  const ReviewHost reading(host, before, detach);
  std::set<std::string> asides;
  const auto sort_of = [&](Kind kind) -> Sort& {
    return *std::find_if(std::begin(sorts), std::end(sorts),
                         [&](const Sort& each) { return each.kind == kind; });
  };
  sort_of(Kind::kConfig).names = PutBackConfigs(before, configs, judging, asides, standing);
  for (const GitChange& change : ReviewGit(before, reading, gap, RestoreListing)) {
    if (asides.contains(change.path)) continue;  // told already
    Sort& sort = sort_of(change.kind);
    if (change.kind == Kind::kNew || change.kind == Kind::kTakenUp) left.push_back(change.path);
    sort.names.push_back(change.part.empty() && change.text.empty() && change.why.empty()
                             ? Quoted(change.path)
                             : Disarm(change, left, standing));
  }
  std::vector<Warning> warnings;
  for (const Sort& sort : sorts) {
    if (sort.names.empty()) continue;
    warnings.push_back({.category = sort.category,
                        .message = sort.before_names + Named(sort.names) + sort.after_names,
                        .pointer = "/filesystem/protect"});
  }
  std::vector<std::string> copies;
  for (const ReviewHost* each : {&judging, &reading}) {
    for (const std::string& path : each->Copied()) copies.push_back(Quoted(path));
  }
  if (!copies.empty()) {
    warnings.push_back(
        {.category = "repository-file-copied",
         .message = "files of git's were still open for writing when the command had ended, and are copies "
                    "now, which nobody has open: " +
                    Named(copies),
         .pointer = "/filesystem/protect"});
  }
  if (!standing.empty()) {
    warnings.push_back({.category = "protection-incomplete",
                        .message = "what git would obey still stands there: " + Named(standing) +
                                   "; remove it before you use git there",
                        .pointer = "/filesystem/protect"});
  }
  if (Status next = CheckNextRun(before, left, host); !next) {
    warnings.push_back(
        {.category = "next-run-refused",
         .message = "what the command has left keeps later runs with these grants from starting: " +
                    next.error().message + "; " + next.error().hint,
         .pointer = "/filesystem/protect"});
  }
  if (!gap.empty()) {
    warnings.push_back({.category = "protection-incomplete",
                        .message = "not all was looked at for new git repositories: " + gap,
                        .pointer = "/filesystem/protect"});
  }
  return warnings;
}

std::vector<GuardedConfig> ConfigsToGuard(const GitSnapshot& before, const Host& host) {
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

std::vector<GuardedPath> PathsToGuard(const Policy& policy, const Plan& plan) {
  std::vector<GuardedPath> guarded;
  if (plan.isolation_level != IsolationLevel::kLandlock) return guarded;
  for (const PathRule& rule : policy.paths) {
    if (rule.origin != Origin::kProtection || rule.access != Access::kReadOnly) continue;
    std::string grant = rule.path;  // without one nothing above it is renamed
    for (const PathRule& above : policy.paths) {
      const bool granted = above.origin == Origin::kPolicy && above.access == Access::kReadWrite;
      if (granted && IsAtOrBelow(rule.path, above.path)) grant = above.path;
    }
    guarded.push_back({.path = rule.path, .grant = std::move(grant), .object = rule.object});
  }
  return guarded;
}

std::vector<Warning> TellOfPutBack(const std::vector<PutBackPath>& paths) {
  std::vector<std::string> again;
  std::vector<std::string> standing;
  std::string advice;
  for (const PutBackPath& each : paths) {
    const std::string aside = each.aside.empty() ? "" : " (now " + Quoted(each.aside) + ")";
    if (each.path.ends_with("/config"))
      advice = "; to let keys be written that execute nothing, add " + std::string(kAllowSafe);
    if (each.failure.empty()) {
      again.push_back(Quoted(each.path) + aside);
    } else {
      standing.push_back(Quoted(each.path) + " (" + each.failure + ")");
    }
  }
  std::vector<Warning> warnings;
  if (!again.empty()) {
    warnings.push_back(
        {.category = "protected-put-back",
         .message = "the command had changed what `protect` names, which is what it was again: " +
                    Named(again) + advice,
         .pointer = "/filesystem/protect"});
  }
  if (!standing.empty()) {
    warnings.push_back(
        {.category = "protection-incomplete",
         .message = "the command has changed what `protect` names, and it could not be put back: " +
                    Named(standing) + "; see what it says before you use git there",
         .pointer = "/filesystem/protect"});
  }
  return warnings;
}

std::optional<Warning> TellOfHeldConfigs(const std::vector<std::string>& tried, const GitSnapshot& before,
                                         const Host& host) {
  std::vector<std::string> names;
  for (const GitSnapshot::Held& held : before.held) {
    if (std::find(tried.begin(), tried.end(), held.path) == tried.end()) continue;
    const Lookup lookup = host.LookAt(held.path);
    // The host's git may write it: that is told of as a loss.
    if (lookup.status && lookup.status->object.inode == held.inode) names.push_back(Quoted(held.path));
  }
  if (names.empty()) return std::nullopt;
  return Warning{.category = "git-config-held",
                 .message = "git could not write " + Named(names) +
                            ": `protect` holds it, because the host's git runs what it names; to let keys be "
                            "written that execute nothing, add " +
                            std::string(kAllowSafe),
                 .pointer = "/filesystem/protect"};
}

}  // namespace mxc
