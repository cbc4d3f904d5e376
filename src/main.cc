#include <string_view>

#include "engine/container_init.h"
#include "engine/persistent/session_init.h"
#include "entry.h"
#include "mxc/plan.h"
#include "stdio/stdio_setup.h"

int main(int argc, char** argv) {
  // Before anything else of ours runs: process 1 of a sandbox that stays.
  if (argc == 3 && std::string_view(argv[1]) == mxc::kSessionInitFlag) return mxc::RunSessionInit(argv[2]);
  // ... or process 1 of a container.
  if (argc == 3 && argv[1] == mxc::kContainerInit) mxc::RunContainerInit(argv[2]);
  mxc::FillStandardStreams();
  return mxc::RunMain(argc, argv);
}
