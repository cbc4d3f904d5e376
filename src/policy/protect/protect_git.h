// Protects files in the read-write grants that git on the host executes or obeys: of repositories in and
// around them, and of the caller's own configuration.
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

// Paths relative to the current work tree.
struct NamedInTrees {
  std::vector<std::string> paths = {};
  std::set<std::string> words = {};  // of command lines; any of them may be a file
};

class GitProtection {
 public:
  // `homes`: the caller's. git on the host may read its configuration in any of them.
  GitProtection(Protector& protector, std::vector<std::string> homes)
      : protector_(protector),
        homes_(std::move(homes)),
        programs_(protector, homes_.empty() ? "" : homes_.front()) {}

  // Adds the work trees and git directories that contain `grant`.
  void AddAround(const std::string& grant);
  // Lets the command write safe keys of configurations.
  void AllowSafeConfigs() { safe_configs_ = true; }
  [[nodiscard]] const std::vector<GitSnapshot::Text>& Configs() const { return configs_; }
  // The command calls git itself, in that directory: warns of what git lacks there.
  void CommandUsesGit(std::string from) { git_runs_in_ = std::move(from); }
  // Only warns.
  void WarnOfHidden();
  // Errors: kConflict if it is no repository.
  [[nodiscard]] Status AddNamed(const PathEntry& named);
  [[nodiscard]] const std::vector<std::string>& Homes() const { return homes_; }
  [[nodiscard]] GitPlaces& Places() { return places_; }
  [[nodiscard]] const GitPlaces& Places() const { return places_; }
  // Adds the rules for all noted places, and for the caller's own configuration. Errors: kConflict for a file
  // of git's that cannot be read.
  [[nodiscard]] Status Apply();
  // Why one repository is refused. If refusals are collected, Apply continues with the next.
  struct Refusal {
    std::string file = {};             // the unreadable file; "": another reason
    std::string place = {};            // its `.git`, or its git directory
    std::set<std::string> leads = {};  // files and links that lead git there, through /proc
    Error error = {};
  };
  void CollectRefusals(std::vector<Refusal>& refusals) { refusals_ = &refusals; }

  // Writable files from which git may execute something.
  [[nodiscard]] std::vector<GitSnapshot::Text> Instructions() const;

  // Absolute paths of files that command lines of configurations may name.
  [[nodiscard]] const std::set<std::string>& NamedPaths() const { return programs_.NamedPaths(); }
  [[nodiscard]] const std::map<std::string, std::set<std::string>>& CalledInTrees() const {
    return programs_.CalledInTrees();
  }

  // The names in the caller's configuration. Errors: as Apply's.
  [[nodiscard]] Result<NamedInTrees> NamedInEveryTree();

 private:
  struct Repository {
    // Current directories of git when it executes something: known work trees, and git directories.
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
  // Denies it if another user's permissions prevent reading it.
  [[nodiscard]] bool DenyOthers(const std::string& path);
  // True: left for the review at the end; false: held like the others.
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
  std::vector<std::string> ways_ = {};                   // links in the paths of named repositories
  std::map<std::string, Repository> repositories_ = {};  // by common git directory
  GitSayings global_ = {};
  std::vector<Refusal>* refusals_ = nullptr;
  std::string unreadable_ = {};  // the last file that Read could not read
};

// The same, without grants.
[[nodiscard]] Result<NamedInTrees> NamedInEveryTree(const Host& host, PathWalker& walker);

}  // namespace mxc
