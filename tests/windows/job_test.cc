// What a job is told, and how long one waits for it. Wine takes most of it and holds little, so what is
// compared is what would be set.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "win32/unique_handle_windows.h"
#include "windows/command_windows.h"
#include "windows/job_windows.h"

namespace mxc::test::job_test {
namespace {

using testing::ElementsAre;

std::vector<JOBOBJECTINFOCLASS> Kinds(const std::vector<JobSetting>& settings) {
  std::vector<JOBOBJECTINFOCLASS> kinds;
  for (const JobSetting& setting : settings) kinds.push_back(setting.kind);
  return kinds;
}

template <class Information>
Information As(const JobSetting& setting) {
  Information information{};
  EXPECT_EQ(setting.bytes.size(), sizeof information);
  std::memcpy(&information, setting.bytes.data(), std::min(setting.bytes.size(), sizeof information));
  return information;
}

JOBOBJECT_EXTENDED_LIMIT_INFORMATION LimitsOf(const JobLimits& limits) {
  return As<JOBOBJECT_EXTENDED_LIMIT_INFORMATION>(JobSettings({.limits = limits}, true, 4).at(0));
}

TEST(WindowsJob, EndsWithItsLastHandle) {
  const DWORD flags = LimitsOf({}).BasicLimitInformation.LimitFlags;
  EXPECT_EQ(flags, DWORD{JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION});
}

TEST(WindowsJob, HoldsMemoryAndProcesses) {
  const JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = LimitsOf({.memory_bytes = 1 << 20, .processes = 7});
  EXPECT_NE(limits.BasicLimitInformation.LimitFlags & JOB_OBJECT_LIMIT_JOB_MEMORY, 0U);
  EXPECT_EQ(limits.JobMemoryLimit, SIZE_T{1} << 20U);
  EXPECT_NE(limits.BasicLimitInformation.LimitFlags & JOB_OBJECT_LIMIT_ACTIVE_PROCESS, 0U);
  EXPECT_EQ(limits.BasicLimitInformation.ActiveProcessLimit, 7U);
}

TEST(WindowsJob, TheRateIsAShareOfAllProcessors) {
  const auto rate = [](std::uint64_t permille, std::uint32_t processors) {
    const std::vector<JobSetting> settings =
        JobSettings({.limits = {.cpu_permille = permille}}, false, processors);
    const auto control = As<JOBOBJECT_CPU_RATE_CONTROL_INFORMATION>(settings.at(1));
    EXPECT_EQ(settings.at(1).kind, JobObjectCpuRateControlInformation);
    EXPECT_EQ(control.ControlFlags,
              DWORD{JOB_OBJECT_CPU_RATE_CONTROL_ENABLE | JOB_OBJECT_CPU_RATE_CONTROL_HARD_CAP});
    return control.CpuRate;
  };
  EXPECT_EQ(rate(1500, 4), 3750U);
  EXPECT_EQ(rate(1000, 1), 10000U);
  EXPECT_EQ(rate(8000, 4), 10000U);  // more than there is
  EXPECT_EQ(rate(1, 64), 1U);        // 0 would be refused
}

TEST(WindowsJob, LimitsWindowsOfAContainerAlone) {
  EXPECT_THAT(Kinds(JobSettings({.ui_limits = 0x2FF}, true, 1)),
              ElementsAre(JobObjectExtendedLimitInformation, JobObjectBasicUIRestrictions));
  const auto ui = As<JOBOBJECT_BASIC_UI_RESTRICTIONS>(JobSettings({.ui_limits = 0x2FF}, true, 1).at(1));
  EXPECT_EQ(ui.UIRestrictionsClass, 0x2FFU);
  EXPECT_THAT(Kinds(JobSettings({.ui_limits = 0}, true, 1)), ElementsAre(JobObjectExtendedLimitInformation));
  EXPECT_THAT(Kinds(JobSettings({.ui_limits = 0x2FF}, false, 1)),
              ElementsAre(JobObjectExtendedLimitInformation));
}

TEST(WindowsJob, TakesWhatItIsTold) {
  const Result<Job> job = Job::Make({.limits = {.memory_bytes = 1 << 30, .processes = 9}}, true);
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_TRUE(job->End());
}

TEST(WindowsJob, IsWaitedForUntilItsProcessorTimeIsUsedUp) {
  const UniqueHandle never{::CreateEventW(nullptr, TRUE, FALSE, nullptr)};
  const Interrupt interrupt;
  std::uint64_t used = 0;
  int looks = 0;
  const CpuTime cpu_time{.limit_ms = 100, .used_ms = [&] {
                           ++looks;
                           return used += 40;
                         }};
  const Waited waited = WaitFor(never.Get(), 60000, interrupt, cpu_time);
  EXPECT_TRUE(waited.cpu_time_out);
  EXPECT_FALSE(waited.timed_out);
  EXPECT_EQ(looks, 3);
}

TEST(WindowsJob, ATimeOutComesBeforeProcessorTimeThatIsNotUsed) {
  const UniqueHandle never{::CreateEventW(nullptr, TRUE, FALSE, nullptr)};
  const Interrupt interrupt;
  const Waited waited =
      WaitFor(never.Get(), 50, interrupt, {.limit_ms = 1000, .used_ms = [] { return std::uint64_t{0}; }});
  EXPECT_TRUE(waited.timed_out);
  EXPECT_FALSE(waited.cpu_time_out);
}

}  // namespace
}  // namespace mxc::test::job_test
