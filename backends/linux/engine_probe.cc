#include "backends/linux/engine_probe.h"

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "backends/linux/kernel_files.h"
#include "backends/linux/probing.h"

namespace mxc::linux_backend {
namespace {

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

}  // namespace

Support LookForEngine(const Host& host) {
  const std::optional<std::string> release = Setting(host, "/proc/sys/kernel/osrelease");
  if (!release) return Unusable("/proc is not mounted here", "mount it: `mount -t proc proc /proc`");
  if (!IsAtLeast(*release, 12)) {
    const bool known = release->find("-Microsoft") != std::string::npos || release->starts_with("4.4.0");
    if (known) {
      Trouble trouble = Surroundings(host);
      return Unusable(std::move(trouble.reason), std::move(trouble.remedy));
    }
    return Unusable("Linux " + *release + " is too old: whole mount trees are made read-only since 5.12",
                    "use containment 'bubblewrap', or a newer kernel");
  }
  if (std::optional<NamespaceSetting> setting = ForbiddingSetting(host)) {
    return Unusable(std::move(setting->trouble.reason), std::move(setting->trouble.remedy));
  }
  Support support{.usable = true, .tier = Tier::kContainer};
  support.kernel_files = KernelFilesHere(host);
  // Since 5.14, and never for uid 0 of the host, which the kernel lets pass.
  support.counts_own_tasks = !host.Caller().IsRoot() && IsAtLeast(*release, 14);
  return support;
}

}  // namespace mxc::linux_backend
