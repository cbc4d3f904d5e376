#include "report/file_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace mxc::file_summary_test {
namespace {

// Denies what lies below /no.
std::optional<FileDenial> DenyNo(const FileCall& call) {
  if (call.path.rfind("/no/", 0) != 0) return std::nullopt;
  return FileDenial{.use = call.use, .path = call.path, .reason = "denied", .grant = call.path};
}

TEST(FileSummary, SaysThatNothingWasDenied) {
  FileSummary summary(PolicyForm::kDirectional, DenyNo);
  EXPECT_EQ(summary.Take({.use = FileUse::kRead, .path = "/yes"}), nullptr);
  EXPECT_EQ(summary.Text(), "mxc-exec: files: 0 denied\n");
}

TEST(FileSummary, EachFileOnceWithTheUseThatNeedsMost) {
  FileSummary summary(PolicyForm::kDirectional, DenyNo);
  EXPECT_NE(summary.Take({.use = FileUse::kLook, .path = "/no/a"}), nullptr);
  EXPECT_NE(summary.Take({.use = FileUse::kWrite, .path = "/no/a"}), nullptr);
  EXPECT_EQ(summary.Take({.use = FileUse::kRead, .path = "/no/a"}), nullptr);
  EXPECT_NE(summary.Take({.use = FileUse::kRead, .path = "/no/b"}), nullptr);
  EXPECT_EQ(summary.Take({.use = FileUse::kRead, .path = "/no/b"}), nullptr);
  EXPECT_EQ(summary.Text(), R"(mxc-exec: files: 2 denied
  '/no/a' (write): denied
    to allow it, add '/no/a' to filesystem.readwritePaths
  '/no/b' (read): denied
    to allow it, add '/no/b' to filesystem.readonlyPaths
)");
}

TEST(FileSummary, AProfileIsNamedBeforeAGrant) {
  const auto judge = [](const FileCall& call) -> std::optional<FileDenial> {
    return FileDenial{
        .use = call.use, .path = call.path, .reason = "denied", .grant = call.path, .profile = "tool"};
  };
  for (const auto& [form, advice] : std::map<PolicyForm, std::string>{
           {PolicyForm::kFlags, "to have one of the sandbox's own, add --profile tool"},
           {PolicyForm::kDirectional, "to have one of the sandbox's own, add 'tool' to profiles"},
           {PolicyForm::kLegacy, "to allow it, add '/x' to filesystem.readwritePaths"}}) {
    FileSummary summary(form, judge);
    (void)summary.Take({.use = FileUse::kWrite, .path = "/x"});
    EXPECT_THAT(summary.Short(), testing::ElementsAre("'/x' (write): denied; " + advice));
  }
}

TEST(FileSummary, ALinkAndWhatItLeadsToAreTwoQuestions) {
  FileSummary summary(PolicyForm::kFlags,
                      [](const FileCall& call) { return call.link_itself ? std::nullopt : DenyNo(call); });
  EXPECT_EQ(summary.Take({.path = "/no/link", .link_itself = true}), nullptr);
  EXPECT_NE(summary.Take({.path = "/no/link"}), nullptr);
}

TEST(FileSummary, AClauseIsNamedInsteadOfAGrant) {
  FileSummary summary(PolicyForm::kDirectional, [](const FileCall& call) -> std::optional<FileDenial> {
    return FileDenial{.path = call.path, .reason = "denied", .pointer = "/filesystem/deniedPaths/0"};
  });
  (void)summary.Take({.path = "/x"});
  EXPECT_EQ(summary.Text(),
            "mxc-exec: files: 1 denied\n  '/x' (look): denied\n    decided by /filesystem/deniedPaths/0\n");
}

TEST(FileSummary, WithFlagsTheDefaultProtectionIsNamed) {
  FileSummary summary(PolicyForm::kFlags, [](const FileCall& call) -> std::optional<FileDenial> {
    return FileDenial{.path = call.path, .reason = "protected", .pointer = "/filesystem/protect"};
  });
  (void)summary.Take({.path = "/x"});
  EXPECT_THAT(summary.Text(),
              testing::HasSubstr("decided by the default of --protect: the host's git would run it\n"));
}

TEST(FileSummary, SaysWhatIsToBeMadeAndWhatIsNotAdvised) {
  FileSummary summary(PolicyForm::kFlags, [](const FileCall& call) {
    FileDenial denial{.use = call.use, .path = call.path, .reason = "denied"};
    if (call.directory) {
      denial.grant = call.path;
      denial.make = "mkdir";
    } else {
      denial.advice = "it may hold secrets";
    }
    return std::optional(denial);
  });
  (void)summary.Take({.use = FileUse::kWrite, .path = "/a b", .directory = true});
  (void)summary.Take({.use = FileUse::kRead, .path = "/c"});
  EXPECT_EQ(summary.Text(), R"(mxc-exec: files: 2 denied
  '/a b' (write): denied
    to allow it, run mkdir '/a b' before, and add --rw '/a b'
  '/c' (read): denied
    it may hold secrets
)");
}

TEST(FileSummary, WritesFlagsForAPolicyOfFlags) {
  FileSummary summary(PolicyForm::kFlags, [](const FileCall& call) -> std::optional<FileDenial> {
    FileDenial denial{.use = call.use, .path = call.path, .reason = "denied", .grant = call.path};
    if (call.path == "/no/.env") denial.grant.clear();
    denial.pointer = "/filesystem/deniedPaths/0";
    return denial;
  });
  (void)summary.Take({.use = FileUse::kRead, .path = "/no/.env"});
  (void)summary.Take({.use = FileUse::kRead, .path = "/no/a"});
  (void)summary.Take({.use = FileUse::kWrite, .path = "/no/b"});
  (void)summary.Take({.use = FileUse::kConnect, .path = "/no/c"});
  EXPECT_EQ(summary.Text(), R"(mxc-exec: files: 4 denied
  '/no/.env' (read): denied
    decided by --deny
  '/no/a' (read): denied
    to allow it, add --ro '/no/a'
  '/no/b' (write): denied
    to allow it, add --rw '/no/b'
  '/no/c' (connect): denied
    to allow it, add --socket '/no/c'
)");
}

// As every JVM does with /tmp/hsperfdata_USER: the host's is not what it came for.
TEST(FileSummary, WhatTheCommandMakesItselfWasNotMissed) {
  FileSummary summary(PolicyForm::kDirectional, [](const FileCall& call) -> std::optional<FileDenial> {
    if (call.use == FileUse::kWrite) return std::nullopt;
    return FileDenial{.use = call.use, .path = call.path, .reason = "of its own", .grant = call.path};
  });
  (void)summary.Take({.use = FileUse::kRead, .path = "/tmp/made"});
  (void)summary.Take({.use = FileUse::kRead, .path = "/tmp/missed"});
  (void)summary.Take({.use = FileUse::kWrite, .path = "/tmp/made"});
  EXPECT_THAT(summary.Short(), testing::ElementsAre(testing::HasSubstr("'/tmp/missed'")));
}

TEST(FileSummary, NamesCannotSpeakToTheTerminal) {
  FileSummary summary(PolicyForm::kDirectional, DenyNo);
  (void)summary.Take({.path = "/no/\x1b]0;title\x07"});
  EXPECT_THAT(summary.Text(), testing::HasSubstr(R"(  '/no/\x1b]0;title\x07' (look): denied)"));
}

TEST(FileSummary, IsBounded) {
  FileSummary summary(PolicyForm::kDirectional, DenyNo);
  for (std::size_t i = 0; i < FileSummary::kMaxDenials + 5; ++i) {
    const std::string path = "/no/" + std::to_string(i);
    const FileDenial* denial = summary.Take({.path = path});
    ASSERT_NE(denial, nullptr) << "for the status lines";
    EXPECT_EQ(denial->path, path);
    EXPECT_EQ(summary.Take({.path = path}), nullptr);
    (void)summary.Take({.use = FileUse::kRead, .path = path});  // which counts once
  }
  EXPECT_NE(summary.Text().find("files: 105 denied"), std::string::npos);
  EXPECT_NE(summary.Text().find("and 5 more"), std::string::npos);
  for (std::size_t i = 0; i < FileSummary::kMaxKnown; ++i)
    (void)summary.Take({.path = "/yes/" + std::to_string(i)});
  (void)summary.Take({.path = "/no/another"});
  EXPECT_EQ(summary.LeftOut(), 211U);
  EXPECT_THAT(summary.Text(), testing::HasSubstr("211 calls were not looked at"));
}

// Whoever pushes to a repository looks at it first, and would be asked for a second grant.
TEST(FileSummary, ARepositoryMayBeMeantToBeWritten) {
  const auto advice = [](PolicyForm form, FileUse use) {
    FileSummary summary(form, [](const FileCall& call) -> std::optional<FileDenial> {
      return FileDenial{.use = call.use, .path = call.path, .reason = "no", .grant = call.path};
    });
    (void)summary.Take({.use = use, .path = "/srv/a.git"});
    return summary.Text();
  };
  EXPECT_THAT(advice(PolicyForm::kFlags, FileUse::kLook),
              testing::HasSubstr("add --ro '/srv/a.git', for git push --rw\n"));
  EXPECT_THAT(advice(PolicyForm::kDirectional, FileUse::kRead),
              testing::HasSubstr("to filesystem.readonlyPaths, for git push to filesystem.readwritePaths\n"));
  EXPECT_THAT(advice(PolicyForm::kFlags, FileUse::kWrite), testing::HasSubstr("add --rw '/srv/a.git'\n"));
}

// ---- --report=short ------------------------------------------------------------------------------------

std::vector<std::string> ShortOf(const std::vector<FileCall>& calls) {
  FileSummary summary(PolicyForm::kDirectional, [](const FileCall& call) -> std::optional<FileDenial> {
    FileDenial denial{.use = call.use, .path = call.path, .reason = "denied", .grant = call.path};
    denial.untold = call.path.starts_with("/secret");
    if (call.path.ends_with("/clause")) denial.pointer = "/filesystem/deniedPaths/0";
    if (call.path.starts_with("/words")) {
      denial.grant.clear();
      denial.advice = "words";
    }
    return denial;
  });
  for (const FileCall& call : calls) (void)summary.Take(call);
  return summary.Short();
}

TEST(FileSummary, ShortOnesBeginWithTheLikeliestReason) {
  EXPECT_THAT(ShortOf({{.use = FileUse::kRead, .path = "/a"},
                       {.use = FileUse::kWrite, .path = "/b"},
                       {.use = FileUse::kLook, .path = "/c"},
                       {.use = FileUse::kWrite, .path = "/d"}}),
              testing::ElementsAre("'/d' (write): denied; to allow it, add '/d' to filesystem.readwritePaths",
                                   "'/b' (write): denied; to allow it, add '/b' to filesystem.readwritePaths",
                                   "'/a' (read): denied; to allow it, add '/a' to filesystem.readonlyPaths"));
  EXPECT_EQ(ShortOf({{.use = FileUse::kLook, .path = "/c"}}).size(), 1U);
}

TEST(FileSummary, ShortOnesAreSilentAboutWhatIsSecretAndWhatNoEntryDecides) {
  EXPECT_THAT(ShortOf({{.use = FileUse::kRead, .path = "/secret"},
                       {.use = FileUse::kWrite, .path = "/secret/too"},
                       {.use = FileUse::kRead, .path = "/words"}}),
              testing::IsEmpty());
  EXPECT_THAT(ShortOf({{.use = FileUse::kLook, .path = "/secret/clause"}}), testing::IsEmpty());
  EXPECT_THAT(ShortOf({{.use = FileUse::kRead, .path = "/secret/clause"}}),
              testing::ElementsAre("a path that the policy denies; mxc-exec --report names it"));
  EXPECT_THAT(ShortOf({{.use = FileUse::kRead, .path = "/secret/clause"},
                       {.use = FileUse::kWrite, .path = "/secret/two/clause"}}),
              testing::ElementsAre("2 paths that the policy denies; mxc-exec --report names them"));
  EXPECT_THAT(
      ShortOf({{.use = FileUse::kRead, .path = "/secret/clause"}, {.use = FileUse::kRead, .path = "/a"}}),
      testing::ElementsAre("'/a' (read): denied; to allow it, add '/a' to filesystem.readonlyPaths"));
  EXPECT_THAT(ShortOf({{.use = FileUse::kExecute, .path = "/words"}}),
              testing::ElementsAre("'/words' (execute): denied; words"));
}

// Of the system's files no entry decides: "Read-only file system" alone makes people try again.
TEST(FileSummary, ShortOnesTellOfWritingTheSystemWhenThereIsNothingElse) {
  EXPECT_THAT(ShortOf({{.use = FileUse::kWrite, .path = "/words"}}),
              testing::ElementsAre("'/words' (write): denied; words"));
  EXPECT_THAT(ShortOf({{.use = FileUse::kWrite, .path = "/words"}, {.use = FileUse::kRead, .path = "/a"}}),
              testing::ElementsAre("'/a' (read): denied; to allow it, add '/a' to filesystem.readonlyPaths"));
}

}  // namespace
}  // namespace mxc::file_summary_test
