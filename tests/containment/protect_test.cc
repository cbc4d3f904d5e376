// The presets `shell`, `editors` and `agents`, patterns and `temp`: what they say holds for a real command.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tests/containment/containment.h"

namespace mxc::test::protect_test {
namespace {

using testing::AnyOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::Not;

const std::vector<const char*> kEngines = Engines();

class Protect : public ContainmentTest {
 protected:
  // All that stands below `directory`, with a line for each file.
  [[nodiscard]] static std::string Tree(const std::string& directory) {
    std::string text;
    for (const std::string& name : Names(directory)) {
      const std::string path = directory + "/" + name;
      text += path + "=" + Contents(path).value_or("") + "\n" + Tree(path);
    }
    return text;
  }

  // Each way to change `file`, which stands below `rw`.
  [[nodiscard]] std::vector<Words> Attacks(const std::string& file) const {
    const std::string evil = workspace.File("rw/evil", "EVIL");
    return {{"write", file, "EVIL"}, {"truncate", file},     {"chmod", file, "777"},
            {"unlink", file},        {"rename", evil, file}, {"exchange", evil, file}};
  }
  // Holds what the preset says of `files` below rw, and leaves nothing behind.
  void ExpectHeld(const std::string& preset, const std::vector<std::string>& files,
                  const std::vector<std::string>& missing) {
    const std::string rw = workspace.Directory("rw");
    for (const std::string& file : files) workspace.File("rw/" + file, "KEEP");
    workspace.File("rw/evil", "EVIL");
    const std::string before = Tree(rw);
    const std::string section = R"("protect":[")" + preset + R"("])";
    for (const char* engine : kEngines) {
      for (const std::string& file : files) {
        SCOPED_TRACE(std::string(engine) + " " + file);
        const std::string path = rw + "/" + file;
        EXPECT_THAT(Try({.containment = engine, .read_write = {rw}, .filesystem = section}, Attacks(path)),
                    Each(AnyOf("EROFS", "EBUSY", "EXDEV")));
        const std::string other = workspace.Directory("rw/elsewhere") + "/name";
        std::filesystem::create_hard_link(path, other);
        EXPECT_THAT(Try({.containment = engine, .read_write = {rw}, .filesystem = section},
                        {{"write", other, "EVIL"}, {"write", path, "EVIL"}}),
                    Each("EROFS"));
        std::filesystem::remove_all(rw + "/elsewhere");
        const std::string above = path.substr(0, path.rfind('/'));
        if (above == rw) continue;
        EXPECT_THAT(Try({.containment = engine, .read_write = {rw}, .filesystem = section},
                        {{"rename", above, rw + "/moved"}}),
                    ElementsAre(AnyOf("EBUSY", "EXDEV")));
      }
      for (const std::string& name : missing) {
        const std::string path = rw + "/" + name;
        EXPECT_THAT(Try({.containment = engine, .read_write = {rw}, .filesystem = section},
                        {{"write", path, "EVIL"},
                         {"mkdir", path},
                         {"write", path + "/inside", "EVIL"},
                         {"symlink", rw + "/evil", path}}),
                    Not(Contains("ok")))
            << engine << " " << name;
      }
      EXPECT_EQ(Tree(rw), before) << engine;
      EXPECT_THAT(Try({.containment = engine, .read_write = {rw}, .filesystem = section},
                      {{"write", rw + "/beside", "x"}, {"unlink", rw + "/beside"}}),
                  Each("ok"))
          << engine;
    }
    // Without the preset they are files like any other.
    const auto answers = Try({.read_write = {rw}}, {{"write", rw + "/" + files.front(), "CHANGED"}});
    EXPECT_THAT(answers, ElementsAre("ok"));
  }
};
MXC_FOR_EACH_CALLER(Protect);

TEST_P(Protect, StartUpFilesOfShells) {
  ExpectHeld("shell", {".bashrc", ".ssh/authorized_keys", ".config/fish/config.fish"},
             {".zshenv", ".profile", ".local/bin"});
}

TEST_P(Protect, WhatEditorsRun) {
  ExpectHeld("editors", {".vscode/tasks.json", "deep/er/.idea/workspace.xml", ".exrc"}, {".devcontainer"});
}

TEST_P(Protect, WhatAgentsObey) {
  ExpectHeld("agents", {".claude/settings.json", "deep/er/AGENTS.md", ".mcp.json"}, {".codex"});
}

// A command has made an empty file with the mode of a stand-in, but of another kind.
TEST_P(Protect, WhatLooksLikeAStandInKeepsNoRunFromStarting) {
  const std::string rw = workspace.Directory("rw");
  workspace.File("rw/.git/HEAD", "ref: refs/heads/main\n");
  workspace.Directory("rw/.git/objects");
  workspace.Directory("rw/.git/refs");
  for (const char* engine : {"namespaces", "bubblewrap", "lxc", "landlock"}) {
    if (engine == std::string_view("lxc") && !HasLxc()) continue;
    const std::string planted = workspace.File("rw/.git/config.worktree", "");
    ASSERT_EQ(::chmod(planted.c_str(), 01600), 0);
    const Ended ended =
        Execute(PrepareConfig({.containment = engine, .command = "echo ran", .read_write = {rw}}));
    EXPECT_EQ(ended.out, "ran\n") << engine << ": " << ended.err;
  }
}

// The run that began first ends first: what it has held stays held for the other.
TEST_P(Protect, WhatTwoRunsHoldIsHeldToTheEndOfTheSecond) {
  const std::string rw = workspace.Directory("rw");
  workspace.File("rw/.git/HEAD", "ref: refs/heads/main\n");
  workspace.Directory("rw/.git/objects");
  workspace.Directory("rw/.git/refs");
  workspace.File("rw/.git/config", "[core]\n\tfsmonitor = tools/fsm\n");
  const std::string before = Tree(rw);
  for (const char* engine : kEngines) {
    const auto run = [&](const std::string& command) {
      return PrepareConfig({.containment = engine,
                            .command = "cd " + rw + "; " + command,
                            .read_write = {rw},
                            .filesystem = R"("protect":["git","editors","agents"])"});
    };
    Running first(run("touch up; until [ -e end ]; do sleep 0.02; done"));
    ASSERT_TRUE(Eventually([&] { return Exists(rw + "/up"); }));
    Running second(run(
        "touch two; until [ -e over ]; do sleep 0.02; done; rm -f up two end over; for d in tools .vscode "
        ".claude; do rm -rf $d; mkdir -p $d; done; mkdir -p tools/fsm; echo x > tools/fsm; echo x > "
        ".vscode/tasks.json; echo x > .claude/settings.json; true"));
    ASSERT_TRUE(Eventually([&] { return Exists(rw + "/two"); }));
    workspace.File("rw/end", "");
    EXPECT_EQ(first.Wait().status, 0) << engine;
    workspace.File("rw/over", "");
    const Ended ended = second.Wait();
    EXPECT_EQ(ended.status, 0) << engine << ended.err;
    EXPECT_EQ(Tree(rw), before) << engine << ended.err;
  }
}

// The first run ends while the second goes on: what it finds among git's files then is partly held by the
// second.
TEST_P(Protect, WhatTheSecondRunHoldsIsNoneOfTheFirstsLeavings) {
  const std::string rw = workspace.Directory("rw");
  workspace.File("rw/.git/HEAD", "ref: refs/heads/main\n");
  workspace.Directory("rw/.git/objects");
  workspace.Directory("rw/.git/refs");
  workspace.Directory("rw/y");
  const std::string before = Tree(rw);
  for (const char* engine : kEngines) {
    const auto run = [&](const std::string& command, const std::vector<std::string>& denied) {
      return PrepareConfig({.containment = engine,
                            .command = "cd " + rw + "; " + command,
                            .read_write = {rw},
                            .denied = denied,
                            .filesystem = R"("protect":["git"])"});
    };
    Running first(
        run("mkdir -p x/.git/objects x/.git/refs; echo ref: refs/heads/x > x/.git/HEAD; echo '[core]' > "
            "x/.git/config; touch up; until [ -e end ]; do sleep 0.02; done",
            {}));
    ASSERT_TRUE(Eventually([&] { return Exists(rw + "/up"); }));
    Running second(
        run("touch two; until [ -e over ]; do sleep 0.02; done; for f in x/.git/commondir "
            "x/.git/config.worktree y/.git .git/rebase-merge; do rm -f $f; echo x > $f && echo $f; done; "
            "rm -f up two end over; true",
            {rw + "/y/.git", rw + "/.git/rebase-merge"}));
    ASSERT_TRUE(Eventually([&] { return Exists(rw + "/two"); }));
    workspace.File("rw/end", "");
    const Ended one = first.Wait();
    EXPECT_EQ(one.err.find("untrusted"), std::string::npos) << engine << one.err;
    EXPECT_EQ(one.err.find("copies"), std::string::npos) << engine << one.err;
    workspace.File("rw/over", "");
    const Ended two = second.Wait();
    EXPECT_EQ(two.status, 0) << engine << two.err;
    EXPECT_EQ(two.out, "") << engine << two.err;
    std::filesystem::remove_all(rw + "/x");
    EXPECT_EQ(Tree(rw), before) << engine << one.err << two.err;
  }
}

TEST_P(Protect, AnEntryOfThePolicyDecides) {
  const std::string rw = workspace.Directory("rw");
  const std::string tasks = workspace.File("rw/.vscode/tasks.json", "OLD");
  for (const char* engine : kEngines) {
    EXPECT_THAT(Try({.containment = engine,
                     .read_write = {rw, rw + "/.vscode"},
                     .filesystem = R"("protect":["editors"])"},
                    {{"write", tasks, "NEW"}}),
                ElementsAre("ok"));
  }
}

TEST_P(Protect, PatternsDenyAtEveryDepth) {
  const std::string rw = workspace.Directory("rw");
  const std::string top = Secret("rw/.env");
  const std::string deep = Secret("rw/a/b/.env.local");
  const std::string open = workspace.File("rw/a/env", "open");
  for (const char* engine : {"namespaces", "bubblewrap"}) {
    EXPECT_THAT(Try({.containment = engine, .read_write = {rw}, .denied = {rw + "/**/.env*"}},
                    {{"read", top},
                     {"read", deep},
                     {"unlink", deep},
                     {"rename", rw + "/a", rw + "/c"},
                     {"read", open}}),
                ElementsAre("EACCES", "EACCES", "EBUSY", "EBUSY", "open"))
        << engine;
  }
}

TEST_P(Protect, PatternsGrantWhatTheyMatch) {
  const std::string yes = workspace.File("ro/a.txt", "granted");
  const std::string no = Secret("ro/a.key");
  const std::string deeper = Secret("ro/d/b.txt");
  for (const char* engine : {"namespaces", "bubblewrap", "landlock"}) {
    const auto answers = Try({.containment = engine, .read_only = {workspace.Path("ro/*.txt")}},
                             {{"read", yes}, {"read", no}, {"read", deeper}});
    EXPECT_THAT(answers, ElementsAre("granted", AnyOf("ENOENT", "EACCES"), AnyOf("ENOENT", "EACCES")))
        << engine;
  }
}

TEST_P(Protect, TempIsPrivateUnlessShared) {
  const std::string file = "/tmp/mxc-test-" + Token();
  for (const char* engine : kEngines) {
    EXPECT_THAT(Try({.containment = engine}, {{"write", file, "x"}}), ElementsAre("ok")) << engine;
    EXPECT_FALSE(Exists(file)) << engine;
    EXPECT_THAT(Try({.containment = engine, .filesystem = R"("temp":"shared","protect":[])"},
                    {{"write", file, "shared"}}),
                ElementsAre("ok"))
        << engine;
    EXPECT_EQ(Contents(file), "shared") << engine;
    ::unlink(file.c_str());
  }
}

// Root owns /tmp, whose sticky bit keeps an owner from nothing.
TEST_P(Protect, SandboxesOfOtherUsersAreOutOfReach) {
  if (uid != 0) GTEST_SKIP() << "an ordinary user cannot enter or rename them";
  constexpr uid_t kOther = 23457;
  const std::string state = "/tmp/mxc-exec-" + std::to_string(kOther);
  ASSERT_EQ(::mkdir(state.c_str(), 0700), 0);
  ASSERT_EQ(::chown(state.c_str(), kOther, kOther), 0);
  for (const char* engine : kEngines) {
    EXPECT_THAT(Try({.containment = engine, .filesystem = R"("temp":"shared","protect":[])"},
                    {{"mkdir", state + "/new"}, {"rename", state, state + "-old"}, {"rmdir", state}}),
                ElementsAre(AnyOf("EACCES", "EROFS"), "EBUSY", "EBUSY"))
        << engine;
  }
  EXPECT_EQ(::rmdir(state.c_str()), 0);
}

}  // namespace
}  // namespace mxc::test::protect_test
