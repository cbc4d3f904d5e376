// Whether this machine lets our own engine build a sandbox, and if not, why and what to do.
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "backends/linux/gateway_probe.h"
#include "backends/linux/kernel_files.h"
#include "backends/linux/probing.h"
#include "backends/namespaces/namespaces.h"
#include "mxc/limits.h"

namespace mxc::namespaces {
namespace {

using linux_backend::Setting;
using linux_backend::Unusable;

// "6.1.0-56-amd64" is at least 5.`least`.
bool IsAtLeast(std::string_view release, unsigned least) {
  unsigned major = 0;
  unsigned minor = 0;
  const char* const end = release.data() + release.size();
  const auto first = std::from_chars(release.data(), end, major);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '.') return false;
  if (std::from_chars(first.ptr + 1, end, minor).ec != std::errc()) return false;
  return major > 5 || (major == 5 && minor >= least);
}

// Looks only: what forbids the engine on known systems can be read.
Support Look(const Host& host) {
  const std::optional<std::string> release = Setting(host, "/proc/sys/kernel/osrelease");
  if (!release) return Unusable("/proc is not mounted here", "mount it: `mount -t proc proc /proc`");
  if (!IsAtLeast(*release, 12)) {
    const bool known = release->find("-Microsoft") != std::string::npos || release->starts_with("4.4.0");
    if (known) {
      linux_backend::Trouble trouble = linux_backend::Surroundings(host);
      return Unusable(std::move(trouble.reason), std::move(trouble.remedy));
    }
    return Unusable("Linux " + *release + " is too old: whole mount trees are made read-only since 5.12",
                    "use containment 'bubblewrap', or a newer kernel");
  }
  if (std::optional<linux_backend::NamespaceSetting> setting = linux_backend::ForbiddingSetting(host)) {
    return Unusable(std::move(setting->trouble.reason), std::move(setting->trouble.remedy));
  }
  Support support{.usable = true, .tier = Tier::kContainer, .rung = Rung::kNamespaces};
  support.kernel_files = linux_backend::KernelFilesHere(host);
  // Since 5.14, and never for uid 0 of the host, which the kernel lets pass.
  support.counts_own_tasks = !host.Caller().IsRoot() && IsAtLeast(*release, 14);
  return support;
}

// A real run of this very program, as a command would go: it climbs down by itself where the kernel refuses
// a part, and says how far.
Support TryRun(const Host& host, Support support) {
  const ToolRun run =
      host.Try({"/proc/self/exe", "--containment", "namespaces", "--status-fd", "1", "--", "/bin/true"},
               kProbeLimitMs);
  if (linux_backend::Succeeded(run)) {
    linux_backend::ProbeGateway(host, "namespaces", support);
    const std::string weaker = "\"rung\":\"" + std::string(Name(Rung::kNamespacesOuterProc)) + "\"";
    if (run.out.find(weaker) == std::string::npos) return support;
    support.rung = Rung::kNamespacesOuterProc;
    support.warnings.emplace_back(
        "something covers parts of /proc here, as in most containers: the outer /proc is used, read-only");
    return support;
  }
  if (run.timed_out) {
    return Unusable(linux_backend::FailureOf(run),
                    "look at what holds it: a filter of the surrounding container is the usual cause");
  }
  linux_backend::Trouble trouble = linux_backend::Surroundings(host);
  return Unusable(trouble.reason + " (" + linux_backend::FailureOf(run) + ")", std::move(trouble.remedy));
}

}  // namespace

Support ProbeNamespaces(const Host& host, ProbeDepth depth) {
  if (host.System() != OperatingSystem::kLinux) {
    Support support = Unusable("the namespaces backend belongs to Linux", "use a containment of this system");
    support.code = ErrorCode::kUnsupported;
    return support;
  }
  Support support = Look(host);
  if (depth == ProbeDepth::kQuick || !support.usable) return support;
  return TryRun(host, std::move(support));
}

}  // namespace mxc::namespaces
