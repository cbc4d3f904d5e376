// mxc_windows_tests PROGRAM [flags of the test library]
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/windows/program_windows.h"

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  if (argc != 2) {
    std::fputs("usage: mxc_windows_tests PROGRAM\n", stderr);
    return 2;
  }
  mxc::test::SetProgramPath(argv[1]);
  return RUN_ALL_TESTS();
}
