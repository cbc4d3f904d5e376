// Repositories inside read-write grants: found by their shape, and what git executes or obeys there.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "policy/protector.h"

namespace mxc {

class GitProtection {
 public:
  explicit GitProtection(Protector& protector) : protector_(protector) {}

  // Takes note of what stands in `directory`, and leaves in `entries` what may hold further repositories.
  void Visit(const std::string& directory, std::vector<DirectoryEntry>& entries);
  // The rules for all that was noted, and for the configuration of the caller's own.
  void Apply(const std::string& home);

  // Directories with a .git of their own.
  [[nodiscard]] const std::vector<std::string>& WorkTrees() const { return work_trees_; }

 private:
  void FollowGitFile(const std::string& work_tree);
  void ApplyConfig(const std::string& git_directory, const std::string& home);
  void ProtectNamed(const std::string& base, std::string_view written, const std::string& home,
                    WhenMissing missing);

  Protector& protector_;
  std::vector<std::string> directories_ = {};  // with objects and refs
  std::vector<std::string> linked_ = {};       // of linked work trees
  std::vector<std::string> work_trees_ = {};
  std::vector<std::string> git_files_ = {};                        // work trees whose .git is a file
  std::vector<std::string> git_links_ = {};                        // ... is a symbolic link
  std::map<std::string, std::vector<std::string>> trees_of_ = {};  // by common git directory
};

}  // namespace mxc
