#include <string_view>

#include "entry.h"
#include "macos/child.h"
#include "report/report.h"
#include "stdio/stdio_setup.h"

int main(int argc, char** argv) {
  // Before anything else of ours runs: the sandbox's first process.
  if (argc == 2 && std::string_view(argv[1]) == mxc::kSeatbeltChildFlag) return mxc::RunSeatbeltChild();
  if (!mxc::FillStandardStreams()) mxc::LoseStandardError();
  return mxc::RunMain(argc, argv);
}
