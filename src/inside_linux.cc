#include "inside_linux.h"

#include <cstddef>
#include <span>
#include <string_view>

#include "engine/container_init.h"
#include "engine/persistent/session_init.h"
#include "engine/sandbox_entry.h"
#include "entry.h"
#include "mxc/plan.h"
#include "remote/remote.h"

namespace mxc {

std::optional<int> RunInside(int argc, char** argv) {
  const std::string_view flag = argc > 1 ? argv[1] : "";
  const std::span<char* const> arguments(argv, static_cast<std::size_t>(argc) + 1);  // and nullptr
  if (argc > 7 && flag == kSandboxEntryFlag) return RunSandboxEntry(arguments.subspan(2));
  if (argc == 6 && flag == kSessionInitFlag) return RunSessionInit(arguments.subspan(2));
  if (argc == 3 && flag == kContainerInit) RunContainerInit(argv[2]);
  for (const ContainmentTraits& traits : AllContainments()) {
    const Remote* const remote = RemoteOf(traits.containment);
    if (remote == nullptr) continue;
    if (const std::optional<int> status = remote->run_there(argc, argv, RunMain)) return status;
  }
  return std::nullopt;
}

}  // namespace mxc
