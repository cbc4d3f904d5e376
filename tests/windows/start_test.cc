// What a command is started with, as data, and what of the launcher reaches it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "mxc/command_line.h"
#include "tests/windows/guest_windows.h"
#include "tests/windows/program_windows.h"
#include "windows/console_windows.h"
#include "windows/start_windows.h"

namespace mxc::test::start_test {
namespace {

using testing::ElementsAre;

constexpr DWORD_PTR kEnvironment = 0x20023;  // PROC_THREAD_ATTRIBUTE_SECURITY_ENVIRONMENT

std::vector<DWORD_PTR> Numbers(const AppContainerSandbox& sandbox, const StartOrders& orders) {
  std::vector<DWORD_PTR> numbers;
  for (const StartAttribute& attribute : StartAttributes(sandbox, orders))
    numbers.push_back(attribute.number);
  return numbers;
}

template <class Value>
Value ValueOf(const StartAttribute& attribute) {
  Value value{};
  EXPECT_EQ(attribute.size, sizeof value);
  std::memcpy(&value, attribute.value, sizeof value);
  return value;
}

TEST(WindowsStart, InheritsItsStreamsAndNothingElse) {
  HANDLE const one = ::GetCurrentProcess();
  const StartOrders orders{.streams = {one, one, one}};
  const std::vector<StartAttribute> attributes = StartAttributes({}, orders);
  ASSERT_EQ(attributes.size(), 1U);
  EXPECT_EQ(attributes[0].number, DWORD_PTR{PROC_THREAD_ATTRIBUTE_HANDLE_LIST});
  EXPECT_EQ(attributes[0].size, 3 * sizeof(HANDLE));
}

TEST(WindowsStart, AContainerIsMadeOfThese) {
  SECURITY_CAPABILITIES container{};
  const StartOrders orders{.streams = {nullptr, nullptr, nullptr}, .container = &container};
  EXPECT_THAT(Numbers({.least_privilege = false, .no_win32k = false}, orders),
              ElementsAre(PROC_THREAD_ATTRIBUTE_HANDLE_LIST, PROC_THREAD_ATTRIBUTE_SECURITY_CAPABILITIES));
  const std::vector<StartAttribute> all =
      StartAttributes({.least_privilege = true, .no_win32k = true}, orders);
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[1].value, &container);
  EXPECT_EQ(all[2].number, DWORD_PTR{PROC_THREAD_ATTRIBUTE_MITIGATION_POLICY});
  EXPECT_EQ(ValueOf<DWORD64>(all[2]), DWORD64{1} << 28U);  // no system calls of the window manager
  EXPECT_EQ(all[3].number, DWORD_PTR{PROC_THREAD_ATTRIBUTE_ALL_APPLICATION_PACKAGES_POLICY});
  EXPECT_EQ(ValueOf<DWORD>(all[3]), 1U);  // not what every AppContainer may read
}

TEST(WindowsStart, ABaseContainerBringsTheRestItself) {
  HANDLE const environment = ::GetCurrentProcess();
  const StartOrders orders{.streams = {nullptr, nullptr, nullptr}, .environment = environment};
  const std::vector<StartAttribute> attributes = StartAttributes({.no_win32k = true}, orders);
  ASSERT_EQ(attributes.size(), 2U);
  EXPECT_EQ(attributes[1].number, kEnvironment);
  EXPECT_EQ(ValueOf<HANDLE>(attributes[1]), environment);
}

TEST(WindowsStart, AConsoleTakesThePlaceOfStreams) {
  int place = 0;
  const StartOrders orders{.console = static_cast<HPCON>(&place)};
  const std::vector<StartAttribute> attributes = StartAttributes({}, orders);
  ASSERT_EQ(attributes.size(), 1U);
  EXPECT_EQ(attributes[0].number, DWORD_PTR{PROC_THREAD_ATTRIBUTE_PSEUDOCONSOLE});
  EXPECT_EQ(attributes[0].value, &place);
}

// Wine has pseudo consoles, and shows nothing of what is written to them.
TEST(WindowsStart, ACommandRunsInAConsoleOfItsOwn) {
  PrivateConsole console;
  const Status opened = console.Open();
  ASSERT_TRUE(opened) << opened.error().message;
  const UniqueHandle output = console.TakeOutput();
  const AppContainerSandbox sandbox{.command_line = JoinArguments(Guest({"exit", "42"}), QuoteFor::kProgram),
                                    .environment = {{.name = "SystemRoot", .value = Secret{"C:\\windows"}}},
                                    .cwd = "C:\\"};
  const Result<StartedCommand> command = StartCommand(sandbox, {.console = console.Get()});
  ASSERT_TRUE(command) << command.error().message;
  ::ResumeThread(command->thread.Get());
  EXPECT_EQ(::WaitForSingleObject(command->process.Get(), 30000), WAIT_OBJECT_0);
  DWORD code = 0;
  ::GetExitCodeProcess(command->process.Get(), &code);
  EXPECT_EQ(code, 42U);
  console.Close();
  EXPECT_EQ(console.Get(), nullptr);
}

// An event that the launcher has inherited, and would hand on with everything inheritable.
TEST(WindowsStart, HandlesOfTheLauncherStayBehind) {
  SECURITY_ATTRIBUTES inheritable{
      .nLength = sizeof(SECURITY_ATTRIBUTES), .lpSecurityDescriptor = nullptr, .bInheritHandle = TRUE};
  const UniqueHandle event{::CreateEventW(&inheritable, TRUE, FALSE, nullptr)};
  const std::string number = std::to_string(reinterpret_cast<std::uintptr_t>(event.Get()));
  std::vector<std::string> arguments = {"--containment", "none", "--allow-unsandboxed", "--"};
  for (const std::string& word : Guest({"set", number})) arguments.push_back(word);
  EXPECT_EQ(std::system(JoinArguments(Guest({"set", number}), QuoteFor::kProgram).c_str()), 0);
  ASSERT_EQ(::WaitForSingleObject(event.Get(), 0), DWORD{WAIT_OBJECT_0}) << "whoever inherits it can set it";
  ::ResetEvent(event.Get());
  EXPECT_EQ(RunProgram(arguments).out, "");
  EXPECT_EQ(::WaitForSingleObject(event.Get(), 0), DWORD{WAIT_TIMEOUT});
}

TEST(WindowsStart, TheCommandEndsWithAKilledLauncher) {
  const Scratch scratch;
  std::vector<std::string> arguments = {"--containment", "none", "--allow-unsandboxed", "--"};
  for (const std::string& word : Guest({"twice", scratch.Path("first"), scratch.Path("second"), "1500"}))
    arguments.push_back(word);
  EXPECT_TRUE(KillProgramOnce(arguments, scratch.Path("first")));
  ::Sleep(2500);
  EXPECT_EQ(scratch.Read("second"), "");
}

}  // namespace
}  // namespace mxc::test::start_test
