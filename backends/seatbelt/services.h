// The rights that every command on macOS needs besides files: tables with reasons.
#pragma once

#include "backends/seatbelt/sbpl.h"

namespace mxc::seatbelt {

void AllowProcesses(Profile& profile);
void AllowSystemValues(Profile& profile);
void AllowServices(Profile& profile);
// To be called after the rules for files, which allow sockets wherever they allow writing.
void DenyAgents(Profile& profile);

}  // namespace mxc::seatbelt
