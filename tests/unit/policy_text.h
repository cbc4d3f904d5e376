// Configurations in, policies out as text: what the tests of Resolve have in common.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "policy/paths/rules.h"
#include "policy/resolve.h"
#include "tests/support/fake_host.h"

namespace mxc {

// A Config of three lists, with the pointers that Decode would give.
struct Lists {
  std::vector<std::string> rw = {};
  std::vector<std::string> ro = {};
  std::vector<std::string> denied = {};
};

inline std::vector<PathEntry> Entries(const std::vector<std::string>& paths, const std::string& list) {
  std::vector<PathEntry> result;
  for (const std::string& path : paths) {
    result.push_back({path, "/filesystem/" + list + "/" + std::to_string(result.size())});
  }
  return result;
}

inline Config ConfigOf(const Lists& lists) {
  Config config;
  config.process.command_line = "true";
  config.read_write = Entries(lists.rw, "readwritePaths");
  config.read_only = Entries(lists.ro, "readonlyPaths");
  config.denied = Entries(lists.denied, "deniedPaths");
  return config;
}

// The policy's own rules, a line each: "read-only /srv/a", "denied /srv/b (missing from /srv/b)".
inline std::string RulesText(const Policy& policy, Origin origin = Origin::kPolicy) {
  std::string text;
  for (const PathRule& rule : policy.paths) {
    if (rule.origin != origin) continue;
    text += std::string(Name(rule.access)) + " " + rule.path;
    if (rule.unmapped_owners) text += " (as others)";
    if (!rule.object) text += " (missing from " + rule.first_missing + ")";
    text += "\n";
  }
  return text;
}

inline std::string LinksText(const Policy& policy) {
  std::string text;
  for (const PathLink& link : policy.links) text += link.path + " -> " + link.target + "\n";
  return text;
}

// "category pointer", a line each.
inline std::string WarningsText(const Policy& policy) {
  std::string text;
  for (const Warning& warning : policy.warnings) text += warning.category + " " + warning.pointer + "\n";
  return text;
}

inline std::string ClausesText(const Policy& policy) {
  std::string text;
  for (const Clause& clause : policy.clauses) text += clause.pointer + ": " + clause.text + "\n";
  return text;
}

// Why Resolve refused: "code pointer: message"; "" when it did not.
inline std::string RefusalOf(const Result<Policy>& policy) {
  if (policy) return "";
  const Error& error = policy.error();
  return std::string(Name(error.code)) + " " + error.pointer + ": " + error.message;
}

}  // namespace mxc
