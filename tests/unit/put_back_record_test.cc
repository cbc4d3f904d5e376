// What a later call puts back of a run with Landlock alone, and what it leaves as it is.
#include "cleanup/put_back_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/path.h"
#include "base/pipe.h"
#include "base/runtime_places.h"
#include "tests/support/own_records.h"
#include "tests/support/run_in_child.h"

namespace mxc::test::put_back_record_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class PutBackRecordTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_NO_FATAL_FAILURE(KeepRecordsApart(::geteuid())); }
  PutBackRecordTest() {
    fs::create_directories(At("git/hooks"));
    WriteText(At("git/config"), "[core]\n\xff");
    WriteText(At("git/hooks/one"), "#!/bin/sh\n");
  }
  [[nodiscard]] std::string At(const std::string& name) const { return scratch_.Path(name); }
  [[nodiscard]] GuardedPath Guard(const std::string& name) const {
    struct stat status {};
    GuardedPath guarded{.path = At(name), .grant = At("git")};
    if (::lstat(At(name).c_str(), &status) == 0)
      guarded.object = FileObject{.device = status.st_dev, .inode = status.st_ino};
    return guarded;
  }
  // A run whose processes are all killed after `change`. `missing`: guarded as well.
  void Killed(const std::function<void()>& change, const std::vector<std::string>& missing = {},
              const char* runtime_directory = nullptr) const {
    const pid_t child = ::fork();
    if (child == 0) {
      if (runtime_directory != nullptr) ::setenv("XDG_RUNTIME_DIR", runtime_directory, 1);
      std::vector<GuardedPath> paths = {Guard("git/config"), Guard("git/hooks")};
      for (const std::string& name : missing) paths.push_back(Guard(name));
      Result<GuardedPaths> guarded = GuardedPaths::Remember(paths);
      if (!guarded || guarded->OpenAlone() != guarded->Size()) std::_Exit(1);
      Result<PutBackRecord> record = PutBackRecord::Reserve();
      if (!record || !record->Write(*guarded)) std::_Exit(2);
      change();
      std::_Exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
  }
  // Whose command had moved the directory away.
  void KilledElsewhere() const {
    const auto change = [&] {
      WriteText(At("git/config"), "evil");
      fs::rename(At("git"), At("away"));
    };
    Killed(change, {"git/none/x"});
  }
  // The one record that names these files.
  [[nodiscard]] fs::path Record() const {
    fs::path found;
    for (const auto& entry : fs::directory_iterator(FixedRuntimePlace(::geteuid())))
      if (entry.is_regular_file() && ReadText(entry.path()).find(At("git/config")) != std::string::npos)
        found = entry.path();
    return found;
  }
  // What the next call says of these files, one that is to say everything if `asked`.
  [[nodiscard]] std::string Recovered(bool asked = false) const {
    Recovery recovery{.asked = asked};
    JudgeLeftRecords({PutBackRecord::Kind()}, recovery);
    std::string text;
    for (const std::string& problem : recovery.found.problems)
      if (problem.find(At("")) != std::string::npos) text += problem + "\n";
    return text;
  }

  // What follows the first `size` bytes.
  static void Damage(const fs::path& record, std::size_t size) {
    const std::string text = ReadText(record);
    fs::permissions(record, fs::perms::owner_write, fs::perm_options::add);
    WriteText(record, text.substr(0, size) + "damaged");
    fs::permissions(record, fs::perms::owner_write, fs::perm_options::remove);
  }

  ScratchDirectory scratch_;
};

TEST_F(PutBackRecordTest, WhatNobodyPutBackIsPutBackByTheNextCall) {
  Killed([&] {
    WriteText(At("git/config"), "evil");
    WriteText(At("git/hooks/two"), "evil");
  });
  EXPECT_EQ(ReadText(At("git/config")), "evil");
  EXPECT_THAT(Recovered(),
              testing::AllOf(HasSubstr("'" + At("git/config") + "'"), HasSubstr("is what it was again"),
                             HasSubstr(At("git/config.untrusted"))));
  EXPECT_EQ(ReadText(At("git/config")), "[core]\n\xff");
  EXPECT_FALSE(fs::exists(At("git/hooks/two")));
  EXPECT_EQ(Recovered(), "");
}

TEST_F(PutBackRecordTest, OfWhatIsAsItWasNothingIsSaid) {
  Killed([] {});
  EXPECT_EQ(Recovered(), "");
}

TEST_F(PutBackRecordTest, NothingIsWrittenInAnotherDirectory) {
  Killed([&] { WriteText(At("git/config"), "evil"); });
  fs::remove_all(At("git"));
  EXPECT_THAT(Recovered(), HasSubstr("cannot be put back"));
  EXPECT_EQ(Recovered(), "") << "told once";
  EXPECT_THAT(Recovered(true), HasSubstr("cannot be put back"));
  fs::create_directories(At("git"));
  WriteText(At("git/config"), "mine");
  EXPECT_THAT(Recovered(), HasSubstr("is in another directory now"));
  EXPECT_EQ(ReadText(At("git/config")), "mine");
  EXPECT_FALSE(fs::exists(At("git/hooks")));
  EXPECT_EQ(Recovered(), "") << "the record is gone";
}

// It may be large, and would be read at each launch.
TEST_F(PutBackRecordTest, ARecordThatWaitsForADirectoryIsNotReadUntilThen) {
  KilledElsewhere();
  EXPECT_THAT(Recovered(), HasSubstr("cannot be put back"));
  const fs::path record = Record();
  const std::string text = ReadText(record);
  Damage(record, text.find(std::string("\0\0", 2)) + 2);
  EXPECT_EQ(Recovered(), "");
  EXPECT_TRUE(fs::exists(record));
  fs::create_directories(At("git"));
  EXPECT_EQ(Recovered(), "");
  EXPECT_FALSE(fs::exists(record)) << "it cannot be read, and has got another name";
}

TEST_F(PutBackRecordTest, WhatItWaitedForIsPutBack) {
  KilledElsewhere();
  EXPECT_THAT(Recovered(), HasSubstr("cannot be put back"));
  EXPECT_EQ(Recovered(), "");
  fs::rename(At("away"), At("git"));
  EXPECT_THAT(Recovered(), HasSubstr("is what it was again"));
  EXPECT_EQ(ReadText(At("git/config")), "[core]\n\xff");
  EXPECT_EQ(Recovered(true), "");
}

// What a command under Landlock alone can do outside of its grants: change modes of the caller's.
TEST_F(PutBackRecordTest, ModesKeepNobodyFromPuttingBack) {
  const std::string records = FixedRuntimePlace(::geteuid());
  for (const mode_t mode : {0U, 0111U, 0777U}) {
    Killed([&] {
      WriteText(At("git/config"), "evil");
      if (::chmod(At("git").c_str(), mode & 0111U) != 0 || ::chmod(Record().c_str(), mode) != 0 ||
          ::chmod(records.c_str(), mode) != 0)
        std::_Exit(3);
    });
    EXPECT_THAT(Recovered(), HasSubstr("is what it was again")) << mode;
    EXPECT_EQ(ReadText(At("git/config")), "[core]\n\xff") << mode;
    struct stat status {};
    EXPECT_EQ(::stat(At("git").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0755U) << mode;
    EXPECT_EQ(::stat(records.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0700U) << mode;
  }
}

TEST_F(PutBackRecordTest, ADirectoryThatWasClosedAloneIsOpenedAgain) {
  Killed([&] { ::chmod(At("git").c_str(), 0111); });
  EXPECT_THAT(Recovered(), HasSubstr("can be reached again"));
  EXPECT_EQ(fs::status(At("git")).permissions(), fs::perms(0755));
}

TEST_F(PutBackRecordTest, ItsModeDoesNotSayThatTheUserKnows) {
  Killed([&] {
    if (::chmod(Record().c_str(), 0400) != 0) std::_Exit(3);
    fs::rename(At("git"), At("away"));
  });
  EXPECT_THAT(Recovered(), HasSubstr("cannot be put back"));
  EXPECT_EQ(Recovered(), "");
  fs::rename(At("away"), At("git"));
  EXPECT_EQ(Recovered(), "");
}

TEST_F(PutBackRecordTest, WhatWasNotReportedIsReportedAgain) {
  KilledElsewhere();
  const auto recovered = [&](bool delivered) {
    std::size_t problems = 0;
    Recovery recovery{.report = [&](std::string_view, const RecoveryResult& found) {
      problems += found.problems.size();
      return delivered;
    }};
    JudgeLeftRecords({PutBackRecord::Kind()}, recovery);
    return problems;
  };
  const std::size_t problems = recovered(false);
  EXPECT_GT(problems, 0U);
  EXPECT_EQ(recovered(false), problems);
  EXPECT_EQ(recovered(true), problems);
  EXPECT_EQ(recovered(true), 0U);
  fs::create_directories(At("git"));
  EXPECT_GT(recovered(false), 0U) << "it is another directory";
  EXPECT_GT(recovered(true), 0U);
  EXPECT_EQ(recovered(true), 0U);
}

// It was put back, and is no problem of the next call's.
TEST_F(PutBackRecordTest, WhatWasPutBackIsReportedAgain) {
  Killed([&] { WriteText(At("git/config"), "evil"); });
  std::string reported;
  const auto recovered = [&](bool delivered) {
    reported.clear();
    Recovery recovery{.report = [&](std::string_view, const RecoveryResult& found) {
      for (const std::string& problem : found.problems) reported += problem;
      return delivered;
    }};
    JudgeLeftRecords({PutBackRecord::Kind()}, recovery);
    return reported;
  };
  EXPECT_THAT(recovered(false), HasSubstr(At("git/config.untrusted")));
  EXPECT_EQ(ReadText(At("git/config")), "[core]\n\xff");
  EXPECT_THAT(recovered(false), HasSubstr(At("git/config.untrusted")));
  EXPECT_THAT(recovered(true), HasSubstr(At("git/config.untrusted")));
  EXPECT_EQ(recovered(true), "");
}

// The reader of records would call itself for each of these.
TEST_F(PutBackRecordTest, ARecordOfTooManyLevelsCannotBeRead) {
  for (const char level : {'\x81', '\xa1', '\x7f', '\xc0'}) {
    Result<RunRecord> record = RunRecord::Reserve(level == '\x81' ? kUnreported : kPutBackRecords);
    ASSERT_TRUE(record);
    ASSERT_TRUE(record->Write(std::string(1000000, level)));
    record->Forget();
    *record = RunRecord();
    Recovery recovery;
    JudgeLeftRecords({PutBackRecord::Kind()}, recovery);
    EXPECT_THAT(recovery.found.problems, testing::ElementsAre(HasSubstr("cannot be read")));
  }
}

// Where somebody else has the name of the fixed place.
TEST_F(PutBackRecordTest, AClosedSessionDirectoryHidesNoRecord) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root: a session directory of a user's";
  const pid_t child = ::fork();
  if (child == 0) {
    constexpr uid_t kUser = 23457;
    const std::string session{ParentOf(SessionRuntimePlace(kUser))};
    ::unshare(CLONE_NEWNS);
    ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
    fs::create_directories(kSessionDirectories);
    if (::mount("session", kSessionDirectories, "tmpfs", 0, "mode=0755") != 0) ::_exit(3);
    fs::create_directories(session);
    fs::remove_all(FixedRuntimePlace(kUser));
    fs::create_directory(FixedRuntimePlace(kUser));  // root's
    if (::chown(session.c_str(), kUser, kUser) != 0 || ::chmod(session.c_str(), 0700) != 0) ::_exit(4);
    if (::setresuid(kUser, kUser, kUser) != 0) ::_exit(5);
    ::unsetenv("XDG_RUNTIME_DIR");
    Result<RunRecord> record = RunRecord::Reserve(kPutBackRecords);
    if (!record || !record->Write("x")) ::_exit(6);
    record->Forget();
    *record = RunRecord();
    if (::chmod(session.c_str(), 0) != 0) ::_exit(7);
    Recovery recovery;
    JudgeLeftRecords({PutBackRecord::Kind()}, recovery);
    ::_exit(recovery.found.problems.size() == 1 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  fs::remove_all(FixedRuntimePlace(23457));
}

// While the mode was another, others could write there.
TEST_F(PutBackRecordTest, AnothersRecordIsNotObeyed) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root: files of somebody else's";
  Killed([&] { WriteText(At("git/config"), "evil"); });
  const fs::path record = Record();
  ASSERT_EQ(::chown(record.c_str(), 1, 1), 0);
  Recovery recovery;
  JudgeLeftRecords({PutBackRecord::Kind()}, recovery);
  EXPECT_THAT(recovery.found.problems, testing::Contains(HasSubstr("cannot be read")));
  EXPECT_EQ(ReadText(At("git/config")), "evil");
  EXPECT_FALSE(fs::exists(record));
}

TEST_F(PutBackRecordTest, WhatIsTooLargeIsToldAndStays) {
  WriteText(At("git/config"), std::string(std::size_t{17} << 20U, 'x'));
  Killed([&] {
    WriteText(At("git/config"), "evil");
    WriteText(At("git/hooks/one"), "evil");
  });
  EXPECT_THAT(Recovered(), testing::AllOf(HasSubstr("'" + At("git/config") + "'"), HasSubstr("was too large"),
                                          HasSubstr("is what it was again")));
  EXPECT_EQ(ReadText(At("git/config")), "evil");
  EXPECT_EQ(ReadText(At("git/hooks/one")), "#!/bin/sh\n");
}

TEST_F(PutBackRecordTest, WhatWasMadeAnewIsLeftAsItIs) {
  const pid_t child = ::fork();
  if (child == 0) {
    Result<GuardedPaths> guarded = GuardedPaths::Remember({Guard("git/config")});
    if (!guarded || guarded->OpenAlone() != guarded->Size()) std::_Exit(1);
    Result<PutBackRecord> record = PutBackRecord::Reserve();
    if (!record || !record->Write(*guarded)) std::_Exit(4);
    fs::remove(At("git/config"));
    rlimit limit{};
    ::getrlimit(RLIMIT_FSIZE, &limit);
    const rlimit before = limit;
    limit.rlim_cur = 0;  // no file can have content
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0 || ::signal(SIGXFSZ, SIG_IGN) == SIG_ERR) std::_Exit(2);
    static_cast<void>(guarded->PutBack());
    const bool missing = guarded->NotRestored().size() == 1 && guarded->NotRestored().front().missing;
    ::setrlimit(RLIMIT_FSIZE, &before);
    record->Settle(*guarded);
    std::_Exit(missing ? 0 : 3);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  WriteText(At("git/config"), "mine");
  EXPECT_THAT(Recovered(), HasSubstr("has been made anew since"));
  EXPECT_EQ(ReadText(At("git/config")), "mine");
  EXPECT_EQ(Recovered(), "");
}

TEST_F(PutBackRecordTest, ARunThatGoesOnIsLeftAlone) {
  Killed([&] { WriteText(At("git/config"), "evil"); });
  Result<GuardedPaths> other = GuardedPaths::Remember({Guard("git/config")});
  ASSERT_TRUE(other.ok());
  ASSERT_EQ(other->OpenAlone(), 1U);
  EXPECT_EQ(Recovered(), "");
  EXPECT_EQ(ReadText(At("git/config")), "evil");
  *other = GuardedPaths();
  EXPECT_THAT(Recovered(), HasSubstr("is what it was again"));
}

TEST_F(PutBackRecordTest, WhatWasMadeInAMissingDirectoryIsTakenAway) {
  const std::vector<std::string> missing = {"git/a/b/one", "git/c/d/two", "git/e/f/three", "git/g/four"};
  Killed(
      [&] {
        fs::create_directories(At("git/a/b"));
        WriteText(At("git/a/b/one"), "evil");
        fs::create_directories(At("git/made/d"));
        WriteText(At("git/made/d/two"), "evil");
        fs::create_symlink("made", At("git/c"));
        fs::create_directories(At("git/e/f"));
      },
      missing);
  const std::string told = Recovered();
  EXPECT_THAT(told,
              HasSubstr("'" + At("git/a/b/one") + "', which `protect` named in an earlier run, is what"));
  EXPECT_THAT(told, HasSubstr(At("git/a/b/one.untrusted")));
  EXPECT_THAT(told, HasSubstr(At("git/c.untrusted")));
  EXPECT_THAT(told, testing::Not(testing::AnyOf(HasSubstr("three"), HasSubstr("four"))));
  EXPECT_FALSE(fs::exists(At("git/a/b/one")));
  EXPECT_FALSE(fs::exists(At("git/c/d/two")));
  EXPECT_TRUE(fs::exists(At("git/e/f")));
  EXPECT_EQ(Recovered(), "");
}

// What the first one's command makes there the second would remember.
TEST_F(PutBackRecordTest, OnlyOneRunAtATimeGuardsAMissingDirectory) {
  Result<GuardedPaths> first = GuardedPaths::Remember({Guard("git/a/b/one")});
  Result<GuardedPaths> second = GuardedPaths::Remember({Guard("git/a/c/two")});
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first->OpenAlone(), 1U);
  EXPECT_EQ(second->OpenAlone(), 0U);
  EXPECT_EQ(errno, EWOULDBLOCK);
  *first = GuardedPaths();
  fs::create_directories(At("git/a"));
  EXPECT_EQ(second->OpenAlone(), 0U);
  EXPECT_EQ(errno, ESTALE);
}

TEST_F(PutBackRecordTest, OfTwoRecordsTheOlderIsObeyed) {
  for (int round = 0; round < 4; ++round) {  // whatever the order of the directory
    Killed([&] { WriteText(At("git/config"), "evil"); });
    Killed([&] { WriteText(At("git/config"), "more evil"); });
    EXPECT_THAT(Recovered(), HasSubstr("is what it was again"));
    EXPECT_EQ(ReadText(At("git/config")), "[core]\n\xff");
    EXPECT_EQ(Recovered(), "");
    fs::remove(At("git/config.untrusted"));
  }
}

// Nor is the order that of text, and records of earlier programs have the time in their names.
TEST_F(PutBackRecordTest, WhichRecordIsOlderTheClockDoesNotSay) {
  for (const char* name : {".put-9-x", ".put-99999999999.000000000-x"}) {
    Killed([&] { WriteText(At("git/config"), "evil"); });
    const fs::path first = Record();
    ASSERT_NO_THROW(fs::rename(first, first.parent_path() / name));
    Killed([&] { WriteText(At("git/config"), "more evil"); });
    EXPECT_THAT(Recovered(), HasSubstr("is what it was again")) << name;
    EXPECT_EQ(ReadText(At("git/config")), "[core]\n\xff") << name;
    fs::remove(At("git/config.untrusted"));
  }
}

TEST_F(PutBackRecordTest, ARecordIsYoungerThanThoseOfOtherKinds) {
  const fs::path other = FixedRuntimePlace(::geteuid()) + "/.git-4711-x";
  const fs::path no_record = FixedRuntimePlace(::geteuid()) + "/.place-5000000000";
  WriteText(other, "");
  fs::create_directory(no_record);
  Killed([] {});
  const std::string name = Record().filename();
  ASSERT_EQ(name.substr(0, 5), ".put-");
  EXPECT_GT(std::stoull(name.substr(5)), 4711U) << name;
  EXPECT_LT(std::stoull(name.substr(5)), 5000000000U) << name;
  EXPECT_EQ(Recovered(), "");
  fs::remove(other);
  fs::remove(no_record);
}

TEST_F(PutBackRecordTest, NoTwoThatAreMadeAtATimeHaveOneNumber) {
  constexpr std::size_t kEach = 50;
  Result<Pipe> start = MakePipe();
  ASSERT_TRUE(start.ok());
  std::array<pid_t, 4> children{};
  for (pid_t& child : children) {
    child = ::fork();
    if (child != 0) continue;
    start->writing.Reset();
    char byte = 0;
    static_cast<void>(::read(start->reading.Get(), &byte, 1));
    std::vector<Result<PutBackRecord>> records;
    for (std::size_t i = 0; i < kEach; ++i) records.push_back(PutBackRecord::Reserve());
    std::_Exit(records.back() ? 0 : 1);  // the files stay
  }
  start->writing.Reset();
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
  }
  std::set<unsigned long long> numbers;
  for (const auto& entry : fs::directory_iterator(FixedRuntimePlace(::geteuid()))) {
    const std::string name = entry.path().filename();
    if (name.starts_with("..put-")) numbers.insert(std::stoull(name.substr(6)));
    if (name.starts_with("..put-")) fs::remove(entry.path());
  }
  EXPECT_GE(numbers.size(), children.size() * kEach);
}

TEST_F(PutBackRecordTest, ACallWithAnotherEnvironmentFindsIt) {
  fs::create_directories(At("runtime"));
  fs::permissions(At("runtime"), fs::perms::owner_all);
  Killed([&] { WriteText(At("git/config"), "evil"); }, {}, At("runtime").c_str());
  EXPECT_THAT(Recovered(), HasSubstr("is what it was again"));
  EXPECT_EQ(ReadText(At("git/config")), "[core]\n\xff");
}

// A run that waits for the locks of another one remembers what that one's command wrote.
TEST_F(PutBackRecordTest, NothingIsRecordedBeforeItIsLocked) {
  const pid_t child = ::fork();
  if (child == 0) {
    WriteText(At("git/config"), "evil");
    const Result<GuardedPaths> guarded = GuardedPaths::Remember({Guard("git/config")});
    const Result<PutBackRecord> record = PutBackRecord::Reserve();
    std::_Exit(guarded && record ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  WriteText(At("git/config"), "mine");
  EXPECT_EQ(Recovered(), "");
  EXPECT_EQ(ReadText(At("git/config")), "mine");
}

TEST_F(PutBackRecordTest, WhatAnotherRunHasNamedIsKnownUntilItIsJudged) {
  const auto named = [&](const std::string& name) {
    return AnotherNames({PutBackRecord::Kind()}, {At(name)});
  };
  EXPECT_FALSE(named("git/config"));
  Killed([&] {
    WriteText(At("git/config"), "evil");
    std::_Exit(named("git/config") && named("git") ? 0 : 3);  // its own lock does not matter
  });
  EXPECT_TRUE(named("git/config"));
  EXPECT_TRUE(named("git/hooks/one"));
  EXPECT_FALSE(named("git/description"));
  static_cast<void>(Recovered());
  EXPECT_FALSE(named("git/config"));
  Killed([&] { fs::remove_all(At("git")); });
  EXPECT_TRUE(named("git/config"));
  EXPECT_THAT(Recovered(), HasSubstr("cannot be put back"));
  EXPECT_FALSE(named("git/config")) << "the user knows";
  fs::create_directories(At("git"));
  static_cast<void>(Recovered());
}

}  // namespace
}  // namespace mxc::test::put_back_record_test
