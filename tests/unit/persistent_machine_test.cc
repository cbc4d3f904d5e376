// A machine of Windows Sandbox that stays, as text: its .wsb file, its record, and what its agent is told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "mxc/windows/sandbox_command.h"
#include "persistent/record.h"

namespace mxc::persistent_machine_test {
namespace {

TEST(PersistentMachine, IsThisFile) {
  const WindowsSandboxRun run{.folders = {{.path = "C:\\in & out", .read_only = true}},
                              .memory_bytes = std::uint64_t{2048} << 20U};
  EXPECT_EQ(PersistentWsbText(run, "C:\\s\\orders", "C:\\s\\answers"), R"(<Configuration>
  <VGpu>Disable</VGpu>
  <Networking>Disable</Networking>
  <AudioInput>Disable</AudioInput>
  <VideoInput>Disable</VideoInput>
  <ProtectedClient>Enable</ProtectedClient>
  <PrinterRedirection>Disable</PrinterRedirection>
  <ClipboardRedirection>Disable</ClipboardRedirection>
  <MemoryInMB>2048</MemoryInMB>
  <MappedFolders>
    <MappedFolder>
      <HostFolder>C:\s\orders</HostFolder>
      <SandboxFolder>C:\mxc-orders</SandboxFolder>
      <ReadOnly>true</ReadOnly>
    </MappedFolder>
    <MappedFolder>
      <HostFolder>C:\s\answers</HostFolder>
      <SandboxFolder>C:\mxc-run</SandboxFolder>
      <ReadOnly>false</ReadOnly>
    </MappedFolder>
    <MappedFolder>
      <HostFolder>C:\in &amp; out</HostFolder>
      <SandboxFolder>C:\in &amp; out</SandboxFolder>
      <ReadOnly>true</ReadOnly>
    </MappedFolder>
  </MappedFolders>
  <LogonCommand>
    <Command>C:\Windows\System32\cmd.exe /d /c "C:\mxc-orders\mxc-exec.exe --sandbox-agent C:\mxc-orders C:\mxc-run &amp; C:\Windows\System32\shutdown.exe /s /f /t 0"</Command>
  </LogonCommand>
</Configuration>
)");
}

TEST(PersistentMachine, OrdersAreReadAsTheyWereWritten) {
  const WindowsSandboxRun run{.command_line = "a \"b\" %c%",
                              .environment = {{.name = "N", .value = Secret{"v=1 é"}}},
                              .cwd = "C:\\w"};
  const std::optional<WindowsSandboxRun> read = ReadCommandOrder(CommandOrderText(run));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->command_line, run.command_line);
  EXPECT_EQ(read->cwd, run.cwd);
  ASSERT_EQ(read->environment.size(), 1U);
  EXPECT_EQ(read->environment[0].name + read->environment[0].value.Reveal(), "Nv=1 é");
  EXPECT_FALSE(ReadCommandOrder(CommandOrderText(run).substr(1)).has_value());
  EXPECT_FALSE(ReadCommandOrder("").has_value());
  const std::optional<AgentOrder> agent =
      ReadAgentOrder(AgentOrderText({.token = "t", .idle_ms = 5, .lifetime_ms = 7}));
  ASSERT_TRUE(agent.has_value());
  EXPECT_EQ(agent->token, "t");
  EXPECT_EQ(agent->idle_ms, 5U);
  EXPECT_EQ(agent->lifetime_ms, 7U);
  EXPECT_FALSE(ReadAgentOrder("x").has_value());
}

TEST(PersistentMachine, ACommandStaysInTheFoldersOfThePolicy) {
  const WindowsSandboxRun run{.folders = {{.path = "C:\\w"}}, .cwd = "C:\\w"};
  const auto within = [&run](const std::string& cwd, const std::string& pointer) {
    return WithCommand(run, {.command_line = "dir", .cwd = cwd, .cwd_pointer = pointer});
  };
  EXPECT_EQ(within("", "")->cwd, "C:\\w");
  EXPECT_EQ(within("C:\\W\\d", "/p")->cwd, "C:\\W\\d");
  const Result<WindowsSandboxRun> outside = within("C:\\else", "/process/cwd");
  ASSERT_FALSE(outside.ok());
  EXPECT_EQ(outside.error().pointer, "/process/cwd");
  EXPECT_EQ(WithCommand(run, {.argv = {"a b", "c"}})->command_line, "\"a b\" c");
}

}  // namespace
}  // namespace mxc::persistent_machine_test

namespace mxc::session::persistent_machine_test {
namespace {

Record Whole() {
  return {.sandbox = WindowsSandboxRun{.folders = {{.path = "C:\\é \"x\"", .read_only = false}},
                                       .memory_bytes = 5,
                                       .cwd = "C:\\é"},
          .audit = {.path = "C:\\log", .on_failure = Audit::OnFailure::kWarn},
          .relaxations = {"shared-temp"},
          .limits = {.idle_ms = 1, .lifetime_ms = 2},
          .provisioned_ms = std::uint64_t{1} << 62U,
          .state = State::kStarted,
          .machine = {{.id = 4000000000U, .created = 9}}};
}

TEST(SandboxRecord, ReadsBackWhole) {
  const std::optional<Record> read = ReadRecord(RecordText(Whole()));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(RecordText(*read), RecordText(Whole()));
  const auto& run = std::get<WindowsSandboxRun>(read->sandbox);
  EXPECT_EQ(run.folders[0].path, "C:\\é \"x\"");
  EXPECT_FALSE(run.folders[0].read_only);
  EXPECT_EQ(read->Wsl(), nullptr);
  EXPECT_EQ(read->audit.on_failure, Audit::OnFailure::kWarn);
  EXPECT_EQ(read->state, State::kStarted);
  EXPECT_EQ(read->machine, Whole().machine);
}

TEST(SandboxRecord, ReadsBackOneInWsl) {
  Record record = Whole();
  record.sandbox = WslSandbox{.run = {.distribution = "Debian",
                                      .program = "/opt/mxc-exec",
                                      .config = {std::string("{\"a\": \""), Secret{"s"}, std::string("\"}")},
                                      .folders = {{.path = "C:\\w"}}},
                              .inside = "ns:0"};
  const std::optional<Record> read = ReadRecord(RecordText(record));
  ASSERT_TRUE(read.has_value());
  ASSERT_NE(read->Wsl(), nullptr);
  EXPECT_EQ(RecordText(*read), RecordText(record));
  EXPECT_EQ(RevealedText(read->Wsl()->run.config), "{\"a\": \"s\"}");
  EXPECT_EQ(read->Wsl()->run.distribution, "Debian");
  EXPECT_EQ(read->Wsl()->run.folders[0].path, "C:\\w");
  EXPECT_EQ(read->Wsl()->inside, "ns:0");
}

TEST(SandboxRecord, NothingElseIsOne) {
  const std::string text = RecordText(Whole());
  const auto with = [&text](const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return ReadRecord(std::string(text).replace(at, from.size(), to)).has_value();
  };
  EXPECT_TRUE(with("\"idleMs\":1", "\"idleMs\":3"));
  EXPECT_FALSE(with("\"form\":3", "\"form\":2"));
  EXPECT_FALSE(with("\"state\":\"started\"", "\"state\":\"else\""));
  EXPECT_FALSE(with("\"idleMs\":1", "\"idleMs\":\"1\""));
  EXPECT_FALSE(with("\"machine\"", "\"else\""));
  for (const char* other : {"", "{", "[]", "5", "{}"}) EXPECT_FALSE(ReadRecord(other).has_value()) << other;
}

}  // namespace
}  // namespace mxc::session::persistent_machine_test
