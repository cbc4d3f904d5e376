// `mxc-sh`: the program as a shell, for whatever asks for one by a path: what it is called with becomes the
// call of a shell in the sandbox.
//
//   mxc-sh -c 'make test'     /usr/bin/bash -c 'make test'
//   mxc-sh 'make test'        the same: CLAUDE_CODE_SHELL_PREFIX gives one argument
//   mxc-sh script.sh a b      /usr/bin/bash script.sh a b
//   mxc-sh, -mxc-sh           /usr/bin/bash, and as a login shell
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mxc/host.h"

namespace mxc {

// `program` is argv[0]; a dash before the name asks for a login shell.
[[nodiscard]] bool IsShellName(std::string_view program);

// The command to run, for the words behind argv[0]. Which shell runs is said by MXC_SHELL; else it is bash
// where this host has it, or sh.
[[nodiscard]] std::vector<std::string> CommandOfShellCall(std::string_view program,
                                                          const std::vector<std::string>& words,
                                                          const Host& host);

// Names of the caller's variables that the command gets too: what a terminal, make and npm tell a job, and
// those that MXC_ENV names.
[[nodiscard]] std::vector<std::string> ShellVariables(const Host& host);

}  // namespace mxc
