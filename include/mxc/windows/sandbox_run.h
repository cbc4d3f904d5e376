// A run in Windows Sandbox as data: the machine, and the command in it. backends/windows_sandbox writes it,
// src/windows starts the machine.
//
// There is no network. Host and guest meet in a folder. For one run: the host leaves the command there, a
// script takes it up, its output goes into files that the host reads as they grow. A machine that stays has
// two, and this program inside as its agent: mxc/windows/sandbox_command.h.
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
  std::uint64_t memory_bytes = 0;  // of the machine; 0: as Windows decides
  std::string command_line = {};   // for cmd.exe /c
  std::vector<Variable> environment = {};
  std::string cwd = {};
};

// A process of the machine on the host; no other ever bears both.
struct MachineProcess {
  std::uint32_t id = 0;
  std::uint64_t created = 0;  // as Windows counts
  bool operator==(const MachineProcess&) const = default;
};

// Where the guest finds the folder of the run.
inline constexpr std::string_view kGuestRunFolder = "C:\\mxc-run";

// The .wsb file of the machine. `run_folder`: on the host.
[[nodiscard]] std::string WsbText(const WindowsSandboxRun& run, std::string_view run_folder);

// The same for a machine that stays. Both folders are on the host: the guest can only read `orders`, which
// holds this program, and finds it as kGuestOrderFolder; it answers in `answers`, its kGuestRunFolder.
inline constexpr std::string_view kGuestOrderFolder = "C:\\mxc-orders";
inline constexpr std::string_view kAgentProgram = "mxc-exec.exe";
inline constexpr std::string_view kAgentFlag = "--sandbox-agent";  // the two folders are the next arguments
[[nodiscard]] std::string PersistentWsbText(const WindowsSandboxRun& run, std::string_view orders,
                                            std::string_view answers);

// The script that the machine starts, run.cmd. It writes `token` and the exit status of the command into
// "exit", as its last line.
[[nodiscard]] std::string GuestScript(std::string_view token);

// The status behind `token` in "exit"; false: not written yet, or not by our script.
[[nodiscard]] bool ReadGuestStatus(std::string_view text, std::string_view token, std::uint32_t& status);

}  // namespace mxc
