#include <utility>
#include <variant>

#include "base/own_files.h"
#include "cleanup/host_resources.h"

namespace mxc {

Status MakeOwnDirectories(const std::vector<Step>& setup) {
  for (const Step& step : setup) {
    const auto* directory = std::get_if<OwnDirectory>(&step);
    if (directory == nullptr) continue;
    const Result<UniqueFd> made = MakeDirectories(directory->path, directory->mode);
    if (!made) return made.error();
  }
  return Done{};
}

Result<Guarded> NameGuarded(const std::vector<Step>& setup) {
  Guarded guarded;
  for (const Step& step : setup) {
    if (const auto* file = std::get_if<Placeholder>(&step)) guarded.placeholders.push_back(*file);
  }
  Result<std::vector<RunGroup>> groups = NameGroups(setup);
  if (!groups) return groups.error();
  guarded.groups = std::move(*groups);
  return guarded;
}

Result<Ground> PrepareGround(Guarded guarded) {
  Ground ground{.guarded = std::move(guarded)};
  Result<Guardian> guardian = Guardian::Start(ground.guarded);
  if (!guardian) return guardian.error();
  ground.guardian = std::move(*guardian);
  Result<GroupHandles> handles = GroupHandles::Open(ground.guarded.groups);
  if (!handles) return handles.error();
  ground.groups = std::move(*handles);
  return ground;
}

}  // namespace mxc
