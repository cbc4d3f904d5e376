#include "backends/linux/probing.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "mxc/limits.h"

namespace mxc::linux_backend {
namespace {

constexpr std::size_t kMaxSettingBytes = 4096;
constexpr std::uint32_t kUnmappedOwner = 65534;  // kernel.overflowuid, as it is everywhere

bool Reads(const Host& host, const std::string& path, std::string_view value) {
  const std::optional<std::string> text = Setting(host, path);
  return text.has_value() && *text == value;
}

// One of these marks stands where the row's surroundings are.
struct Place {
  std::string_view file;  // exists ...
  std::string_view text;  // ... and its first line holds this; empty: any
  std::string_view reason;
  std::string_view remedy;
};

// The first that fits is the answer: what is inside something else comes first.
constexpr Place kOurSandbox = {
    "/proc/1/comm", "mxc-init", "this is inside a sandbox of mxc-exec, which hands out no namespaces",
    "run each command by itself: containment 'process' holds it with Landlock and seccomp"};
constexpr Place kPlaces[] = {
    kOurSandbox,
    {"/proc/1/comm", "bwrap", "this is inside a sandbox of bubblewrap that hands out no namespaces",
     "use containment 'process', or start the outer sandbox without --disable-userns"},
    {"/proc/version", "gVisor", "this is inside gVisor, which implements only part of Linux",
     "use a container with a Linux kernel (another runtime class), or let gVisor be the sandbox"},
    {"/proc/version", "4.4.0 #1 SMP Sun Jan 10 15:06:54 PST 2016",
     "this is inside gVisor, which implements only part of Linux",
     "use a container with a Linux kernel (another runtime class), or let gVisor be the sandbox"},
    {"/proc/sys/kernel/osrelease", "-Microsoft", "this is WSL 1, which has no namespaces of its own",
     "convert the distribution: `wsl --set-version NAME 2`"},
    {"/var/run/secrets/kubernetes.io", "",
     "this is a Kubernetes pod whose seccomp profile or security context refuses namespaces",
     "set securityContext.seccompProfile.type to Unconfined or to a profile that allows clone, unshare, "
     "mount "
     "and pivot_root, and procMount to Unmasked; with hostUsers: false where the cluster has it"},
    {"/.dockerenv", "", "this is a Docker container whose seccomp profile refuses namespaces",
     "start it with --security-opt seccomp=unconfined (or a profile that allows clone, unshare, mount and "
     "pivot_root) and --security-opt systempaths=unconfined"},
    {"/run/.containerenv", "", "this is a Podman container whose seccomp profile refuses namespaces",
     "start it with --security-opt seccomp=unconfined and --security-opt unmask=ALL"},
};

bool Fits(const Place& place, const Host& host) {
  const std::string path{place.file};
  if (place.text.empty()) return host.LookAt(path).status.has_value();
  const std::optional<std::string> text = Setting(host, path);
  return text && text->find(place.text) != std::string::npos;
}

// "Seccomp:\t2" of this process: somebody filters its system calls.
bool IsFiltered(const Host& host) {
  const Result<std::string> status = host.ReadFile("/proc/self/status", kMaxSettingBytes);
  return status && status->find("\nSeccomp:\t2\n") != std::string::npos;
}

}  // namespace

Support Unusable(std::string reason, std::string remedy) {
  return {.usable = false,
          .tier = Tier::kContainer,
          .code = ErrorCode::kUnavailable,
          .reason = std::move(reason),
          .remedy = std::move(remedy)};
}

Support NoTool(const Host& host, std::string_view tool, std::string_view program, std::string_view package) {
  for (const std::string_view directory : kToolDirectories) {
    const std::string path = std::string(directory) + std::string(tool);
    const Lookup found = host.LookAt(path);
    if (!found.Is(FileType::kRegular) && !found.Is(FileType::kSymlink)) continue;  // hidden by /dev/null
    if (found.status->uid == kUnmappedOwner)
      return Unusable("'" + path +
                          "' is not trusted: its owner is not known here, as in a sandbox whose user "
                          "namespace leaves root out",
                      "use containment 'process', or run outside of that sandbox");
    return Unusable("'" + path +
                        "' is not trusted: others than root can replace it, or something on the way "
                        "to it",
                    "make it, and the directories and links on the way to it, root's and writable by root "
                    "alone");
  }
  return Unusable(std::string(program) + " is not installed: there is no " + std::string(tool) +
                      " in the system's program directories",
                  "install it, for instance with `apt-get install " + std::string(package) + "`");
}

std::optional<std::string> Setting(const Host& host, const std::string& path) {
  const Result<std::string> text = host.ReadFile(path, kMaxSettingBytes);
  if (!text) return std::nullopt;
  return FirstLine(*text);
}

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

std::optional<NamespaceSetting> ForbiddingSetting(const Host& host) {
  if (Reads(host, "/proc/sys/user/max_user_namespaces", "0")) {
    return NamespaceSetting{{"the number of user namespaces is limited to none",
                             "run `sysctl user.max_user_namespaces=10000` as root"}};
  }
  if (host.Caller().IsRoot()) return std::nullopt;
  if (Reads(host, "/proc/sys/kernel/unprivileged_userns_clone", "0")) {
    return NamespaceSetting{{"user namespaces are switched off for ordinary users",
                             "run `sysctl kernel.unprivileged_userns_clone=1` as root"}};
  }
  if (Reads(host, "/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1") &&
      Reads(host, "/proc/self/attr/apparmor/current", "unconfined")) {
    return NamespaceSetting{
        {"AppArmor takes the capabilities of new user namespaces away",
         "give mxc-exec an AppArmor profile with `userns,`, or use containment 'bubblewrap', which has one"},
        true};
  }
  return std::nullopt;
}

Trouble Surroundings(const Host& host) {
  for (const Place& place : kPlaces) {
    if (Fits(place, host)) return {std::string(place.reason), std::string(place.remedy)};
  }
  if (IsFiltered(host)) {
    return {"new namespaces are refused by a filter of system calls around this process",
            "run outside of it, or let it allow clone, unshare, mount and pivot_root"};
  }
  return {"new namespaces are refused here",
          "a security module or the root directory of this process forbids them: run `unshare -Ur true`"};
}

std::optional<Support> InsideOurSandbox(const Host& host) {
  if (!Fits(kOurSandbox, host)) return std::nullopt;
  return Unusable(std::string(kOurSandbox.reason), std::string(kOurSandbox.remedy));
}

std::string RefusalHint(const Host& host) {
  const std::optional<NamespaceSetting> setting = ForbiddingSetting(host);
  const Trouble trouble = setting ? setting->trouble : Surroundings(host);
  return trouble.reason + ": " + trouble.remedy;
}

bool Succeeded(const ToolRun& run) { return run.started && !run.timed_out && run.exit_code == 0; }

std::string FailureOf(const ToolRun& run) {
  if (run.timed_out) return "a sandbox did not end within " + std::to_string(kProbeLimitMs) + " ms";
  return "a sandbox could not be built: " + FirstLine(run.err);
}

}  // namespace mxc::linux_backend
