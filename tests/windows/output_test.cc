// Output that is capped or redacted on its way through the launcher.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/windows/guest_windows.h"
#include "tests/windows/program_windows.h"

namespace mxc::test::output_test {
namespace {

using testing::HasSubstr;
using testing::Not;

class WindowsOutput : public testing::Test {
 protected:
  Said Run(const std::string& members, const std::vector<std::string>& guest, const std::string& input = "") {
    const std::string file =
        scratch.Write("c.json", R"({"version": "1.1.0-alpha", "containment": "none", )" + members + "}");
    std::vector<std::string> arguments = {"--allow-unsandboxed", "--result", scratch.Path("result"), file,
                                          "--"};
    for (const std::string& word : Guest(guest)) arguments.push_back(word);
    return RunProgram(arguments, input);
  }

  Scratch scratch;
};

TEST_F(WindowsOutput, EachStreamIsCutByItself) {
  const Said said = Run(R"("output": {"maxBytes": 2})", {"both"});
  EXPECT_EQ(said.status, 0U);
  EXPECT_EQ(said.out, "ou");
  EXPECT_THAT(said.err, testing::StartsWith("er"));
  EXPECT_THAT(said.err, Not(HasSubstr("err")));
  EXPECT_THAT(scratch.Read("result"), HasSubstr("\"stdoutTruncated\":true,\"stderrTruncated\":true"));
}

TEST_F(WindowsOutput, WhatFitsIsWholeAndUntouched) {
  std::string bytes;
  for (int i = 0; i < 100000; ++i) bytes += std::string("\r\n\0\x1a\xff", 5) + std::to_string(i);
  const Said said = Run(R"("output": {"maxBytes": 10000000})", {"copy"}, bytes);
  EXPECT_EQ(said.out.size(), bytes.size());
  EXPECT_TRUE(said.out == bytes);
  EXPECT_THAT(scratch.Read("result"), HasSubstr("\"stdoutTruncated\":false"));
}

TEST_F(WindowsOutput, SecretsAreRedacted) {
  const Said said = Run(R"("output": {"redact": ["secrets"]},
                          "process": {"env": ["API_TOKEN=hush-hush-hush"], "inheritDefaultEnv": true})",
                        {"env", "API_TOKEN"});
  EXPECT_EQ(said.out, "[REDACTED]\n");
  EXPECT_THAT(said.err + scratch.Read("result"), Not(HasSubstr("hush")));
}

// A prompt would otherwise show only when its line is whole.
TEST_F(WindowsOutput, WhatIsSilentIsLetGo) {
  EXPECT_EQ(Run(R"("output": {"redact": ["pii"]})", {"pause", "0"}).out, "[REDACTED]");
  EXPECT_EQ(Run(R"("output": {"redact": ["pii"]})", {"pause", "1500"}).out, "name@example.com");
}

}  // namespace
}  // namespace mxc::test::output_test
