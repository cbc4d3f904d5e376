// What a later call puts back of a run with Landlock alone, and what it leaves as it is.
#include "cleanup/put_back_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>

#include "tests/support/run_in_child.h"

namespace mxc::test::put_back_record_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class PutBackRecordTest : public ::testing::Test {
 protected:
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
  // A run whose processes are all killed after `change`.
  void Killed(const std::function<void()>& change) const {
    const pid_t child = ::fork();
    if (child == 0) {
      Result<GuardedPaths> guarded = GuardedPaths::Remember({Guard("git/config"), Guard("git/hooks")});
      if (!guarded || guarded->OpenAlone() != guarded->Size()) std::_Exit(1);
      const Result<PutBackRecord> record = PutBackRecord::Write(*guarded);
      change();
      std::_Exit(record ? 0 : 2);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
  }
  // What the next call says of these files.
  [[nodiscard]] std::string Recovered() const {
    Recovery recovery;
    JudgeLeftRecords({PutBackRecord::Kind()}, recovery);
    std::string text;
    for (const std::string& problem : recovery.problems)
      if (problem.find(At("")) != std::string::npos) text += problem + "\n";
    for (const std::string& known : recovery.known)
      if (known.find(At("")) != std::string::npos) text += "known: " + known + "\n";
    return text;
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
  EXPECT_THAT(Recovered(), HasSubstr("known: ")) << "told once";
  fs::create_directories(At("git"));
  WriteText(At("git/config"), "mine");
  EXPECT_THAT(Recovered(), HasSubstr("is in another directory now"));
  EXPECT_EQ(ReadText(At("git/config")), "mine");
  EXPECT_FALSE(fs::exists(At("git/hooks")));
  EXPECT_EQ(Recovered(), "") << "the record is gone";
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
    Result<PutBackRecord> record = PutBackRecord::Write(*guarded);
    fs::remove(At("git/config"));
    rlimit limit{};
    ::getrlimit(RLIMIT_FSIZE, &limit);
    const rlimit before = limit;
    limit.rlim_cur = 0;  // no file can have content
    if (!record || ::setrlimit(RLIMIT_FSIZE, &limit) != 0 || ::signal(SIGXFSZ, SIG_IGN) == SIG_ERR)
      std::_Exit(2);
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

}  // namespace
}  // namespace mxc::test::put_back_record_test
