#include <optional>

#include "entry.h"
#include "inside_linux.h"
#include "stdio/stdio_setup.h"

int main(int argc, char** argv) {
  if (const std::optional<int> status = mxc::RunInside(argc, argv)) return *status;
  mxc::FillStandardStreams();
  return mxc::RunMain(argc, argv);
}
