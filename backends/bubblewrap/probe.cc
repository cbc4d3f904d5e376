// Whether this machine can run bubblewrap, and if not, why and what to do.
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "backends/bubblewrap/bubblewrap.h"
#include "backends/linux/gateway_probe.h"
#include "backends/linux/kernel_files.h"
#include "backends/linux/probing.h"
#include "mxc/limits.h"

namespace mxc::bubblewrap {
namespace {

using linux_backend::FirstLine;
using linux_backend::Unusable;

constexpr std::size_t kMaxProgramBytes = std::size_t{4} << 20;
constexpr std::uint32_t kSetUid = 04000;

struct Option {
  std::string_view text;     // as it stands in the program
  std::string_view feature;  // as Support reports it; empty: required
};

constexpr Option kOptions[] = {
    {"--clearenv", ""},       {"--perms", ""},    {"--json-status-fd", ""},
    {"--bind-fd", "bind-fd"}, {"--size", "size"}, {"--mqueue", "mqueue"},
};

using Known = std::array<bool, std::size(kOptions)>;

// Options stand in the program as NUL-terminated text. One pass for all of them: it is part of every launch.
Known KnownOptions(std::string_view program) {
  Known known{};
  for (std::size_t at = program.find('-'); at != std::string_view::npos; at = program.find('-', at + 1)) {
    const std::string_view rest = program.substr(at);
    if (rest.size() < 2 || rest[1] != '-') continue;
    for (std::size_t i = 0; i < known.size(); ++i) {
      const std::string_view text = kOptions[i].text;
      known[i] =
          known[i] || (rest.size() > text.size() && rest[text.size()] == '\0' && rest.starts_with(text));
    }
  }
  return known;
}

bool HasMessageQueues(const Host& host) {
  constexpr std::size_t kMaxBytes = 65536;
  const Result<std::string> types = host.ReadFile("/proc/filesystems", kMaxBytes);
  return types && types->find("\tmqueue\n") != std::string::npos;
}

Support Look(const Host& host) {
  if (std::optional<Support> inside = linux_backend::InsideOurSandbox(host)) return std::move(*inside);
  const std::optional<std::string> path = host.FindTool("bwrap");
  if (!path) return linux_backend::NoTool(host, "bwrap", "bubblewrap", "bubblewrap");
  const Result<std::string> program = host.ReadFile(*path, kMaxProgramBytes);
  if (!program)
    return Unusable("'" + *path + "' cannot be read: " + program.error().message, "reinstall bubblewrap");
  Support support{.usable = true, .tier = Tier::kContainer, .program = *path};
  const Known known = KnownOptions(*program);
  for (std::size_t i = 0; i < known.size(); ++i) {
    const Option& option = kOptions[i];
    if (known[i] && !option.feature.empty()) support.features.emplace_back(option.feature);
    if (!known[i] && option.feature.empty()) {
      return Unusable("'" + *path + "' does not know the option " + std::string(option.text),
                      "install bubblewrap 0.5.0 or later");
    }
  }
  if (const Lookup lookup = host.LookAt(*path); lookup.status && (lookup.status->mode & kSetUid) != 0) {
    std::erase_if(support.features, [](const std::string& feature) { return feature != "bind-fd"; });
    support.features.emplace_back("setuid");
  } else if (auto setting = linux_backend::ForbiddingSetting(host); setting && !setting->per_program) {
    return Unusable(std::move(setting->trouble.reason), std::move(setting->trouble.remedy));
  }
  support.kernel_files = linux_backend::KernelFilesHere(host, false);
  if (!HasMessageQueues(host)) std::erase(support.features, "mqueue");
  if (!support.Has("bind-fd")) {
    support.warnings.emplace_back(
        "this bubblewrap binds paths by name only: a path that is replaced between check "
        "and mount is not noticed");
  }
  if (!support.Has("size")) {
    support.warnings.emplace_back("this bubblewrap cannot limit the size of /tmp and /dev/shm");
  }
  return support;
}

struct Symptom {
  std::string_view text;     // part of bwrap's first line
  std::string_view setting;  // file that must read `value` for this row; empty: any
  std::string_view value;
  std::string_view reason;
  std::string_view remedy;
};

constexpr std::string_view kAppArmor = "/proc/sys/kernel/apparmor_restrict_unprivileged_userns";
constexpr std::string_view kAppArmorRemedy =
    "install the profile for bwrap: copy /usr/share/apparmor/extra-profiles/bwrap-userns-restrict to "
    "/etc/apparmor.d and run `apparmor_parser -r` on it";

// The first row that fits is the answer: settings that explain a symptom come before the symptom alone.
constexpr Symptom kSymptoms[] = {
    {"RTM_NEWADDR", kAppArmor, "1", "AppArmor takes the capabilities of new user namespaces away",
     kAppArmorRemedy},
    {"uid map", kAppArmor, "1", "AppArmor takes the capabilities of new user namespaces away",
     kAppArmorRemedy},
    {"ermission", "/proc/sys/kernel/unprivileged_userns_clone", "0",
     "user namespaces are switched off for ordinary users",
     "run `sysctl kernel.unprivileged_userns_clone=1` as root"},
    {"", "/proc/sys/user/max_user_namespaces", "0", "the number of user namespaces is limited to none",
     "run `sysctl user.max_user_namespaces=10000` as root"},
    {"No space left", "", "", "the limit of user namespaces is reached", "raise user.max_user_namespaces"},
    {"proc", "", "",
     "a new /proc cannot be mounted, as inside most containers, where parts of /proc are covered",
     "run outside the container, or start it with an uncovered /proc (docker: --security-opt "
     "systempaths=unconfined)"},
    {"new namespace", "", "", "new namespaces are refused, as by the system call filter of most containers",
     "run outside the container, or allow it user namespaces (docker: --security-opt seccomp=unconfined)"},
    {"uid map", "", "", "the user map of a new user namespace cannot be written",
     "allow the caller user namespaces, or run outside the container"},
    {"RTM_NEWADDR", "", "", "a new network namespace cannot be set up",
     "allow the caller capabilities in its own namespaces, or run outside the container"},
};

bool Fits(const Symptom& symptom, const std::string& line, const Host& host) {
  if (line.find(symptom.text) == std::string::npos) return false;
  if (symptom.setting.empty()) return true;
  const Result<std::string> value = host.ReadFile(std::string(symptom.setting), 16);
  return value.ok() && FirstLine(*value) == symptom.value;
}

Support Explain(const ToolRun& run, const Host& host) {
  const std::string line = FirstLine(run.err);
  if (run.timed_out) {
    return Unusable("bwrap did not end within " + std::to_string(kProbeLimitMs) + " ms",
                    "look at what holds it: a filter of the surrounding container is the usual cause");
  }
  if (!run.started) return Unusable("bwrap cannot be started: " + line, "reinstall bubblewrap");
  for (const Symptom& symptom : kSymptoms) {
    if (!Fits(symptom, line, host)) continue;
    return Unusable(std::string(symptom.reason) + " (" + line + ")", std::string(symptom.remedy));
  }
  return Unusable("bwrap failed: " + (line.empty() ? "no message" : line),
                  "run `bwrap --ro-bind / / true` by hand");
}

// The namespaces of a real run, around `true`.
ToolRun TryNamespaces(const Host& host, const Support& support) {
  std::vector<std::string> argv = {support.program,
                                   "--unshare-user",
                                   "--unshare-pid",
                                   "--unshare-ipc",
                                   "--unshare-uts",
                                   "--unshare-net",
                                   "--unshare-cgroup-try",
                                   "--die-with-parent",
                                   "--new-session",
                                   "--cap-drop",
                                   "ALL"};
  for (const char* word :
       {"--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--", "true"}) {
    argv.emplace_back(word);
  }
  return host.Try(argv, kProbeLimitMs);
}

// "bubblewrap 0.8.0" -> "0.8.0"
std::string VersionIn(const std::string& text) {
  const std::string line = FirstLine(text);
  return line.substr(line.rfind(' ') + 1);
}

}  // namespace

Support ProbeBubblewrap(const Host& host, ProbeDepth depth) {
  if (host.System() != OperatingSystem::kLinux)
    return OfAnotherSystem(Containment::kBubblewrap, host.System());
  Support support = Look(host);
  if (depth == ProbeDepth::kQuick || !support.usable) return support;
  const ToolRun run = TryNamespaces(host, support);
  const std::string version = VersionIn(host.Try({support.program, "--version"}, kProbeLimitMs).out);
  if (linux_backend::Succeeded(run)) {
    support.version = version;
    linux_backend::ProbeGateway(host, "bubblewrap", support);
    return support;
  }
  Support failed = Explain(run, host);
  failed.program = support.program;
  failed.version = version;
  failed.features = std::move(support.features);
  return failed;
}

}  // namespace mxc::bubblewrap
