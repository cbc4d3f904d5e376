// What a command leaves to be taken for what holds a missing name: the next run under the same policy starts,
// and denies what it denied before.
#include "tests/containment/git_on_the_host.h"
#include "tests/support/engines.h"

namespace mxc::test::look_alikes_test {
namespace {

class LookAlikes : public GitOnTheHost {
 protected:
  [[nodiscard]] Ended Inside(const std::string& engine, const std::string& command,
                             const std::vector<std::string>& denied = {},
                             const std::vector<std::string>& read_only = {}) const {
    return RunConfig({.containment = engine,
                      .command = "umask 022; " + command,
                      .read_only = read_only,
                      .read_write = {root},
                      .denied = denied,
                      .cwd = root});
  }
};
MXC_FOR_EACH_CALLER(LookAlikes);

// D: a directory with one in it. T: deeper, and two names of one file.
constexpr const char* kPlants =
    "f() { : >\"$1\"; chmod 1600 \"$1\"; }; "
    "D() { rm -rf \"$1\"; mkdir -p \"$1\"; f \"$1/z\"; chmod 1755 \"$1\"; }; "
    "T() { D \"$1\"; D \"$1/y\"; ln \"$1/z\" \"$1/y/x\"; mkdir \"$1/e\"; chmod 1755 \"$1/e\" \"$1\"; }; "
    "L() { rm -rf \"$1\"; f \"$1\"; ln \"$1\" second; }; ";

TEST_P(LookAlikes, OfWhatGitObeysKeepNoRunFromStarting) {
  std::vector<const char*> all = Engines();
  all.push_back("landlock");
  for (const char* engine : all) {
    for (const char* name : {"hooks", "config", "config.worktree", "commondir", "modules", "info"}) {
      for (const char* plant : {"D", "T", "L", "f"}) {
        const std::string what = std::string(engine) + " " + plant + " " + name;
        const Ended first = Inside(engine, kPlants + std::string("git init -q r; cd r/.git; rm -rf ") + name +
                                               "; " + plant + " " + name);
        EXPECT_EQ(first.status, 0) << what << first.err;
        for (int run = 0; run < 2; ++run) {
          const Ended next = Inside(engine, "true");
          EXPECT_EQ(next.status, 0) << what << next.err;
        }
        ASSERT_EQ(Shell("rm -rf r").status, 0);
      }
    }
  }
}

TEST_P(LookAlikes, OfWhatIsDeniedStayDenied) {
  const std::vector<std::string> denied = {root + "/**/.env"};
  const std::vector<std::string> read_only = {root + "/**/conf"};
  for (const char* engine : Engines()) {
    for (const char* name : {"a/.env", "a/conf"}) {
      for (const char* plant : {"D", "T", "L", "f"}) {
        const std::string what = std::string(engine) + " " + plant + " " + name;
        const Ended first =
            Inside(engine, kPlants + std::string("mkdir a; ") + plant + " " + name, denied, read_only);
        EXPECT_EQ(first.status, 0) << what << first.err;
        for (int run = 0; run < 2; ++run) {
          const bool planted = Shell("test -e " + std::string(name)).status == 0;
          const Ended next = Inside(engine,
                                    "ls -d a && { ! rm -rf " + std::string(name) + "; ! echo EVIL >" + name +
                                        "; ! mkdir -p " + name + "/d; ! echo EVIL >" + name +
                                        "/z; [ ! -e second ] || echo EVIL >second; } 2>&1",
                                    denied, read_only);
          EXPECT_EQ(next.status, 0) << what << next.err;
          const Ended left = Shell("find " + std::string(name) + " -type f -size +0");
          EXPECT_EQ(planted ? left.out : "", "") << what << next.out << next.err;
        }
        ASSERT_EQ(Shell("rm -rf a second").status, 0);
      }
    }
  }
}

// The command gives any mode to the directory that it was granted.
TEST_P(LookAlikes, WhatIsGrantedIsNone) {
  const std::string inode = Shell("stat -c %i .").out;
  for (const char* engine : Engines()) {
    for (const char* fill : {"true", "f z", "D d", "T d"}) {
      const std::vector<std::string> denied = {root + "/.env", root + "/s/.env"};
      const std::vector<std::string> read_only = {root + "/conf"};
      const std::string what = std::string(engine) + " " + fill;
      const Ended first =
          Inside(engine, kPlants + std::string(fill) + "; rm -rf r; chmod 1755 .", denied, read_only);
      EXPECT_EQ(first.status, 0) << what << first.err;
      for (int run = 0; run < 2; ++run) {
        const Ended next = Inside(engine, "! echo EVIL >.env; ! mkdir s; ! mkdir conf; echo data >f; rm f",
                                  denied, read_only);
        EXPECT_EQ(next.status, 0) << what << next.err;
        EXPECT_EQ(Shell("ls -d .env s conf 2>&1 | grep -c 'No such'; stat -c %i .").out, "3\n" + inode)
            << what;
      }
      ASSERT_EQ(Shell("rm -rf z d; chmod 755 .").status, 0);
    }
  }
}

// What stands there in the meantime is what git reads on the host.
TEST_P(LookAlikes, ASecondNameOfOneWritesNothing) {
  for (const char* engine : Engines()) {
    ASSERT_EQ(Inside(engine,
                     "git init -q r; : >r/.git/config.worktree; chmod 1644 r/.git/config.worktree; "
                     "ln r/.git/config.worktree second")
                  .status,
              0);
    const Ended next = Inside(engine, "echo EVIL >second; cat r/.git/config.worktree");
    EXPECT_EQ(next.out, "") << engine << next.err;
    EXPECT_EQ(Shell("cat r/.git/config.worktree 2>/dev/null; cat second").out, "EVIL\n") << engine;
    ASSERT_EQ(Shell("rm -rf r second").status, 0);
  }
}

}  // namespace
}  // namespace mxc::test::look_alikes_test
