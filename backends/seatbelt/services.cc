#include "backends/seatbelt/services.h"

#include <array>
#include <string>
#include <string_view>

namespace mxc::seatbelt {
namespace {

// Facts about the machine that runtimes ask at their start. Not among them: anything about other processes
// (kern.proc, kern.procargs2) and what tells this machine from another (kern.uuid).
constexpr std::array<std::string_view, 45> kSystemValues = {
    "hw.activecpu",
    "hw.busfrequency_compat",
    "hw.byteorder",
    "hw.cacheconfig",
    "hw.cachelinesize",
    "hw.cachelinesize_compat",
    "hw.cpufamily",
    "hw.cpufrequency",
    "hw.cpufrequency_compat",
    "hw.cputype",
    "hw.l1dcachesize",
    "hw.l1dcachesize_compat",
    "hw.l1icachesize",
    "hw.l1icachesize_compat",
    "hw.l2cachesize",
    "hw.l2cachesize_compat",
    "hw.l3cachesize",
    "hw.l3cachesize_compat",
    "hw.logicalcpu",
    "hw.logicalcpu_max",
    "hw.machine",
    "hw.memsize",
    "hw.model",
    "hw.ncpu",
    "hw.nperflevels",
    "hw.packages",
    "hw.pagesize",
    "hw.pagesize_compat",
    "hw.physicalcpu",
    "hw.physicalcpu_max",
    "hw.tbfrequency_compat",
    "hw.vectorunit",
    "kern.argmax",
    "kern.hostname",
    "kern.maxfilesperproc",
    "kern.maxproc",
    "kern.ngroups",
    "kern.osproductversion",
    "kern.osrelease",
    "kern.ostype",
    "kern.osvariant_status",
    "kern.osversion",
    "kern.secure_kernel",
    "kern.usrstack64",
    "kern.version",
};
constexpr std::array<std::string_view, 4> kMoreValues = {"sysctl.proc_cputype", "sysctl.proc_native",
                                                         "security.mac.lockdown_mode_state", "vm.loadavg"};
constexpr std::array<std::string_view, 3> kValuePrefixes = {"hw.optional.", "hw.perflevel", "machdep.cpu."};

// Names of users, log lines, notices of changes. Not among them: FSEvents (tells of every file of the
// volume), LaunchServices (starts programs outside), preferences of other programs.
constexpr std::array<std::string_view, 8> kServices = {
    "com.apple.bsd.dirhelper",
    "com.apple.logd",
    "com.apple.system.DirectoryService.libinfo_v1",
    "com.apple.system.logger",
    "com.apple.system.notification_center",
    "com.apple.system.opendirectoryd.libinfo",
    "com.apple.system.opendirectoryd.membership",
    "com.apple.diagnosticd",
};

}  // namespace

void AllowProcesses(Profile& profile) {
  profile.Comment("processes: those of this sandbox");
  profile.Allow("process-fork");
  profile.Allow("signal", "(target same-sandbox)");
  profile.Allow("process-info*", "(target same-sandbox)");
  // multiprocessing of Python, OpenMP
  profile.Allow("ipc-posix-sem", "(ipc-posix-name-regex #\"^/(mp-|loky-)\")");
  profile.Allow("ipc-posix-shm*", "(ipc-posix-name-regex #\"^/(psm_|__KMP_REGISTERED_LIB_)\")");
  profile.Allow("ipc-posix-shm-read*", "(ipc-posix-name \"apple.shm.notification_center\")");
}

void AllowSystemValues(Profile& profile) {
  const auto add = [&profile](std::string_view kind, std::string_view name) {
    profile.Allow("sysctl-read", "(" + std::string(kind) + " " + Literal(name) + ")");
  };
  profile.Comment("facts about the machine");
  for (const std::string_view name : kSystemValues) add("sysctl-name", name);
  for (const std::string_view name : kMoreValues) add("sysctl-name", name);
  for (const std::string_view prefix : kValuePrefixes) add("sysctl-name-prefix", prefix);
}

void AllowServices(Profile& profile) {
  profile.Comment("services of the system");
  profile.AllowServices(kServices);
}

void DenyAgents(Profile& profile) {
  profile.Comment(
      "sockets of those who act outside the sandbox: engines of containers, agents with keys, launchd");
  for (const char* filter :
       {"(subpath \"/private/var/run\")", "(regex #\"^/private/tmp/com[.]apple[.]launchd[.]\")",
        "(regex #\"/docker[.]sock$\")", "(regex #\"/podman[^/]*[.]sock$\")",
        "(regex #\"/S[.]gpg-agent[^/]*$\")", "(regex #\"/agent[.][0-9]+$\")"}) {
    profile.Deny("network-outbound", filter);
  }
}

}  // namespace mxc::seatbelt
