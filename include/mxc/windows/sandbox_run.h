// A run in Windows Sandbox as data: the machine, and the command in it. backends/windows_sandbox makes it,
// src/windows starts the machine.
//
// There is no network; host and guest share a folder. For one run the host writes the command there, a script
// in the guest runs it, and its output goes into files that the host reads as they grow. A persistent machine
// has two folders, and this program as its agent: mxc/windows/sandbox_command.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mxc/secret.h"

namespace mxc {

struct MappedFolder {
  std::string path = {};  // on both sides
  bool read_only = true;
};

struct WindowsSandboxRun {
  std::vector<MappedFolder> folders = {};
  std::uint64_t memory_bytes = 0;  // of the machine; 0: Windows decides
  std::string command_line = {};   // for cmd.exe /c
  std::vector<Variable> environment = {};
  std::string cwd = {};
};

// A process of the machine on the host; no other process ever has the same number and time of creation.
struct MachineProcess {
  std::uint32_t id = 0;
  std::uint64_t created = 0;  // FILETIME
  bool operator==(const MachineProcess&) const = default;
};

// The path of the run's folder in the guest.
inline constexpr std::string_view kGuestRunFolder = "C:\\mxc-run";

// The .wsb file of the machine. `run_folder`: on the host.
[[nodiscard]] std::string WsbText(const WindowsSandboxRun& run, std::string_view run_folder);

// The same for a persistent machine. Both folders are on the host: `orders`, which contains this program, is
// read-only in the guest at kGuestOrderFolder; the guest answers in `answers`, its kGuestRunFolder.
inline constexpr std::string_view kGuestOrderFolder = "C:\\mxc-orders";
inline constexpr std::string_view kAgentProgram = "mxc-exec.exe";
inline constexpr std::string_view kAgentFlag = "--sandbox-agent";  // the two folders are the next arguments
[[nodiscard]] std::string PersistentWsbText(const WindowsSandboxRun& run, std::string_view orders,
                                            std::string_view answers);

// The script that the machine runs, run.cmd. At the end it writes `token` and the exit status of the command
// into the file "exit".
[[nodiscard]] std::string GuestScript(std::string_view token);

// Reads the status behind `token` in "exit". False: not written yet, or not by our script.
[[nodiscard]] bool ReadGuestStatus(std::string_view text, std::string_view token, std::uint32_t& status);

}  // namespace mxc
