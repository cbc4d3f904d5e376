#include <optional>

#include "entry.h"
#include "inside_linux.h"
#include "report/report.h"
#include "shell/shell_call.h"
#include "stdio/stdio_setup.h"

int main(int argc, char** argv) {
  // A shell has no words of ours: its caller may have them from a stranger.
  const bool shell = argc > 0 && mxc::IsShellName(argv[0]);
  if (!shell) {
    if (const std::optional<int> status = mxc::RunInside(argc, argv)) return *status;
  }
  if (!mxc::FillStandardStreams()) mxc::LoseStandardError();
  return mxc::RunMain(argc, argv);
}
