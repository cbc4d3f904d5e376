// The machine of Windows Sandbox: a host has one at a time, whoever started it.
#pragma once

#include <windows.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "mxc/error.h"
#include "mxc/windows/sandbox_run.h"
#include "win32/unique_handle_windows.h"

namespace mxc {

inline constexpr std::uint64_t kMachineStartLimitMs = 360000;  // a first start unpacks the machine
inline constexpr std::uint64_t kMachineAppearLimitMs = 30000;  // until a process of the machine is there

// Whether what `job` holds ends with the last handle of it, which is ours. Whoever is killed before what it
// has started is recorded takes it along: nobody could end it later. Errors: kSetupFailed.
[[nodiscard]] Status EndWithUs(HANDLE job, bool ends);

[[nodiscard]] std::vector<MachineProcess> MachineProcesses();
// Is one of them still there?
[[nodiscard]] bool AnyRuns(const std::vector<MachineProcess>& processes);

// Held by whoever starts a machine, until it runs, and by a run until it has ended.
class MachineLock {
 public:
  // Errors: kUnavailable while a machine runs or starts.
  [[nodiscard]] static Result<MachineLock> Take();

 private:
  explicit MachineLock(UniqueHandle mutex) : mutex_(std::move(mutex)) {}
  UniqueHandle mutex_;
};

// `before` is told of the process before it does anything; its error ends it. Errors: kSetupFailed.
using BeforeStart = std::function<Status(const MachineProcess&)>;
[[nodiscard]] Result<MachineProcess> StartMachine(const std::string& wsb_file,
                                                  const BeforeStart& before = nullptr);
// All its processes; waits until they have gone, at most five seconds.
void EndMachine();

}  // namespace mxc
