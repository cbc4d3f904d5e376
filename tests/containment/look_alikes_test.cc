// What a command leaves to be taken for what holds a missing name: the next run under the same policy starts,
// and denies what it denied before.
#include <unistd.h>

#include <iterator>
#include <thread>

#include "tests/containment/git_on_the_host.h"
#include "tests/support/engines.h"

namespace mxc::test::look_alikes_test {
namespace {

class LookAlikes : public GitOnTheHost {
 protected:
  // With a read-only grant of the same directory, or of `read_only` in the read-write one.
  [[nodiscard]] Ended Reading(const std::string& engine, const std::string& command,
                              const std::vector<std::string>& denied, bool part) const {
    std::vector<std::string> read_write;
    if (part) read_write.push_back(root);
    return RunConfig({.containment = engine,
                      .command = command,
                      .read_only = {part ? root + "/a" : root},
                      .read_write = read_write,
                      .denied = denied,
                      .cwd = root});
  }

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
constexpr const char* kWays[] = {"D", "T", "L", "f"};

TEST_P(LookAlikes, OfWhatGitObeysKeepNoRunFromStarting) {
  constexpr const char* kNames[] = {"hooks", "config", "config.worktree", "commondir", "modules", "info"};
  for (std::size_t name = 0; name < std::size(kNames); ++name) {
    for (std::size_t plant = 0; plant < std::size(kWays); ++plant) {
      const char* const engine = EngineOfRow(name + plant, uid, Everywhere());
      const std::string what = std::string(engine) + " " + kWays[plant] + " " + kNames[name];
      const Ended first = Inside(engine, kPlants + std::string("git init -q r; cd r/.git; rm -rf ") +
                                             kNames[name] + "; " + kWays[plant] + " " + kNames[name]);
      EXPECT_EQ(first.status, 0) << what << first.err;
      for (int run = 0; run < 2; ++run) {
        const Ended next = Inside(engine, "true");
        EXPECT_EQ(next.status, 0) << what << next.err;
      }
      ASSERT_EQ(Shell("rm -rf r").status, 0);
    }
  }
}

TEST_P(LookAlikes, OfWhatIsDeniedStayDenied) {
  const std::vector<std::string> denied = {root + "/**/.env"};
  const std::vector<std::string> read_only = {root + "/**/conf"};
  for (const std::string name : {"a/.env", "a/conf"}) {
    for (std::size_t plant = 0; plant < std::size(kWays); ++plant) {
      const char* const engine = EngineOfRow(plant + (name == "a/conf" ? 2 : 0), uid);
      const std::string what = std::string(engine) + " " + kWays[plant] + " " + name;
      const Ended first =
          Inside(engine, kPlants + std::string("mkdir a; ") + kWays[plant] + " " + name, denied, read_only);
      EXPECT_EQ(first.status, 0) << what << first.err;
      for (int run = 0; run < 2; ++run) {
        const bool planted = Shell("test -e " + name).status == 0;
        const Ended next =
            Inside(engine,
                   "ls -d a && { ! rm -rf " + name + "; ! echo EVIL >" + name + "; ! mkdir -p " + name +
                       "/d; ! echo EVIL >" + name + "/z; [ ! -e second ] || echo EVIL >second; } 2>&1",
                   denied, read_only);
        EXPECT_EQ(next.status, 0) << what << next.err;
        const Ended left = Shell("find " + name + " -type f -size +0");
        EXPECT_EQ(planted ? left.out : "", "") << what << next.out << next.err;
      }
      ASSERT_EQ(Shell("rm -rf a second").status, 0);
    }
  }
}

// Where this run holds no name, a file of the host stands there: somebody may write to it meanwhile.
TEST_P(LookAlikes, WhereNothingCanBeMadeAreMasked) {
  const std::vector<std::string> names = {root + "/a/f", root + "/a/d", root + "/a/t", root + "/a/t/y/x",
                                          root + "/a/s"};
  const std::string read =
      "cat a/open; for name in a/f a/t/y/x a/s; do ! cat $name 2>/dev/null || echo read $name; done; "
      "for name in a/d a/t; do ! ls $name 2>/dev/null || echo listed $name; done";
  for (const char* engine : Everywhere()) {
    const Ended first = Inside(engine, kPlants + std::string("mkdir a; cd a; echo open >open; f f; D d; T t; "
                                                             "printf '.\\n' >s; chmod 1644 s"));
    ASSERT_EQ(first.status, 0) << engine << first.err;
    for (const bool part : {false, true}) {
      if (part && std::string_view(engine) == "landlock") continue;  // takes nothing from a grant
      for (const std::vector<std::string>& denied :
           {names, {root + "/a/[f]", root + "/a/**/x", root + "/a/[std]"}}) {
        const Ended next = Reading(engine, read, denied, part);
        EXPECT_EQ(next.status, 0) << engine << next.err;
        EXPECT_EQ(next.out, "open\n") << engine << " part " << part << " of " << denied.front() << next.err;
      }
    }
    EXPECT_EQ(Shell("stat -c '%a %s' a/f; find a | wc -l").out, "1600 0\n12\n") << "as they were";
    ASSERT_EQ(Shell("rm -rf a").status, 0);
  }
}

// What holds a name for another run, in its directory with a grant to read.
TEST_P(LookAlikes, OfRunsThatWriteAreMaskedInThoseThatRead) {
  for (const char* engine : Engines()) {
    const std::string held = "until [ -e go ]; do sleep 0.01; done; cat .env";
    ASSERT_EQ(Shell("rm -f go; : >up").status, 0);
    const Launch writes = PrepareConfig({.containment = engine,
                                         .command = "rm up; until [ -e end ]; do sleep 0.01; done",
                                         .read_write = {root},
                                         .denied = {root + "/.env"},
                                         .cwd = root});
    std::thread writer([&] { EXPECT_EQ(Execute(writes).status, 0) << engine; });
    EXPECT_TRUE(Eventually([&] { return Shell("test -e up").status != 0; }));
    Ended reads;
    std::thread reader([&] { reads = Reading(engine, "echo up; " + held, {root + "/.env"}, false); });
    ::usleep(300'000);
    EXPECT_EQ(Shell("echo SECRET >.env; : >go; sleep 0.3; : >end").status, 0);
    writer.join();
    reader.join();
    EXPECT_EQ(reads.out, "up\n") << engine << reads.err;
    EXPECT_EQ(Shell("cat .env; rm -f .env go end").out, "SECRET\n") << engine;
  }
}

// A command closes the directory; the next run holds the name in it all the same.
TEST_P(LookAlikes, InADirectoryThatWasClosedNamesAreHeld) {
  constexpr const char* kModes[] = {"555", "1555", "500", "311", "0"};
  for (std::size_t row = 0; row < std::size(kModes); ++row) {
    const char* const mode = kModes[row];
    const char* const engine = EngineOfRow(row, uid);
    ASSERT_EQ(Shell("mkdir -m 755 d").status, 0);
    ASSERT_EQ(Inside(engine, std::string("chmod ") + mode + " d", {root + "/d/secret"}).status, 0);
    for (const bool read_only : {false, true}) {
      const std::vector<std::string> names = {root + "/d/secret"};
      const std::vector<std::string> none;
      const Ended next = Inside(engine, "chmod 755 d; ! echo EVIL >d/secret; chmod 555 d; echo ran",
                                read_only ? none : names, read_only ? names : none);
      EXPECT_EQ(next.out, "ran\n") << engine << " " << mode << next.err;
    }
    EXPECT_EQ(Shell("chmod 755 d; ls d; rmdir d").out, "") << engine << " " << mode;
  }
}

// The command gives any mode to the directory that it was granted.
TEST_P(LookAlikes, WhatIsGrantedIsNone) {
  const std::string inode = Shell("stat -c %i .").out;
  constexpr const char* kFills[] = {"true", "f z", "D d", "T d"};
  for (std::size_t row = 0; row < std::size(kFills); ++row) {
    const char* const engine = EngineOfRow(row, uid);
    const std::vector<std::string> denied = {root + "/.env", root + "/s/.env"};
    const std::vector<std::string> read_only = {root + "/conf"};
    const std::string what = std::string(engine) + " " + kFills[row];
    const Ended first =
        Inside(engine, kPlants + std::string(kFills[row]) + "; rm -rf r; chmod 1755 .", denied, read_only);
    EXPECT_EQ(first.status, 0) << what << first.err;
    for (int run = 0; run < 2; ++run) {
      const Ended next =
          Inside(engine, "! echo EVIL >.env; ! mkdir s; ! mkdir conf; echo data >f; rm f", denied, read_only);
      EXPECT_EQ(next.status, 0) << what << next.err;
      EXPECT_EQ(Shell("ls -d .env s conf 2>&1 | grep -c 'No such'; stat -c %i .").out, "3\n" + inode) << what;
    }
    ASSERT_EQ(Shell("rm -rf z d; chmod 755 .").status, 0);
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
