// The sandbox's first process, from clone3 to its end. It makes system calls only, because it runs in a copy
// of a process that may have held any lock.
#pragma once

#include <string_view>
#include <vector>

#include "engine/landlock.h"
#include "engine/program.h"
#include "engine/report.h"

namespace mxc::engine {

struct Child {
  const Program& program;
  std::vector<int>& slots;  // descriptors of the root and of each tmpfs with mount targets in it
  Command command = {};
  int report_to = -1;       // where Send writes; -1: only failures, as text, to standard error
  int control_socket = -1;  // stays open like `report_to`
  bool adopts = false;      // this process adopts the command's orphans, and ends them before it ends
  bool session = false;     // this process supervises a command of a persistent sandbox
  LandlockRules landlock = {};
  int mask = -1;    // the first file mask, once it is attached
  int node = -1;    // the current mount action, for reports
  pid_t init = -1;  // the init of this process
  // Namespaces to discard at the end; -1: none. `mounts` are those that we built, `locked_mounts` their copy.
  int mounts = -1, locked_mounts = -1, network = -1;
  bool signals_inside = false;  // kill(-1) reaches only processes that we have started
  int temp = -1;  // the directory for temporary files, locked as long as it is open; -1: it is not made

  // Ends the process; in the init of a sandbox without namespaces, after all its processes.
  [[noreturn]] void Leave(int status) const;
  // Reports errno and leaves.
  [[noreturn]] void Fail(Step step) const;
  // NOLINTNEXTLINE(modernize-use-nodiscard): most calls are made for their effect
  int Check(long result, Step step) const {
    if (result < 0) Fail(step);
    return static_cast<int>(result);
  }
  void Send(const Report& report) const;
  [[nodiscard]] bool LauncherIsGone() const;  // it has closed its end of `report_to`
};

[[noreturn]] void ChildMain(Child& child);
// The same for process 1 of a container, which has its namespaces already.
struct ContainerOrder;
[[noreturn]] void ContainerMain(Child& child, const ContainerOrder& order);

class NetworkAhead;

// Parts of ChildMain, each in the file named behind it.
void SetUpGateway(const Child& child);       // network.cc
void AwaitGatewayStart(const Child& child);  // network.cc
void BuildRoot(Child& child);                // mounts.cc
// mounts.cc; creates a file of the command's own, or none if RLIMIT_FSIZE forbids one of this size.
[[nodiscard]] bool MakeTextFile(int directory, const char* name, std::string_view text);
void FillDevices(Child& child, int dev);  // devices.cc
void EnterRoot(Child& child);             // mounts.cc
// For a container, whose root is the caller: in /proc its process 1 belongs to that root even if it is not
// dumpable, so the command could write some of its files there.
void SealInit(const Child& child);                               // mounts.cc
void ResetSignals();                                             // child.cc
void LockMounts(Child& child, int own);                          // child.cc; `own`: see AllowMounted
void DropCapabilities(const Child& child);                       // lockdown.cc
void LockDown(Child& child, NetworkAhead& network);              // lockdown.cc
void ConnectStream(const Child& child, int source, int target);  // lockdown.cc
void LoadFilters(const Child& child);                            // lockdown.cc
void WatchCalls(const Child& child);                             // watch.cc
void RunCommand(const Child& child);                             // init.cc; returns after reporting its end
[[noreturn]] void HoldSession(const Child& init);                // persistent/session.cc

}  // namespace mxc::engine
