// The questions of tests/conformance/access.jsonl: what a policy lets a command do, whichever backend holds
// it.
//
// The first line lays out a tree. Every directory of it holds `file`, `victim`, `mover` and `tool`, which is
// a program; a repository has a `.git` besides. A line with "ask" is a question about the policy of its name;
// any other line is a policy. Paths are relative to the root of the tree, so that each system can put it
// where it likes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mxc::test {

// Where a backend answers otherwise, what it answers, and what of its plan says so.
struct AccessDifference {
  bool answer = false;
  std::string because = {};
};

struct AccessQuestion {
  // read, list, write, touch (an existing file); create, mkdir (a new one); remove, rename, link; execute;
  // connect.
  std::string ask = {};
  std::string at = {};
  std::string to = {};  // of rename and link
  bool answer = false;
  std::map<std::string, AccessDifference> differs = {};  // by the name of the containment

  [[nodiscard]] std::string Text() const { return ask + " " + at + (to.empty() ? "" : " " + to); }
};

struct AccessPolicy {
  std::string name = {};
  std::vector<std::string> read_write = {};
  std::vector<std::string> read_only = {};
  std::vector<std::string> denied = {};
  std::string network = {};  // the section as JSON; empty: absent
  bool unprotected = false;  // "protect": []
  // Backends that refuse it whole, and the pointer they name.
  std::map<std::string, std::string> refused = {};
  std::vector<AccessQuestion> questions = {};
};

struct AccessCorpus {
  std::vector<std::string> directories = {};
  std::vector<std::string> repositories = {};
  std::map<std::string, std::string> links = {};  // from, to
  std::vector<AccessPolicy> policies = {};
};

// What stands in each directory, and in each repository's `.git`.
inline const std::vector<std::string> kAccessFiles = {"file", "victim", "mover"};
inline const std::vector<std::string> kAccessGitFolders = {"hooks", "objects", "refs"};
inline const std::vector<std::string> kAccessGitFiles = {"HEAD", "config"};

// Throws what the JSON library throws: a broken corpus fails the test.
[[nodiscard]] AccessCorpus ReadAccessCorpus();

// The policy as a configuration for one containment, with the tree at `root`; "." is the tree itself.
[[nodiscard]] std::string AccessConfig(const AccessPolicy& policy, const std::string& containment,
                                       const std::string& root);
[[nodiscard]] std::string AccessPath(const std::string& root, const std::string& path);

}  // namespace mxc::test
