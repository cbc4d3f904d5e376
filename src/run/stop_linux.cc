#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <string>
#include <string_view>
#include <utility>

#include "base/process_tree.h"
#include "run/stop.h"

namespace mxc {
namespace {

// The kernel says at once whether there are children; only if so all of /proc is read.
std::vector<pid_t> OwnChildren() {
  siginfo_t info{};
  const int none = ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT);
  if (none != 0 && errno == ECHILD) return {};
  return ChildrenOf(::getpid());
}

// "NSpid:\t4711\t1\n": its numbers in our namespace, and in those below.
bool HasNumberInside(pid_t process, std::string_view number) {
  const std::string status = ProcessText(process, "status");
  const std::size_t numbers = status.find("\nNSpid:");
  return numbers != std::string::npos &&
         status.substr(0, status.find('\n', numbers + 1)).ends_with("\t" + std::string(number));
}

// Process 1 of bubblewrap passes no signal on; its first child is the command.
UniqueFd CommandOfBubblewrap(pid_t process_1) {
  for (const pid_t process : ChildrenOf(process_1)) {
    UniqueFd handle = HandleOf(process);
    if (handle && ParentOf(process) == process_1 && HasNumberInside(process, "2")) return handle;
  }
  return {};
}

}  // namespace

RunTree::RunTree(Reporting reporting) : reporting_(reporting) {
  if (!Adopts()) return;
  earlier_ = OwnChildren();
  ::prctl(PR_GET_CHILD_SUBREAPER, &was_subreaper_);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

RunTree::~RunTree() {
  if (Adopts()) ::prctl(PR_SET_CHILD_SUBREAPER, was_subreaper_);
}

// Makes sure that the number is not another process's by now. If the tool has ended, the sandbox has another
// parent, but still the tool's process group: its own, or ours, in which nothing else is process 1 of a
// namespace.
void RunTree::FoundSandbox(pid_t process) {
  UniqueFd handle = HandleOf(process);
  const pid_t group = ::getpgid(process);
  const bool ours = ParentOf(process) == child_->id || group == child_->id ||
                    (group == ::getpgrp() && HasNumberInside(process, "1"));
  if (!handle || !ours) return;
  sandbox_ = std::move(handle);
  sandbox_id_ = process;
}

bool RunTree::Terminate(int number) const {
  if (child_->id <= 0) return false;  // a supervisor that has ended
  if (HasSandboxBelow()) {
    return sandbox_ && SignalDescendants(sandbox_id_, number) != 0;
  }
  if (reporting_ != Reporting::kExitStatus) return SignalDescendants(child_->id, number) != 0;
  // Children first: a shell that has ended would leave them to us.
  SignalDescendants(child_->id, number);
  SignalHandle(child_->handle, number);
  for (const pid_t process : Adopted()) {
    SignalDescendants(process, number);
    SignalHandle(HandleOf(process), number);
  }
  return true;
}

// Our engine's init passes it on.
void RunTree::SignalCommand(int number) const {
  if (reporting_ == Reporting::kStatusPipe) return SignalHandle(CommandOfBubblewrap(sandbox_id_), number);
  SignalHandle(reporting_ == Reporting::kContainer ? sandbox_ : child_->handle, number);
}

void RunTree::Kill() const {
  SignalHandle(sandbox_, SIGKILL);
  guard_.Kill();  // the tool may have children that nothing ties to it yet
  // Init kills the whole tree itself before it ends.
  if (reporting_ == Reporting::kSupervisor || reporting_ == Reporting::kPersistent)
    return SignalHandle(child_->handle, SIGTERM);
  if (reporting_ == Reporting::kExitStatus) SignalDescendants(child_->id, SIGKILL);
  SignalHandle(child_->handle, SIGKILL);
}

void RunTree::Continue() const { SignalHandle(sandbox_ ? sandbox_ : child_->handle, SIGCONT); }

// Our children that were not there before: the child's orphans.
std::vector<pid_t> RunTree::Adopted() const {
  std::vector<pid_t> children = OwnChildren();
  std::erase_if(children, [&](pid_t process) {
    return process == child_->id || std::find(earlier_.begin(), earlier_.end(), process) != earlier_.end();
  });
  return children;
}

void RunTree::Finish() {
  // It ended after everything else in its namespace, or after everything the command started.
  if (reporting_ == Reporting::kInit || reporting_ == Reporting::kPersistent) return;
  if (HasSandboxBelow()) {
    SignalHandle(sandbox_, SIGKILL);
    guard_.Kill();
    return;
  }
  // Each round kills one generation; its orphans are in the next.
  for (std::vector<pid_t> adopted = Adopted(); !adopted.empty(); adopted = Adopted()) {
    for (const pid_t process : adopted) ::kill(process, SIGKILL);  // our zombie at worst: not reused
    for (const pid_t process : adopted) {
      while (::waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
      }
    }
  }
}

}  // namespace mxc
