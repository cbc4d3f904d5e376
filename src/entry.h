// The program behind every main.
#pragma once

namespace mxc {

// Command line, host, and the stages. argv: UTF-8 where the system has it so. Returns the exit status; the
// one catch of the program is here.
[[nodiscard]] int RunMain(int argc, char** argv);

}  // namespace mxc
