// An argument that googletest does not know ends the program: a probe that starts "itself" must not start
// all tests once more.
#include <gmock/gmock.h>

#include <cstdio>
#include <optional>

#include "inside_linux.h"

int main(int argc, char** argv) {
  // What bubblewrap executes inside a sandbox is the program that has started it: this one.
  if (const std::optional<int> status = mxc::RunInside(argc, argv)) return *status;
  testing::InitGoogleMock(&argc, argv);
  if (argc > 1) {
    std::fprintf(stderr, "unknown argument '%s'\n", argv[1]);
    return 2;
  }
  return RUN_ALL_TESTS();
}
