// A run in Windows Sandbox as data: the machine, and the command in it. backends/windows_sandbox writes it,
// src/process/windows starts the machine.
//
// Nothing of ours runs inside and there is no network. Host and guest meet in one folder, which is made for
// the run: the host leaves the command there, a script takes it up, its output goes into files that the host
// reads as they grow.
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

// Where the guest finds the folder of the run.
inline constexpr std::string_view kGuestRunFolder = "C:\\mxc-run";

// The .wsb file of the machine. `run_folder`: on the host.
[[nodiscard]] std::string WsbText(const WindowsSandboxRun& run, std::string_view run_folder);

// The script that the machine starts, run.cmd. It writes `token` and the exit status of the command into
// "exit", as its last line.
[[nodiscard]] std::string GuestScript(std::string_view token);

// The status behind `token` in "exit"; false: not written yet, or not by our script.
[[nodiscard]] bool ReadGuestStatus(std::string_view text, std::string_view token, std::uint32_t& status);

}  // namespace mxc
