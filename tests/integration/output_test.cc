// output.maxBytes, output.redact and audit.
#include <gmock/gmock.h>

#include "tests/support/launcher_test.h"

namespace mxc::test {
namespace {

using testing::HasSubstr;
using testing::Not;

// A well-formed token of a well-known kind, made here so that no scanner of this repository trips over it.
const std::string api_token = std::string("ghp_") + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6";

class OutputPolicy : public LauncherTest {};
MXC_FOR_EACH_CALLER(OutputPolicy);

TEST_P(OutputPolicy, MaxBytesCutsEachStreamAndLetsTheCommandEnd) {
  const Ended ended = RunConfig({.command = "head -c 5000000 /dev/zero | tr '\\0' x; echo ERROR >&2; exit 5",
                                 .more = R"("output":{"maxBytes":1000})"});
  EXPECT_EQ(ended.status, 5);
  EXPECT_EQ(ended.out, std::string(1000, 'x'));
  EXPECT_THAT(ended.err, HasSubstr("ERROR"));
  EXPECT_FALSE(ended.overdue);
}

TEST_P(OutputPolicy, BelowTheCapNothingChanges) {
  const Ended ended = RunConfig({.command = "echo small", .more = R"("output":{"maxBytes":1000})"});
  EXPECT_EQ(ended.out, "small\n");
}

TEST_P(OutputPolicy, RedactHidesATokenAlsoWhenItComesInPieces) {
  const std::string half = api_token.substr(0, 20);
  const std::string rest = api_token.substr(20);
  const Ended ended =
      RunConfig({.command = "echo before; printf " + half + "; sleep 0.3; echo " + rest + "; echo after",
                 .more = R"("output":{"redact":["secrets"]})"});
  EXPECT_THAT(ended.out, Not(HasSubstr(half)));
  EXPECT_THAT(ended.out, Not(HasSubstr(rest)));
  EXPECT_EQ(ended.out.substr(0, 7), "before\n");
  EXPECT_EQ(LastLine(ended.out), "after");
}

TEST_P(OutputPolicy, WithoutRedactTheTokenIsShown) {
  EXPECT_EQ(RunConfig({.command = "echo " + api_token}).out, api_token + "\n");
}

class Audit : public LauncherTest {
 protected:
  static std::string Section(const std::string& path, const std::string& more = "") {
    return R"("audit":{"path":)" + Quote(path) + more + "}";
  }
};
MXC_FOR_EACH_CALLER(Audit);

TEST_P(Audit, TheRecordIsThereBeforeTheCommandRuns) {
  // The command reads the file on the host through a read-only grant of its directory.
  const std::string log = workspace.Directory("audit") + "/log.jsonl";
  const Ended ended =
      RunConfig({.command = "cat " + log, .read_only = {workspace.Path("audit")}, .more = Section(log)});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_NE(At(Lines(ended.out).at(0), ""), "not JSON") << ended.out;
}

TEST_P(Audit, AFailureToWriteRefusesTheRun) {
  const std::string granted = workspace.Directory("rw");
  const Ended ended = RunConfig({.command = "touch " + granted + "/ran",
                                 .read_write = {granted},
                                 .more = Section("/nonexistent/log.jsonl")});
  EXPECT_EQ(ended.status, 255);
  EXPECT_NE(EnvelopeCode(ended), "not JSON");
  EXPECT_FALSE(Exists(granted + "/ran"));
}

TEST_P(Audit, AFailureToWriteMayBeAWarningOnly) {
  const Ended ended =
      RunConfig({.command = "echo ran", .more = Section("/nonexistent/log.jsonl", R"(,"onFailure":"warn")")});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.out, "ran\n");
}

TEST_P(Audit, ARecordTheCommandCouldWriteIsRefused) {
  const std::string granted = workspace.Directory("rw");
  const Ended ended = RunConfig({.command = "touch " + granted + "/ran",
                                 .read_write = {granted},
                                 .more = Section(granted + "/log.jsonl")});
  EXPECT_EQ(ended.status, 255);
  EXPECT_EQ(EnvelopeCode(ended), "policy_validation");
  EXPECT_THAT(Names(granted), testing::IsEmpty());
}

}  // namespace
}  // namespace mxc::test
