// What --probe says to people.
#pragma once

#include <string>
#include <vector>

#include "mxc/containment.h"
#include "mxc/identity.h"
#include "report/report.h"

namespace mxc {

struct ProbeAnswer {
  OperatingSystem system = OperatingSystem::kLinux;
  Identity caller = {};
  std::vector<ProbedBackend> backends = {};
  Containment process = Containment::kNamespaces;  // what "process" means here
  const Result<Plan>* asked = nullptr;             // as for ProbeJson
};
// A table of this system's backends, and below it the limits of the one that is the default.
[[nodiscard]] std::string ProbeText(const ProbeAnswer& answer, bool colours);

}  // namespace mxc
