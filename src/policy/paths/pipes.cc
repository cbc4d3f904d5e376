#include "policy/paths/pipes.h"

#include <string>
#include <string_view>
#include <utility>

#include "policy/paths/entries.h"
#include "policy/paths/own_rules.h"
#include "policy/paths/search.h"

namespace mxc {
namespace {

bool IsBelowReadWrite(std::string_view path, const RuleSet& rules) {
  while (path != "/") {
    path = ParentOf(path);
    const PathRule* const rule = rules.Find(path);
    if (rule != nullptr && rule->access == Access::kReadWrite) return true;
  }
  return false;
}

bool IsPipe(const PathRule& rule) { return rule.object && rule.object->type == FileType::kFifo; }

// Adds the pipes that have no rule of their own.
void AddPipesOf(const std::string& directory, const std::vector<DirectoryEntry>& entries, PathWalker& walker,
                const RuleSet& rules, std::vector<PathRule>& pipes) {
  const PathRule* const around = rules.Covering(directory);
  for (const DirectoryEntry& entry : entries) {
    if (entry.type != FileType::kFifo) continue;
    const std::string path = JoinPath(directory, entry.name);
    const Lookup& lookup = walker.LookAt(path);
    if (lookup.status && rules.Find(path) == nullptr && around != nullptr)
      pipes.push_back({.path = path, .object = lookup.status->object, .pointer = around->pointer});
  }
}

void Deny(PathRule rule, RuleSet& rules, std::vector<Warning>& warnings) {
  warnings.push_back(
      {.category = "pipe-denied",
       .message =
           Quoted(rule.path) +
           (IsPipe(rule) ? " is a named pipe that is to be read-only, and the command could open it "
                           "for writing: it is denied"
                         : " cannot be searched, and may hold a named pipe that the command could open "
                           "for writing: it is denied"),
       .pointer = rule.pointer});
  rule.access = Access::kDenied;
  rule.origin = Origin::kBaseline;
  if (rules.Find(rule.path) != nullptr) {
    rules.Replace(std::move(rule));
  } else {
    rules.Add(std::move(rule));
  }
}

}  // namespace

Status DenyPipes(const Host& host, PathWalker& walker, RuleSet& rules, std::vector<Warning>& warnings) {
  std::vector<PathRule> pipes;
  std::vector<std::string> directories;
  for (const PathRule& rule : rules.All()) {
    if (rule.access != Access::kReadOnly || !rule.object || !IsBelowReadWrite(rule.path, rules)) continue;
    if (IsPipe(rule)) pipes.push_back(rule);
    if (rule.object->type == FileType::kDirectory) directories.push_back(rule.path);
  }
  for (const PathRule& rule : pipes) {
    if (rule.origin == Origin::kPolicy)
      return Conflict(
          Quoted(rule.path) + " is a named pipe, which cannot be read-only below a read-write grant",
          rule.pointer, "deny it, or make it read-write");
  }
  if (pipes.empty() && directories.empty()) return Done{};
  TreeSearch search(host, {});
  const OwnRules own_rules(rules);
  search.Run(std::move(directories), [&](const std::string& directory, std::vector<DirectoryEntry>& entries) {
    AddPipesOf(directory, entries, walker, rules, pipes);
    own_rules.TakeOut(directory, entries);
  });
  if (!search.Gap().empty())
    return Conflict(
        "the search for named pipes below read-only paths in read-write grants did not come to its "
        "end: " +
            search.Gap(),
        "/filesystem/readonlyPaths", "name smaller directories");
  for (const std::string& directory : search.Unsearched()) {
    const PathRule* const around = rules.Covering(directory);
    if (around == nullptr || around->access != Access::kReadOnly) continue;
    // Held read-only in a grant that lets the command write to every pipe anyway.
    if (around->path == directory && around->origin == Origin::kProtection) continue;
    if (around->path == directory && around->origin == Origin::kPolicy)
      return Conflict(Quoted(directory) +
                          " cannot be searched to its end, and a named pipe in it could be written below a "
                          "read-write grant",
                      around->pointer, "deny it, or make it read-write");
    const Lookup& lookup = walker.LookAt(directory);
    if (lookup.status)
      pipes.push_back({.path = directory, .object = lookup.status->object, .pointer = around->pointer});
  }
  for (PathRule& pipe : pipes) Deny(std::move(pipe), rules, warnings);
  return Done{};
}

}  // namespace mxc
