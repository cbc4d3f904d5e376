// What git on the host executes or obeys of the read-write grants: of repositories in and around them, and of
// the caller's own configuration.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/protect/git/config.h"
#include "policy/protect/git/places.h"
#include "policy/protect/git_programs.h"
#include "policy/protect/protector.h"

namespace mxc {

// Relative to whichever work tree git is in.
struct NamedInTrees {
  std::vector<std::string> paths = {};
  std::set<std::string> words = {};  // of command lines; any of them may be a file
};

class GitProtection {
 public:
  // `homes`: the caller's. git on the host finds its configuration in any of them.
  GitProtection(Protector& protector, std::vector<std::string> homes)
      : protector_(protector),
        homes_(std::move(homes)),
        programs_(protector, homes_.empty() ? "" : homes_.front()) {}

  // The work trees and git directories that `grant` stands in.
  void AddAround(const std::string& grant);
  // Configurations may be written, for keys that execute nothing.
  void AllowSafeConfigs() { safe_configs_ = true; }
  [[nodiscard]] const std::vector<GitSnapshot::Text>& Configs() const { return configs_; }
  // The command calls git itself, from there: what that lacks is told.
  void CommandUsesGit(std::string from) { git_runs_in_ = std::move(from); }
  // Tells it alone.
  void WarnOfHidden();
  // Errors: kConflict for what is no repository.
  [[nodiscard]] Status AddNamed(const PathEntry& named);
  [[nodiscard]] const std::vector<std::string>& Homes() const { return homes_; }
  [[nodiscard]] GitPlaces& Places() { return places_; }
  [[nodiscard]] const GitPlaces& Places() const { return places_; }
  // The rules for all that was noted, and for the configuration of the caller's own. Errors: kConflict for a
  // file of git's that cannot be read.
  [[nodiscard]] Status Apply();
  // What one repository fails with. Where refusals are collected, Apply goes on with the next.
  struct Refusal {
    std::string file = {};             // that cannot be read; "": another reason
    std::string place = {};            // its `.git`, or its git directory
    std::set<std::string> leads = {};  // files and links by which git gets there, through /proc
    Error error = {};
  };
  void CollectRefusals(std::vector<Refusal>& refusals) { refusals_ = &refusals; }

  // Files that git may run something of, and that the command can write.
  [[nodiscard]] std::vector<GitSnapshot::Text> Instructions() const;

  // Absolute paths of files that a command line of theirs may name.
  [[nodiscard]] const std::set<std::string>& NamedPaths() const { return programs_.NamedPaths(); }
  [[nodiscard]] const std::map<std::string, std::set<std::string>>& CalledInTrees() const {
    return programs_.CalledInTrees();
  }

  // What the caller's configuration names. Errors: as Apply's.
  [[nodiscard]] Result<NamedInTrees> NamedInEveryTree();

 private:
  struct Repository {
    // Where git is when it runs something: work trees, as far as they are known, and git directories.
    std::set<std::string> trees = {};
    std::set<std::string> files = {};  // further configuration: config.worktree of each
    std::set<std::string> leads = {};  // files and links that name it
  };

  [[nodiscard]] Result<std::optional<std::string>> Read(const std::string& file);
  // `leads`: files and links that name the repository; the error names one where it is about /proc.
  [[nodiscard]] bool GoesOn(Status& held, std::set<std::string> leads = {});
  [[nodiscard]] Status AddFromEnvironment();
  [[nodiscard]] Status FollowWorkTree(const WorkTree& tree);
  void WarnOfHidden(const WorkTree& tree, const std::string& git, const std::string& common) const;
  [[nodiscard]] Status ProtectDirectory(const GitDirectory& directory);
  // Another user keeps it from being judged: it is denied.
  [[nodiscard]] bool DenyOthers(const std::string& path);
  // Left to be judged at the end; false: it is held like the others.
  [[nodiscard]] Result<bool> LeaveConfig(const std::string& path);
  [[nodiscard]] Status ProtectGlobal();
  [[nodiscard]] Status ProtectGlobals();
  [[nodiscard]] Status WithEachHome(const std::function<Status()>& act);
  [[nodiscard]] Status ProtectRepository(const std::string& git_directory, Repository& repository);
  [[nodiscard]] Status Load(std::vector<std::string> files, GitSayings& loaded);
  void Take(GitVariable variable, const std::string& base, std::vector<std::string>& files,
            GitSayings& loaded);
  [[nodiscard]] bool IsTheNearest(const WorkTree& tree) const;

  Protector& protector_;
  std::vector<std::string> homes_;
  GitPrograms programs_;
  std::string git_runs_in_ = {};
  bool safe_configs_ = false;
  std::vector<GitSnapshot::Text> configs_ = {};
  GitPlaces places_ = {};
  std::set<std::string> others_ = {};                    // that are denied
  std::vector<std::string> ways_ = {};                   // links by which repositories were named
  std::map<std::string, Repository> repositories_ = {};  // by common git directory
  GitSayings global_ = {};
  std::vector<Refusal>* refusals_ = nullptr;
  std::string unreadable_ = {};  // the last file that Read could not read
};

// The same, where nothing is granted.
[[nodiscard]] Result<NamedInTrees> NamedInEveryTree(const Host& host, PathWalker& walker);

}  // namespace mxc
