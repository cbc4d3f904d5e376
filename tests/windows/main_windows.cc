// mxc_windows_tests PROGRAM [flags of the test library]
// clang-format off
#include <windows.h>
#include <shellapi.h>
// clang-format on

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "tests/windows/guest_windows.h"
#include "tests/windows/program_windows.h"
#include "tests/windows/system_programs_windows.h"
#include "win32/wide_windows.h"

int main(int argc, char** argv) {
  int count = 0;
  wchar_t** const wide = ::CommandLineToArgvW(::GetCommandLineW(), &count);
  if (count > 2 && mxc::Narrow(wide[1]) == "--guest") {
    std::vector<std::string> arguments;
    for (int i = 2; i < count; ++i) arguments.push_back(mxc::Narrow(wide[i]));
    return mxc::test::RunGuest(arguments);
  }
  std::vector<std::string> line;
  for (int i = 0; i < count; ++i) line.push_back(mxc::Narrow(wide[i]));
  if (const std::optional<int> status = mxc::test::RunAsSystemProgram(line)) return *status;
  testing::InitGoogleMock(&argc, argv);
  if (argc != 2) {
    std::fputs("usage: mxc_windows_tests PROGRAM\n", stderr);
    return 2;
  }
  mxc::test::SetProgramPath(argv[1]);
  return RUN_ALL_TESTS();
}
