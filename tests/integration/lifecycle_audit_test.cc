// What an `exec` records, and where: its sandbox may have stood for days, and the host has gone on meanwhile.
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "tests/support/lifecycle_test.h"

namespace mxc::test::lifecycle_audit_test {
namespace {

using testing::HasSubstr;

class LifecycleAudit : public LifecycleTest {
 protected:
  // The log is `records`/audit, and commands can write `work`.
  [[nodiscard]] std::string StartedWithAudit(const std::string& more = "") {
    return Started(R"("audit":{"path":)" + Quote(records + "/audit") +
                   R"(,"onFailure":"warn"},"filesystem":{"readwritePaths":[)" + Quote(work) + "]" + more +
                   "}");
  }
  void Rename(const std::string& from, const std::string& to) const {
    EXPECT_EQ(std::rename(from.c_str(), to.c_str()), 0) << from;
  }
  // The file of `option`, or of audit.path, stands where the command could write.
  void ExpectRefused(const std::string& id, const std::string& message, std::vector<std::string> options) {
    Launch launch = ExecOf(id, "echo ran");
    launch.arguments.insert(launch.arguments.begin(), options.begin(), options.end());
    const Ended ended = Execute(launch);
    EXPECT_EQ(CodeOf(ended), "policy_validation") << ended.out << ended.err;
    EXPECT_THAT(At(ended.out, "/error/message"), HasSubstr(message));
    EXPECT_EQ(Contents(records + "/audit").value_or(""), "");
  }
  // Line `number` of a file of JSON lines.
  [[nodiscard]] static nlohmann::json LineOf(const std::string& file, std::size_t number) {
    const std::vector<std::string> lines = Lines(Contents(file).value_or(""));
    if (number < lines.size()) return nlohmann::json::parse(lines[number], nullptr, false);
    ADD_FAILURE() << file << " has " << lines.size() << " lines";
    return {};
  }

  std::string work = workspace.Directory("work");
  std::string records = workspace.Directory("records");
};
MXC_FOR_EACH_CALLER_AND_ENGINE(LifecycleAudit);

// As a run of the same policy does.
TEST_P(LifecycleAudit, RecordsTellTheLedgerOfTheStart) {
  const std::string id = StartedWithAudit(R"(,"deniedPaths":[)" + Quote(work + "/denied") + "]");
  const std::string result = workspace.Path("result");
  Launch launch = ExecOf(id, "true");
  launch.arguments.insert(launch.arguments.begin(), {"--result", result});
  ASSERT_EQ(Execute(launch).status, 0);
  const nlohmann::json begin = LineOf(records + "/audit", 0);
  EXPECT_EQ(begin["event"], "begin");
  ASSERT_EQ(begin["ledger"].size(), 4U) << begin;
  EXPECT_EQ(begin["ledger"][0]["clause"], "/filesystem/readwritePaths/0");
  EXPECT_EQ(begin["ledger"][0]["strength"], "kernel");
  EXPECT_NE(begin["ledger"][0]["mechanism"], "");
  EXPECT_EQ(begin["ledger"][1]["clause"], "/filesystem/deniedPaths/0");
  EXPECT_EQ(begin["ledger"][2]["clause"], "/network");
  EXPECT_EQ(begin["ledger"][3]["clause"], "/audit");
  EXPECT_THAT(Contents(result).value_or(""), HasSubstr(R"({"pointer":"/filesystem/deniedPaths/0",)"));
}

// Longer than the kernel takes in one message.
TEST_P(LifecycleAudit, ALedgerOfAnyLengthIsWhole) {
  constexpr std::size_t kMany = 700;
  std::string list;
  for (std::size_t i = 0; i < kMany; ++i) {
    const std::string name = "work/" + std::string(240, 'x') + std::to_string(i);
    list += (list.empty() ? "" : ",") + Quote(workspace.Directory(name));
  }
  const std::string id = Started(R"("filesystem":{"readwritePaths":[)" + list +
                                 "]},\"audit\":{\"path\":" + Quote(records + "/audit") + "}");
  EXPECT_EQ(Exec(id, "echo ran").out, "ran\n");
  const nlohmann::json ledger = LineOf(records + "/audit", 0)["ledger"];
  ASSERT_EQ(ledger.size(), kMany + 2);
  EXPECT_EQ(ledger[kMany - 1]["mechanism"], "bind mount");
  EXPECT_EQ(ledger[kMany + 1]["clause"], "/audit");
}

TEST_P(LifecycleAudit, ALogThatWasMovedIntoAGrantIsRefused) {
  const std::string id = StartedWithAudit();
  Rename(records, work + "/records");
  workspace.Link("records", work + "/records");
  ExpectRefused(id, "audit path '" + records + "/audit' is inside a read-write grant", {});
}

// The sandbox has the directory, whatever its name.
TEST_P(LifecycleAudit, AGrantThatWasMovedOverTheRecordsIsRefused) {
  const std::string id = StartedWithAudit();
  Rename(records, workspace.Path("before"));
  Rename(work, records);
  ExpectRefused(id, "audit path '" + records + "/audit' is inside a read-write grant", {});
}

TEST_P(LifecycleAudit, TheRecordsOfACallAreHeldAgainstTheGrantsObject) {
  const std::string id = Started(R"("filesystem":{"readwritePaths":[)" + Quote(work) + "]}");
  Rename(work, records);
  const std::string result = records + "/result";
  ExpectRefused(id, "--result '" + result + "' is inside a read-write grant", {"--result", result});
  EXPECT_FALSE(Exists(result));
}

TEST_P(LifecycleAudit, WhatTheCommandsOfTheSandboxCanReadIsNoPlace) {
  const std::string id = Started(R"("filesystem":{"readonlyPaths":[)" + Quote(records) + "]}");
  const std::string result = records + "/result";
  ExpectRefused(id, "--result '" + result + "' is where the command can read it", {"--result", result});
  EXPECT_FALSE(Exists(result));
}

TEST_P(LifecycleAudit, TwoRecordsInOneFileAreRefused) {
  const std::string id = StartedWithAudit();
  for (const std::string option : {"--result", "--log-file"})
    ExpectRefused(id, "are one file", {option, records + "/../records/audit"});
}

// As `start` takes it.
TEST_P(LifecycleAudit, ALogBelowAGrantMayBeInWhatIsDeniedThere) {
  records = workspace.Directory("work/records");
  const std::string id = StartedWithAudit(R"(,"deniedPaths":[)" + Quote(records) + "]");
  const Ended ended = Exec(id, "cat " + records + "/audit || echo x >> " + records + "/audit || echo held");
  EXPECT_EQ(ended.out, "held\n") << ended.err;
  EXPECT_EQ(Lines(Contents(records + "/audit").value_or("")).size(), 2U);
}

// Nothing is mounted on the new directory.
TEST_P(LifecycleAudit, WhatWasDeniedBelowAGrantAndWasMovedAwayIsNoPlace) {
  records = workspace.Directory("work/records");
  const std::string id = StartedWithAudit(R"(,"deniedPaths":[)" + Quote(records) + "]");
  Rename(records, work + "/before");
  workspace.Directory("work/records");
  ExpectRefused(id, "audit path '" + records + "/audit' is inside a read-write grant", {});
}

// The daemon writes what the gateway decides into the file that it has open.
TEST_P(LifecycleAudit, EachStartOpensTheLogAnew) {
  const std::string id = Started(R"("audit":{"path":)" + Quote(records + "/audit") + "}");
  EXPECT_EQ(Execute(Phase("stop", id)).status, 0);
  ASSERT_EQ(::link((records + "/audit").c_str(), (work + "/other").c_str()), 0);
  const Ended again = Execute(Phase("start", id));
  EXPECT_THAT(At(again.out, "/error/message"), HasSubstr("it has 2 names"));
}

}  // namespace
}  // namespace mxc::test::lifecycle_audit_test
