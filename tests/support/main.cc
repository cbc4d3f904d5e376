// An argument that googletest does not know ends the program: a probe that starts "itself" must not start
// all tests once more.
#include <gmock/gmock.h>

#include <cstdio>

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  if (argc > 1) {
    std::fprintf(stderr, "unknown argument '%s'\n", argv[1]);
    return 2;
  }
  return RUN_ALL_TESTS();
}
