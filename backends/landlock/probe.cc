#include <string>
#include <utility>

#include "backends/landlock/landlock.h"
#include "backends/linux/probing.h"
#include "mxc/limits.h"

namespace mxc::landlock {
namespace {

using linux_backend::FirstLine;

Support Unusable(std::string reason, std::string remedy) {
  Support support = linux_backend::Unusable(std::move(reason), std::move(remedy));
  support.tier = Tier::kProcess;
  return support;
}

Support Look(const Host& host) {
  const int abi = host.LandlockAbi();
  if (abi == 0) {
    return Unusable("this kernel has no Landlock, or a filter hides it",
                    "use Linux 5.19 or later with `landlock` in its list of security modules (boot parameter "
                    "`lsm=`), and in a container a filter that lets landlock_create_ruleset through");
  }
  if (abi < kLowestAbi) {
    return Unusable("Landlock of this kernel (ABI 1) forbids every rename between directories",
                    "use Linux 5.19 or later");
  }
  return {.usable = true,
          .tier = Tier::kProcess,
          .isolation_level = IsolationLevel::kLandlock,
          .landlock_abi = abi};
}

}  // namespace

Support ProbeLandlock(const Host& host, ProbeDepth depth) {
  if (host.System() != OperatingSystem::kLinux) return OfAnotherSystem(Containment::kLandlock, host.System());
  Support support = Look(host);
  if (depth == ProbeDepth::kQuick || !support.usable) return support;
  const ToolRun run =
      host.Try({"/proc/self/exe", "--containment", "landlock", "--", "/bin/true"}, kProbeLimitMs);
  return linux_backend::Succeeded(run) ? support
                                       : Unusable(linux_backend::FailureOf(run),
                                                  "run `mxc-exec "
                                                  "--containment landlock -- /bin/true` by hand");
}

}  // namespace mxc::landlock
