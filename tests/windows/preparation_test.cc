// Host preparation from the command line. Wine's lists are an imitation: nothing is changed here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/windows/program_windows.h"
#include "tests/windows/system_programs_windows.h"

namespace mxc::test::preparation_test {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

TEST(WindowsPreparation, TakesTheRootOfADriveOnly) {
  for (const char* drive : {"C:\\Windows", "C:", "\\\\server\\share", "1:\\"}) {
    const Said said = RunProgram({"--prepare-system-drive", drive});
    EXPECT_EQ(said.status, 2U) << drive;
    EXPECT_THAT(said.err, HasSubstr("is no root of a drive")) << drive;
  }
  EXPECT_EQ(RunProgram({"--unprepare-system-drive", "x"}).status, 2U);
}

TEST(WindowsPreparation, SaysWhatTheNullDeviceHas) {
  const Said said = RunProgram({"--verify-null-device"});
  EXPECT_THAT(said.status, AnyOf(0U, 1U));
  EXPECT_THAT(said.out, AnyOf("null device: as it should be\n", "null device: dacl-differs\n",
                              "null device: label-differs\n"));
  EXPECT_EQ(said.status == 0, said.out == "null device: as it should be\n");
  EXPECT_EQ(RunProgram({"--dump-null-device"}).status, 0U);
}

}  // namespace
}  // namespace mxc::test::preparation_test
