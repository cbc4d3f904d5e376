// The program as a user of Windows meets it: command line, streams, exit status.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/windows/program_windows.h"

namespace mxc::test::command_line_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(WindowsCommandLine, SaysItsVersionWithoutCarriageReturns) {
  const Said said = RunProgram({"--version"});
  EXPECT_EQ(said.status, 0U);
  EXPECT_EQ(said.out, "mxc-exec " MXC_VERSION "\n");
  EXPECT_EQ(said.err, "");
}

TEST(WindowsCommandLine, SuggestsTheFlagThatWasMeant) {
  const Said said = RunProgram({"--verison"});
  EXPECT_EQ(said.status, 2U);
  EXPECT_THAT(said.err, HasSubstr("did you mean --version?"));
}

TEST(WindowsCommandLine, NeedsAConfiguration) {
  const Said said = RunProgram({});
  EXPECT_EQ(said.status, 1U);
  EXPECT_THAT(said.err, HasSubstr("No config provided"));
}

TEST(WindowsCommandLine, ReportsASyntaxErrorWithItsPlace) {
  const Scratch scratch;
  const Said said = RunProgram({scratch.Write("bad.json", "{\"version\": \"1.0.0\",\n  oops}")});
  EXPECT_EQ(said.status, 1U);
  EXPECT_THAT(said.err, HasSubstr("\"line\":2,\"column\":3"));
}

TEST(WindowsCommandLine, NamesTheValueThatIsWrong) {
  const Scratch scratch;
  const Said said = RunProgram(
      {scratch.Write("c.json", R"({"version": "1.0.0", "process": {"commandLine": "x", "timeout": -1}})")});
  EXPECT_EQ(said.status, 1U);
  EXPECT_THAT(said.err, HasSubstr("\"pointer\":\"/process/timeout\""));
}

TEST(WindowsCommandLine, SaysWhichFileCannotBeRead) {
  const Said said = RunProgram({"C:\\no\\such.json"});
  EXPECT_EQ(said.status, 1U);
  EXPECT_THAT(said.err, HasSubstr("Cannot read config 'C:\\no\\such.json'"));
}

TEST(WindowsCommandLine, ReadsAFileWhoseNameNoCodePageHas) {
  const Scratch scratch;
  const Said said = RunProgram({scratch.Write("policy \xe6\xbc\xa2 \xc3\xa9.json", "[]")});
  EXPECT_EQ(said.status, 1U);
  EXPECT_THAT(said.err, HasSubstr("expected a configuration object"));
}

TEST(WindowsCommandLine, ReadsStandardInputAsItIs) {
  const Said said = RunProgram({"-"}, "{\r\n\x1a");  // ^Z ends a text stream
  EXPECT_EQ(said.status, 1U);
  EXPECT_THAT(said.err, HasSubstr("\"line\":2,\"column\":1"));
}

TEST(WindowsCommandLine, PrintsTheSchema) {
  const Said said = RunProgram({"--print-schema", "1.0.0"});
  EXPECT_EQ(said.status, 0U);
  EXPECT_THAT(said.out, StartsWith("{\n  \"$schema\""));
}

TEST(WindowsCommandLine, RefusesAContainmentOfLinux) {
  const Said said = RunProgram({"--containment", "bubblewrap", "-"},
                               R"({"version": "1.0.0", "process": {"commandLine": "x"}})");
  EXPECT_EQ(said.status, 1U);
  EXPECT_THAT(said.err, HasSubstr("the 'bubblewrap' backend is not available on Windows"));
}

// It would deny nothing.
TEST(WindowsCommandLine, RefusesAPattern) {
  const Said said =
      RunProgram({"--ro", "C:\\windows\\system32", "--deny", "C:\\windows\\system32\\*.env", "--", "x"});
  EXPECT_EQ(said.status, 255U);
  EXPECT_THAT(said.err, HasSubstr("patterns are not expanded on Windows"));
}

TEST(WindowsCommandLine, SaysWhatToUseInstead) {
  const auto refusal = [](const char* containment) {
    return RunProgram({"--experimental", "--containment", containment, "-"},
                      R"({"version": "1.1.0-alpha", "process": {"commandLine": "x"}})");
  };
  EXPECT_EQ(refusal("hyperlight").status, 255U);
  EXPECT_THAT(refusal("hyperlight").err, HasSubstr("use \"process\""));
  EXPECT_THAT(refusal("lxc").err, HasSubstr("use \"process\""));
}

TEST(WindowsCommandLine, ProbesWithoutStartingAnything) {
  const Said said = RunProgram({"--probe"});
  EXPECT_EQ(said.status, 0U);
  EXPECT_THAT(said.out, HasSubstr("\"system\": \"Windows\""));
  EXPECT_THAT(said.out, HasSubstr("\"backend\": \"processcontainer\""));
  EXPECT_THAT(said.out, HasSubstr("\"canBlockInputInjection\": "));
  EXPECT_THAT(said.out,
              testing::AnyOf(HasSubstr("\"tier\": \"appcontainer-dacl\""), HasSubstr("\"error\": ")));
}

}  // namespace
}  // namespace mxc::test::command_line_test
