// How a run ended.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mxc/error.h"
#include "mxc/resource.h"

namespace mxc {

// The engine that isolated the command in a system inside this one.
struct InnerEngine {
  std::string name = {};                      // "wsl-unshare"
  std::string tier = {};                      // "container"
  std::string isolation_level = {};           // "namespaces"; may be empty
  std::vector<std::string> not_covered = {};  // by that level
  // Its place, as keys and texts for a report. Empty texts are left out.
  std::vector<std::pair<std::string, std::string>> where = {};
};

struct Outcome {
  int exit_code = 0;  // of the command; 128 + signal if a signal ended it
  int signal = 0;     // 0: it exited by itself
  bool timed_out = false;
  int interrupted_by = 0;  // signal to the launcher that asked the run to end (HUP, INT, TERM); 0: none
  // When it was interrupted the command exited, neither by that signal nor by SIGKILL later.
  bool exited_when_asked = false;
  bool stdout_truncated = false;
  bool stderr_truncated = false;
  bool cpu_time_out = false;           // the launcher ended it, because its processor time was used up
  std::vector<Resource> reached = {};  // limits that took effect, as far as the kernel reports them
  std::uint64_t duration_ms = 0;
  std::optional<InnerEngine> inside = {};  // absent: there is none, or it has not reported
};

inline constexpr int kTimedOutStatus = 255;
// 128 + SIGXCPU, what a shell reports when the kernel ends a process for it.
inline constexpr int kCpuTimeStatus = 152;

// By its limits, or by a signal to the launcher: then its exit status is not the command's answer.
[[nodiscard]] inline bool EndedByLauncher(const Outcome& outcome) {
  return outcome.timed_out || outcome.cpu_time_out ||
         (outcome.interrupted_by != 0 && !outcome.exited_when_asked);
}

// The exit status of mxc-exec after such a run.
[[nodiscard]] inline int ExitStatusOf(const Outcome& outcome) {
  if (outcome.timed_out) return kTimedOutStatus;
  if (outcome.cpu_time_out) return kCpuTimeStatus;
  return EndedByLauncher(outcome) ? 128 + outcome.interrupted_by : outcome.exit_code;
}

}  // namespace mxc
