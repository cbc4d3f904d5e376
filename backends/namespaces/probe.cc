// Whether this machine lets our own engine build a sandbox, and if not, why and what to do.
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "backends/linux/kernel_files.h"
#include "backends/namespaces/namespaces.h"
#include "mxc/limits.h"

namespace mxc::namespaces {
namespace {

constexpr std::size_t kMaxSettingBytes = 4096;

Support Unusable(std::string reason, std::string remedy) {
  return {.usable = false,
          .tier = Tier::kContainer,
          .code = ErrorCode::kUnavailable,
          .reason = std::move(reason),
          .remedy = std::move(remedy)};
}

// First line of a file of the kernel; nothing when this kernel does not have it.
std::optional<std::string> Setting(const Host& host, const std::string& path) {
  const Result<std::string> text = host.ReadFile(path, kMaxSettingBytes);
  if (!text) return std::nullopt;
  return text->substr(0, text->find('\n'));
}

bool Reads(const Host& host, const std::string& path, std::string_view value) {
  const std::optional<std::string> text = Setting(host, path);
  return text.has_value() && *text == value;
}

// "6.1.0-56-amd64" is at least 5.12, the first kernel that makes whole mount trees read-only.
bool IsNewEnough(std::string_view release) {
  unsigned major = 0;
  unsigned minor = 0;
  const char* const end = release.data() + release.size();
  const auto first = std::from_chars(release.data(), end, major);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '.') return false;
  if (std::from_chars(first.ptr + 1, end, minor).ec != std::errc()) return false;
  return major > 5 || (major == 5 && minor >= 12);
}

// Looks only: what forbids the engine on known systems can be read.
Support Look(const Host& host) {
  const std::optional<std::string> release = Setting(host, "/proc/sys/kernel/osrelease");
  if (!release) return Unusable("/proc is not mounted here", "mount it: `mount -t proc proc /proc`");
  if (!IsNewEnough(*release)) {
    return Unusable("Linux " + *release + " is too old: whole mount trees are made read-only since 5.12",
                    "use containment 'bubblewrap', or a newer kernel");
  }
  if (Reads(host, "/proc/sys/user/max_user_namespaces", "0")) {
    return Unusable("the number of user namespaces is limited to none",
                    "run `sysctl user.max_user_namespaces=10000` as root");
  }
  const bool root = host.Caller().IsRoot();
  if (!root && Reads(host, "/proc/sys/kernel/unprivileged_userns_clone", "0")) {
    return Unusable("user namespaces are switched off for ordinary users",
                    "run `sysctl kernel.unprivileged_userns_clone=1` as root");
  }
  if (!root && Reads(host, "/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1") &&
      Reads(host, "/proc/self/attr/apparmor/current", "unconfined")) {
    return Unusable(
        "AppArmor takes the capabilities of new user namespaces away",
        "give mxc-exec an AppArmor profile with `userns,`, or use containment 'bubblewrap', which "
        "has one");
  }
  Support support{.usable = true, .tier = Tier::kContainer};
  for (std::string& file : linux_backend::KernelFilesHere(host)) {
    support.features.push_back("kernel-file:" + std::move(file));
  }
  return support;
}

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

// A real run of this very program: the way a command would go, and no other.
Support TryRun(const Host& host, Support support) {
  const ToolRun run =
      host.Try({"/proc/self/exe", "--containment", "namespaces", "--", "/bin/true"}, kProbeLimitMs);
  if (run.started && !run.timed_out && run.exit_code == 0) return support;
  if (run.timed_out) {
    return Unusable("a sandbox did not end within " + std::to_string(kProbeLimitMs) + " ms",
                    "look at what holds it: a filter of the surrounding container is the usual cause");
  }
  return Unusable("a sandbox could not be built: " + FirstLine(run.err),
                  "run `mxc-exec --containment namespaces -- /bin/true` by hand");
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
