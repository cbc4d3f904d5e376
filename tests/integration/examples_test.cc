// The examples run where they stand: in a copy that belongs to the caller.
#include <gmock/gmock.h>

#include <filesystem>
#include <map>
#include <set>

#include "tests/support/launcher_test.h"

namespace mxc::test::examples_test {
namespace {

using testing::HasSubstr;

const std::filesystem::path kExamples = std::filesystem::path(SourceDirectory()) / "schemas/examples";

class Examples : public LauncherTest {
 protected:
  void SetUp() override {
    LauncherTest::SetUp();
    for (const auto& entry : std::filesystem::recursive_directory_iterator(kExamples)) {
      if (!entry.is_regular_file()) continue;
      workspace.File("examples/" + entry.path().lexically_relative(kExamples).string(),
                     Contents(entry.path()).value_or(""));
    }
  }

  [[nodiscard]] Ended RunExample(const std::string& name, std::vector<std::string> flags = {}) const {
    flags.insert(flags.begin(), workspace.Path("examples/" + name));
    return Execute(Prepare(std::move(flags)));
  }
};
MXC_FOR_EACH_CALLER(Examples);

// A virtual machine, another system's files and the Internet are not everywhere; an ordinary user's limits
// need a control group of their own.
const std::set<std::string> kOfSomeMachines = {"minimum-tier.json", "lxc-alpine.json", "egress-rules.json",
                                               "limited-build.json"};
const std::map<std::string, std::string> kPrinted = {
    {"argv-without-shell.json", "argv-without-shell.json"},
    {"audited-agent.json", "tests passed\n"},
    {"coding-agent.json", "tests passed\nhooks stay as they are\n"},
    {"denied-env-file.json", "tests passed\nno secrets here\n"},
    {"legacy-host-network.json", "Iface"},
    {"npm-test.json", "tests passed\n"},
    {"python-data-job.json", ""},
    {"review-read-only.json", "nothing here can be changed\n"},
    {"timeout.json", ""},
};

TEST_P(Examples, AreValidHere) {
  for (const auto& entry : std::filesystem::directory_iterator(kExamples)) {
    const std::string name = entry.path().filename();
    if (entry.path().extension() != ".json") continue;
    EXPECT_TRUE(kPrinted.contains(name) || kOfSomeMachines.contains(name)) << name;
    if (kOfSomeMachines.contains(name)) continue;
    const Ended ended = RunExample(name, {"--dry-run"});
    EXPECT_EQ(ended.status, 0) << name << ended.err;
  }
}

TEST_P(Examples, DoWhatTheySay) {
  for (const auto& [name, printed] : kPrinted) {
    if (name == "npm-test.json" && !Exists("/usr/bin/npm")) continue;
    const Ended ended = RunExample(name);
    EXPECT_EQ(ended.status, name == "timeout.json" ? 255 : 0) << name << ended.err;
    EXPECT_THAT(ended.out, HasSubstr(printed)) << name << ended.err;
  }
  EXPECT_EQ(Contents(workspace.Path("examples/project/out/report")), "2026-10 6\n");
  EXPECT_THAT(Contents(workspace.Path("examples/audit.jsonl")).value_or(""), HasSubstr(R"("event":"begin")"));
}

TEST_P(Examples, AWeakerMachineIsRefused) { EXPECT_EQ(RunExample("minimum-tier.json").status, 255); }

}  // namespace
}  // namespace mxc::test::examples_test
