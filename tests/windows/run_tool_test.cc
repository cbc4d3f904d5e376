// Helpers that answer, talk without end, or do not end.
#include <gtest/gtest.h>
#include <windows.h>

#include "tests/windows/guest_windows.h"
#include "win32/run_tool_windows.h"

namespace mxc::test::run_tool_test {
namespace {

TEST(WindowsTool, AnswersWithBothStreamsAndItsStatus) {
  const ToolRun run = RunTool(Guest({"both"}), 20000);
  EXPECT_TRUE(run.started);
  EXPECT_FALSE(run.timed_out);
  EXPECT_EQ(run.out, "out");
  EXPECT_EQ(run.err, "err");
  EXPECT_EQ(RunTool(Guest({"exit", "7"}), 20000).exit_code, 7);
}

TEST(WindowsTool, MayTalkMoreThanIsKept) {
  const ToolRun run = RunTool(Guest({"fill", "300000"}), 20000);
  EXPECT_FALSE(run.timed_out);
  EXPECT_EQ(run.out.size(), 65536U);
}

// One that the kernel does not let end holds its pipes, too.
TEST(WindowsTool, IsNotWaitedForLongerThanItMayTake) {
  const std::uint64_t before = ::GetTickCount64();
  const ToolRun run = RunTool(Guest({"leak", std::to_string(::GetCurrentProcessId()), "60000"}), 2000);
  EXPECT_TRUE(run.timed_out);
  EXPECT_LT(::GetTickCount64() - before, 10000U);
  ASSERT_NE(run.out, "");
  ::CloseHandle(reinterpret_cast<HANDLE>(std::stoull(run.out)));
}

}  // namespace
}  // namespace mxc::test::run_tool_test
