// What every command on macOS needs besides files: tables with reasons.
#pragma once

#include "backends/seatbelt/sbpl.h"

namespace mxc::seatbelt {

void AllowProcesses(Profile& profile);
void AllowSystemValues(Profile& profile);
void AllowServices(Profile& profile);
// Behind the rules for files, which let sockets be reached where they let files be written.
void DenyAgents(Profile& profile);

}  // namespace mxc::seatbelt
