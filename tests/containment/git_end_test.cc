// What a command leaves so that the end of its run takes long, or later runs with the same grants do not
// start.
#include "tests/containment/git_on_the_host.h"
#include "tests/support/engines.h"

namespace mxc::test::git_end_test {
namespace {

using testing::HasSubstr;
using testing::Not;

class GitEnd : public GitOnTheHost {
 protected:
  [[nodiscard]] Ended Inside(const char* engine, const std::string& command) const {
    return RunConfig({.containment = engine, .command = command, .read_write = {root}, .cwd = root});
  }
  void ExpectStart(const char* engine, const std::string& planted) const {
    const Ended next = Inside(engine, "true");
    EXPECT_EQ(next.status, 0) << engine << planted << next.err;
  }
  [[nodiscard]] static std::vector<const char*> Everywhere() {
    std::vector<const char*> all = Engines();
    all.push_back("landlock");
    return all;
  }
};
MXC_FOR_EACH_CALLER(GitEnd);

// They cost the command nothing, and whoever reads them much: all of this index is one extension.
TEST_P(GitEnd, HolesAreNotRead) {
  for (const char* engine : Everywhere()) {
    const Ended ended = Inside(engine,
                               "mkdir -p n/.git/objects n/.git/refs; echo ref: refs/heads/x >n/.git/HEAD; "
                               "printf 'DIRC\\0\\0\\0\\2\\0\\0\\0\\0AAAA\\0\\20\\0\\0' >n/.git/index; "
                               "truncate -s 1048616 n/.git/index");
    EXPECT_EQ(ended.status, 0) << engine << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("/n/.git/index' (now '" + root + "/n/.git/index.untrusted')")) << engine;
    ASSERT_EQ(Shell("rm -r n").status, 0);
  }
}

TEST_P(GitEnd, AGrantThatIsClosedIsOpenedAgain) {
  for (const char* engine : Everywhere()) {
    for (const char* mode : {"0", "200", "100"}) {
      const Ended ended = Inside(engine, "mkdir -p d; chmod " + std::string(mode) + " d .");
      EXPECT_EQ(ended.status, 0) << engine << ended.err;
      EXPECT_THAT(ended.err, HasSubstr("can be listed again: '" + root + "', '" + root + "/d'")) << engine;
      ExpectStart(engine, ended.err);
    }
  }
}

// From the inside out, so that no look at what is in a directory comes before its own turn.
TEST_P(GitEnd, ARepositoryThatIsClosedIsOpenedAgain) {
  for (const char* engine : Everywhere()) {
    ASSERT_EQ(Shell("git init -q .; git status").status, 0);
    for (const char* close : {"sleep 0.3; chmod 0 .git/hooks .git .", "chmod 0 .git; sleep 0.5; chmod 0 ."}) {
      const Ended ended = Inside(engine, std::string(close) + "; true");
      EXPECT_EQ(ended.status, 0) << engine << close << ended.err;
      EXPECT_THAT(ended.err, HasSubstr("'" + root + "/.git'")) << engine << close;
      const Ended after = Shell("git status --porcelain && ls .git .git/hooks");
      EXPECT_THAT(after.out, HasSubstr("HEAD")) << engine << close << after.err << ended.err;
      // Closed while it is put back, `hooks` is made once more.
      const std::string asides = Shell("ls .git | grep -c untrusted-").out;
      EXPECT_LT(std::stoi(asides), 5) << engine << close << after.out << ended.err;
    }
    ASSERT_EQ(Shell("rm -rf .git").status, 0);
  }
}

// git's files are not there: what leads to them is in the grant.
TEST_P(GitEnd, WhatLeadsThroughProcIsTakenOutOfTheWay) {
  for (const char* engine : Everywhere()) {
    const Ended ended = Inside(engine,
                               "mkdir a b c; echo gitdir: /proc/self/root >a/.git; git init -q b; "
                               "echo /proc/self/cwd >b/.git/commondir; ln -s /proc/self/cwd c/.git");
    EXPECT_EQ(ended.status, 0) << engine << ended.err;
    for (const char* file : {"/a/.git", "/b/.git/commondir", "/c/.git"})
      EXPECT_THAT(ended.err, HasSubstr("'" + root + file + "' (now '" + root + file + ".untrusted')"))
          << engine;
    EXPECT_THAT(ended.err, Not(HasSubstr("next-run-refused"))) << engine;
    ExpectStart(engine, ended.err);
    ASSERT_EQ(Shell("rm -rf a b c").status, 0);
  }
}

}  // namespace
}  // namespace mxc::test::git_end_test
