#include "policy/workspace.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "mxc/sandbox/private_home.h"
#include "policy/paths/glob.h"

namespace mxc {
namespace {

Error NoPlace(const Workspace& workspace, std::string_view why) {
  return Conflict("the workspace cannot stand at " + Quoted(workspace.guest) + ": " + std::string(why),
                  workspace.pointer, "choose another `guest`, such as /workspace");
}

// Refuses a path inside that belongs to the sandbox's own directories or to the system.
Status CheckGuest(const Workspace& workspace) {
  const std::string& guest = workspace.guest;
  if (guest == "/" || guest == "/tmp" || IsNeverFromHost(guest) || AreNested(guest, kHomeInTemp) ||
      AreNested(guest, kHomeInSharedMemory))
    return NoPlace(workspace, "the sandbox has its own there");
  if (AreNested(guest, workspace.host))
    return NoPlace(workspace, "one of the two paths is in the other, and a path could mean either");
  return Done{};
}

}  // namespace

Status CheckWorkspaceOf(const Config& config, Containment containment, OperatingSystem here) {
  const ContainmentTraits& traits = TraitsOf(containment);
  const std::string& pointer = config.process.workspace.pointer;
  const bool linux = here == OperatingSystem::kLinux && traits.home == OperatingSystem::kLinux;
  if (pointer.empty() || (traits.mounts && linux)) return Done{};
  return Unenforceable(here == OperatingSystem::kLinux
                           ? "the containment '" + std::string(Name(containment)) +
                                 "' cannot show a directory under another path: that needs mounts"
                           : "a directory is shown under another path on Linux alone",
                       pointer, "grant the directory with readwritePaths, under its own path");
}

Status NameWorkspace(PathWalker& walker, Config& config) {
  Workspace& workspace = config.process.workspace;
  if (workspace.pointer.empty()) return Done{};
  const std::string written = workspace.host;
  const Result<Walked> walked = walker.Walk(written);
  if (!walked) return Conflict(walked.error().message, workspace.pointer, {});
  if (!walked->Is(FileType::kDirectory))
    return Conflict("the workspace " + Quoted(written) + " is no directory", workspace.pointer,
                    "create it, or choose another");
  if (IsGlob(written) || IsGlob(walked->path))
    return Conflict("the workspace " + Quoted(written) + " has characters of patterns in its path",
                    workspace.pointer, "rename it, or grant it with readwritePaths");
  workspace.host = walked->path;
  workspace.guest = FoldLexically(workspace.guest);
  config.read_write.push_back({.path = written, .pointer = workspace.pointer});
  if (workspace.host == workspace.guest) {
    workspace.host.clear();
    return Done{};
  }
  if (Status guest = CheckGuest(workspace); !guest) return guest;
  for (auto* const list : {&config.read_write, &config.read_only, &config.denied, &config.repositories}) {
    for (PathEntry& entry : *list) entry.path = workspace.OnHost(entry.path);
  }
  config.process.cwd = workspace.OnHost(config.process.cwd);
  return Done{};
}

Status CheckWorkspaceIn(const Workspace& workspace, const RuleSet& rules,
                        const std::vector<PathLink>& links) {
  if (workspace.host.empty()) return Done{};
  const std::vector<std::string> within = rules.PathsAtOrBelow(workspace.host);
  if (std::none_of(within.begin(), within.end(),
                   [&](const std::string& path) { return rules.Find(path)->access != Access::kDenied; }))
    return Conflict("nothing of the workspace " + Quoted(workspace.host) + " is granted", workspace.pointer,
                    "choose a directory that may be granted");
  const PathRule* const above = rules.Covering(ParentOf(workspace.host));
  if (above != nullptr && above->access != Access::kDenied)
    return Conflict("the workspace " + Quoted(workspace.host) +
                        " would show under its own path as well: " + Quoted(above->path) + " is granted",
                    workspace.pointer, "choose a directory outside of it, or grant less");
  const PathRule* const shown = rules.Covering(workspace.guest);
  if (shown != nullptr) return NoPlace(workspace, Quoted(shown->path) + " of the host shows there");
  if (!rules.PathsAtOrBelow(workspace.guest).empty())
    return NoPlace(workspace,
                   Quoted(rules.PathsAtOrBelow(workspace.guest).front()) + " of the host shows there");
  const auto link = std::find_if(links.begin(), links.end(),
                                 [&](const PathLink& each) { return AreNested(each.path, workspace.guest); });
  if (link != links.end()) return NoPlace(workspace, "the link " + Quoted(link->path) + " shows there");
  return Done{};
}

}  // namespace mxc
