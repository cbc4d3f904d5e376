// The sandbox's first process, from clone3 to its end. Only system calls: it runs in a copy of a process that
// may have held any lock.
#pragma once

#include <string_view>
#include <vector>

#include "engine/landlock.h"
#include "engine/program.h"
#include "engine/report.h"

namespace mxc::engine {

struct Child {
  const Program& program;
  std::vector<int>& slots;  // descriptors of the root and of each tmpfs that something stands in
  Command command = {};
  int report_to = -1;       // where Send writes; -1: failures alone, as text, to standard error
  int control_socket = -1;  // stays open beside it
  bool adopts = false;      // what the command starts becomes ours, and ends before we do
  bool session = false;     // we are the supervisor of one of the commands of a persistent sandbox
  LandlockRules landlock = {};
  int mask = -1;    // the first mask of a file, once it is attached
  int node = -1;    // the mount action at work, for reports
  pid_t init = -1;  // ours
  // Our namespaces, to be discarded at the end; -1: not to be. Of mounts: those that we built, and their
  // copy.
  int mounts = -1, locked_mounts = -1, network = -1;
  bool signals_inside = false;  // kill(-1) reaches nothing but what we have started
  bool temp_made = false;

  // Ends the process, and in init of a sandbox without namespaces first everything it holds.
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

// The parts of it, each in a file of its own name.
void SetUpGateway(const Child& child);       // network.cc
void AwaitGatewayStart(const Child& child);  // network.cc
void BuildRoot(Child& child);                // mounts.cc
// mounts.cc; a new file of the command's own, left out where the caller's limits forbid one of this size.
[[nodiscard]] bool MakeTextFile(int directory, const char* name, std::string_view text);
void FillDevices(Child& child, int dev);  // devices.cc
void EnterRoot(Child& child);             // mounts.cc
// Of a container, whose root is the caller: its process 1 belongs to that root in /proc, also when it is not
// dumpable, and the command could write some files of it there.
void SealInit(const Child& child);                               // mounts.cc
void ResetSignals();                                             // child.cc
void LockMounts(Child& child, int own);                          // child.cc; `own`: our directory of /proc
void DropCapabilities(const Child& child);                       // lockdown.cc
void LockDown(Child& child, NetworkAhead& network);              // lockdown.cc
void ConnectStream(const Child& child, int source, int target);  // lockdown.cc
void LoadFilters(const Child& child);                            // lockdown.cc
void WatchCalls(const Child& child);                             // watch.cc
void RunCommand(const Child& child);                             // init.cc; returns when its end is reported
[[noreturn]] void HoldSession(const Child& init);                // persistent/session.cc

}  // namespace mxc::engine
