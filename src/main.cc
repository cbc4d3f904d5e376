#include <string_view>

#include "entry.h"
#include "mxc/plan.h"
#include "process/linux/container_init.h"
#include "process/linux/session_init.h"
#include "process/wiring.h"

int main(int argc, char** argv) {
  // Before anything else of ours runs: process 1 of a sandbox that stays.
  if (argc == 3 && std::string_view(argv[1]) == mxc::kSessionInitFlag) return mxc::RunSessionInit(argv[2]);
  // ... or process 1 of a container.
  if (argc == 3 && argv[1] == mxc::kContainerInit) mxc::RunContainerInit(argv[2]);
  mxc::FillStandardStreams();
  return mxc::RunMain(argc, argv);
}
