#include <utility>
#include <variant>

#include "base/own_files.h"
#include "cleanup/host_resources.h"

namespace mxc {

Status MakeOwnDirectories(const std::vector<SetupAction>& setup) {
  for (const SetupAction& action : setup) {
    const auto* directory = std::get_if<OwnDirectory>(&action);
    if (directory == nullptr) continue;
    const Result<UniqueFd> made = MakeDirectories(directory->path, directory->mode);
    if (!made) return made.error();
  }
  return Done{};
}

Result<HostChanges> NameGuarded(const std::vector<SetupAction>& setup) {
  HostChanges changes;
  for (const SetupAction& action : setup) {
    if (const auto* file = std::get_if<Placeholder>(&action)) changes.placeholders.push_back(*file);
  }
  Result<std::vector<RunGroup>> groups = NameGroups(setup);
  if (!groups) return groups.error();
  changes.groups = std::move(*groups);
  return changes;
}

Result<HostResources> PrepareHostResources(HostChanges changes) {
  HostResources resources{.changes = std::move(changes)};
  Result<CleanupProcess> cleanup_process = CleanupProcess::Start(resources.changes);
  if (!cleanup_process) return cleanup_process.error();
  resources.cleanup_process = std::move(*cleanup_process);
  Result<GroupHandles> handles =
      GroupHandles::Open(resources.changes.groups, resources.cleanup_process.Admission());
  if (!handles) return handles.error();
  resources.groups = std::move(*handles);
  return resources;
}

}  // namespace mxc
