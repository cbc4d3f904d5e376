// What --probe, --available-backends and `discover` print for programs.
#pragma once

#include <string>
#include <vector>

#include "mxc/backend.h"
#include "mxc/error.h"
#include "mxc/plan.h"

namespace mxc {

// Whether one limit of `resources` can be held: through what, or why not.
struct ProbedLimit {
  Resource resource = Resource::kMemory;
  bool held = false;
  std::string mechanism = {};
  std::string reason = {};
  std::string remedy = {};
};

// What --probe and --available-backends print.
struct ProbedBackend {
  Containment containment = Containment::kNone;
  Support support = {};
  std::vector<ProbedLimit> limits = {};  // of a usable one
};
enum class Pinned { kNot, kThis, kOther };
// A helper (helpers/pins.h) that stands here.
struct ProbedHelper {
  std::string name = {};
  std::string path = {};
  std::string sha256 = {};
  Pinned pinned = Pinned::kNot;  // kOther: another file is, and what needs this one is refused
};
struct ProbeAnswer {
  OperatingSystem system = OperatingSystem::kLinux;
  Identity caller = {};
  std::vector<ProbedBackend> backends = {};
  std::vector<ProbedHelper> helpers = {};
  Containment process = Containment::kNamespaces;  // what "process" means here
  // The plan of a configuration that came with the question, or why there is none; on Windows it decides
  // which container is named. nullptr: none came.
  const Result<Plan>* asked = nullptr;
};
[[nodiscard]] std::string ProbeJson(const ProbeAnswer& answer);
[[nodiscard]] std::string AvailableBackendsJson(const std::vector<ProbedBackend>& backends);

// {"filesystem":{"readonlyPaths":[...],"readwritePaths":[...]}}
[[nodiscard]] std::string FragmentJson(const std::vector<std::string>& read_only,
                                       const std::vector<std::string>& read_write);

}  // namespace mxc
