#include "engine/report.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <string>
#include <string_view>

#include "engine/program.h"
#include "gateway/setup/inside.h"
#include "mxc/limit_hint.h"

namespace mxc::engine {
namespace {

constexpr const char* kMaskedProc =
    "something covers parts of /proc here, as in most containers, and the kernel then allows no fresh one; "
    "run "
    "the container with an unmasked /proc (--security-opt systempaths=unconfined)";
// When a row's hint applies.
constexpr int kAlways = 0;
constexpr int kRefused = -1;  // EPERM or EACCES

struct Row {
  Step step = Step::kCreate;
  int when = kAlways;
  const char* words = "";
  const char* hint = "";
};

constexpr Row kRows[] = {
    {Step::kCreate, kAlways, "create the namespaces"},
    {Step::kTie, kAlways, "tie the sandbox to its launcher"},
    {Step::kEnterGroup, kAlways, "enter the control group",
     "the control group above may be at a limit of its own, or be frozen"},
    {Step::kContainer, kAlways, "find every namespace of the container to be new",
     "LXC shares one of the launcher's: look at lxc.namespace.* in /etc/lxc and in ~/.config/lxc"},
    {Step::kMapIdentity, kAlways, "map the user into its namespace"},
    {Step::kNetwork, kAlways, "make a network namespace with a loopback interface"},
    {Step::kSteer, kAlways, "load the gateway's nftables rules", egress::kSteerHint},
    {Step::kRoutes, kAlways, "set the routes to the gateway"},
    {Step::kGatewaySockets, kAlways, "make the gateway's sockets"},
    {Step::kGateway, kAlways, "reach the network gateway"},
    {Step::kHostname, kAlways, "set the host name"},
    {Step::kRoot, kAlways, "mount the new root"},
    {Step::kOpenSource, kAlways, "open"},
    {Step::kReplaced, kAlways, "use",
     "run the command again; something else is renaming files below this path"},
    {Step::kCloneMounts, EINVAL, "copy the mounts of",
     "something is mounted over part of it that may not be uncovered"},
    {Step::kProtectMounts, kAlways, "set the mount attributes of"},
    {Step::kMakeTarget, kAlways, "make the mount point"},
    {Step::kOpenTarget, kAlways, "find the mount point"},
    {Step::kAttach, kAlways, "mount"},
    {Step::kTmpfs, kAlways, "make a tmpfs for"},
    {Step::kProc, kRefused, "make a process file system for", kMaskedProc},
    {Step::kDevice, kAlways, "fill"},
    {Step::kTerminals, kAlways, "make terminals for"},
    {Step::kLink, kAlways, "make the symbolic link"},
    {Step::kSeal, kAlways, "make read-only"},
    {Step::kPivot, kAlways, "enter the new root"},
    {Step::kForgetHost, kAlways, "detach the host's mounts"},
    {Step::kLockMounts, kAlways, "lock the mounts together"},
    {Step::kSignals, kAlways, "reset the signals"},
    {Step::kDescriptors, kAlways, "close the launcher's descriptors"},
    {Step::kStreams, kAlways, "connect the standard streams"},
    {Step::kCapabilities, kAlways, "drop the capabilities"},
    {Step::kPrivileges, kAlways, "give up new privileges"},
    {Step::kLandlock, kAlways, "apply Landlock"},
    {Step::kLimits, kAlways, "set the limits of each process"},
    {Step::kSeccomp, kAlways, "load the seccomp program"},
    {Step::kWatch, kAlways, "hand over the listener of its files", "leave out --report"},
    {Step::kSupervise, kAlways, "keep the command's signals inside"},
    {Step::kTemp, kAlways, "make the directory for temporary files"},
    {Step::kSpawn, kAlways, "create the command's process"},
    {Step::kSession, kAlways, "start a session"},
    {Step::kTerminal, kAlways, "take the private terminal"},
    {Step::kDirectory, kAlways, "enter the working directory",
     "process.cwd must be a directory that the policy shows"},
    {Step::kExecute, kAlways, "execute"},
};

std::string CreateHint(int number) {
  if (number == ENOSPC || number == EUSERS) {
    return "raise user.max_user_namespaces and its siblings in /proc/sys/user, or leave an outer sandbox: "
           "namespaces nest only 32 deep";
  }
  if (number == ENOSYS) return "the system call clone3 is missing or filtered: Linux 5.12 or later is needed";
  return {};  // the launcher looks at the host
}

// The launcher looks before a run; of a command in a persistent sandbox, and of an image, only this is known.
std::string ExecuteHint(int number) {
  if (number == ENOENT)
    return "a command without a slash is looked up on the PATH of the sandbox; grant its directory, and the "
           "interpreter's of a script";
  if (number == EACCES)
    return "chmod +x makes a file a program, unless its file system is mounted with noexec; its interpreter, "
           "and a directory above it, must let the caller in as well";
  if (number == ENOEXEC)
    return "a script begins with a line like #!/bin/sh; a program may be for another processor";
  return {};
}

const Row* Find(Step step) {
  const auto* const found =
      std::find_if(std::begin(kRows), std::end(kRows), [step](const Row& row) { return row.step == step; });
  return found == std::end(kRows) ? nullptr : found;
}

bool Applies(const Row& row, int number) {
  if (row.when == kRefused) return number == EPERM || number == EACCES;
  return row.when == kAlways || row.when == number;
}

std::string Hint(const Report& report) {
  constexpr Step kForks[] = {Step::kCreate, Step::kNetwork, Step::kSpawn, Step::kExecute};
  const bool forks = std::find(std::begin(kForks), std::end(kForks), report.step) != std::end(kForks);
  const std::string_view limit = forks || report.number != EAGAIN ? HintOf(report.number) : "";
  if (!limit.empty()) return std::string(limit);
  if (report.step == Step::kCreate) return CreateHint(report.number);
  if (report.step == Step::kExecute) return ExecuteHint(report.number);
  const Row* row = Find(report.step);
  return row != nullptr && Applies(*row, report.number) ? row->hint : "";
}

// The object of the step that failed.
std::string Subject(const Report& report, const Program& program) {
  if (report.step == Step::kExecute) return program.command.arguments.front();
  if (report.step == Step::kDirectory) return program.cwd;
  if (report.node < 0 || static_cast<std::size_t>(report.node) >= program.mounts.size()) return {};
  const MountAction& action = program.mounts[static_cast<std::size_t>(report.node)];
  const bool source = report.step == Step::kOpenSource || report.step == Step::kCloneMounts;
  return source && action.kind == MountAction::Kind::kBind ? action.source : action.target;
}

// Whether the kernel, or a seccomp filter around us, refuses such a namespace or a new /proc to every run.
bool IsRefusal(const Report& report) {
  constexpr Step kRefusable[] = {Step::kMapIdentity, Step::kNetwork, Step::kRoot, Step::kLockMounts,
                                 Step::kCloneMounts, Step::kTmpfs,   Step::kProc, Step::kPivot};
  const int number = report.number;
  const bool refused = number == EPERM || number == EACCES || number == ENOSYS;
  const bool limited = number == ENOSPC || number == EUSERS || number == EINVAL;
  if (report.step == Step::kCreate) return refused || limited;
  return refused &&
         std::find(std::begin(kRefusable), std::end(kRefusable), report.step) != std::end(kRefusable);
}

}  // namespace

Error StepError(const Report& report, const Program& program) {
  const std::string subject = Subject(report, program);
  const Row* row = Find(report.step);
  std::string what = std::string("could not ") + (row != nullptr ? row->words : "set up the sandbox");
  if (!subject.empty()) what += " '" + subject + "'";
  Error error = SystemError(ErrorCode::kSetupFailed, what, report.number);
  if (report.step == Step::kReplaced)
    error.message = "'" + subject + "' was replaced while the sandbox was being set up";
  if (report.step == Step::kExecute && report.number == E2BIG) {
    error.message = what + ": the arguments and the environment together are too long for this system";
    error.hint = "pass large data through a file or standard input";
    return error;
  }
  error.hint = Hint(report);
  if (IsRefusal(report)) error.code = ErrorCode::kUnavailable;
  const bool opened = report.step == Step::kOpenTarget || report.step == Step::kOpenSource;
  error.outdated = opened && report.number == ENOENT;
  return error;
}

}  // namespace mxc::engine
