// Where a configuration may come from.
#include <fcntl.h>
#include <gmock/gmock.h>

#include "tests/support/launcher_test.h"

namespace mxc::test::sources_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Sources : public LauncherTest {
 protected:
  static std::string Saying(const std::string& word) { return ConfigText({.command = "echo " + word}); }
};
MXC_FOR_EACH_CALLER(Sources);

// ConfigText({.command = "echo base64"}), encoded by hand so that the test needs no encoder.
std::string Base64(const std::string& bytes) {
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned group = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      group = group << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      text += i + j < bytes.size() + 1 ? kAlphabet[group >> (18 - 6 * j) & 63] : '=';
    }
  }
  return text;
}

TEST_P(Sources, PositionalFile) {
  EXPECT_EQ(Execute(Prepare({workspace.File("c.json", Saying("file"))})).out, "file\n");
}

TEST_P(Sources, ConfigFlag) {
  EXPECT_EQ(Execute(Prepare({"--config", workspace.File("c.json", Saying("flag"))})).out, "flag\n");
}

TEST_P(Sources, RelativeFile) {
  workspace.File("c.json", Saying("relative"));
  EXPECT_EQ(Execute(Prepare({"c.json"})).out, "relative\n");
}

TEST_P(Sources, Base64) {
  EXPECT_EQ(Execute(Prepare({"--config-base64", Base64(Saying("base64"))})).out, "base64\n");
}

TEST_P(Sources, StandardInput) {
  Launch launch = Prepare({"-"});
  launch.input = Saying("stdin");
  EXPECT_EQ(Execute(launch).out, "stdin\n");
}

TEST_P(Sources, Descriptor) {
  const UniqueFd fd{::open(workspace.File("c.json", Saying("descriptor")).c_str(), O_RDONLY | O_CLOEXEC)};
  Launch launch = Prepare({"--config-fd", "7"});
  launch.files = {{.borrowed_fd = fd.Get(), .number = 7}};
  EXPECT_EQ(Execute(launch).out, "descriptor\n");
}

TEST_P(Sources, Variable) {
  Launch launch = Prepare({"--config-env", "MXC_TEST_CONFIG"});
  launch.environment.push_back("MXC_TEST_CONFIG=" + Saying("$MXC_TEST_CONFIG variable"));
  EXPECT_EQ(Execute(launch).out, "variable\n");  // the command does not see it
}

TEST_P(Sources, Base64BeatsFlagBeatsPositional) {
  const std::string good = workspace.File("good.json", Saying("flag"));
  EXPECT_EQ(Execute(Prepare({"--config", good, "/nonexistent.json"})).out, "flag\n");
  EXPECT_EQ(
      Execute(Prepare({"--config", good, "--config-base64", Base64(Saying("base64")), "/nonexistent.json"}))
          .out,
      "base64\n");
}

struct Refusal {
  std::vector<std::string> arguments;
  int status;
  std::string says;
};

TEST_P(Sources, Refusals) {
  const std::vector<Refusal> refusals = {
      {{}, 1, "Error: No config provided."},
      {{"/nonexistent.json"}, 1, "/nonexistent.json"},
      {{workspace.Root()}, 1, workspace.Root()},
      {{"--config-base64", "e30"}, 1, "base64"},
      {{"--config-env", "MXC_NO_SUCH"}, 1, "MXC_NO_SUCH"},
      {{"--config-base64", ""}, 1, "Configuration parse error: "},
      {{"--config"}, 2, "--config"},
      {{"--no-such-flag"}, 2, "--no-such-flag"},
      {{"a.json", "b.json"}, 2, "b.json"},
      {{"--config", "a.json", "--config", "b.json"}, 2, "--config"},
      {{"--config-fd", "99"}, 1, "99"},
      {{"--force", "a.json"}, 2, "--setup-hyperlight"},
  };
  for (const Refusal& refusal : refusals) {
    const Ended ended = Execute(Prepare(refusal.arguments));
    EXPECT_EQ(ended.status, refusal.status) << testing::PrintToString(refusal.arguments) << ended.err;
    EXPECT_EQ(ended.out, "");
    EXPECT_THAT(ended.err, HasSubstr(refusal.says));
  }
}

TEST_P(Sources, ParseFailureHasTwoLinesAndAnEnvelope) {
  const Ended ended =
      Execute(Prepare({workspace.File("c.json", R"({"process":{"commandLine":"true","foo":1}})")}));
  EXPECT_EQ(ended.status, 1);
  ASSERT_GE(Lines(ended.err).size(), 3U) << ended.err;
  EXPECT_EQ(Lines(ended.err)[0], "Request error");
  EXPECT_THAT(Lines(ended.err)[1], StartsWith("Configuration parse error: "));
  EXPECT_THAT(Lines(ended.err)[1], HasSubstr("foo"));
  EXPECT_EQ(EnvelopeCode(ended), "malformed_request");
}

TEST_P(Sources, EverySchemaErrorIsReported) {
  const Ended ended = Execute(Prepare({workspace.File(
      "c.json", R"({"process":{"commandLine":"true","timeout":-1},"filesystem":{"readOnlyPaths":[]}})")}));
  EXPECT_EQ(ended.status, 1);
  EXPECT_THAT(ended.err, HasSubstr("timeout"));
  EXPECT_THAT(ended.err, HasSubstr("did you mean"));
  EXPECT_THAT(ended.err, HasSubstr("readonlyPaths"));
}

}  // namespace
}  // namespace mxc::test::sources_test
