// Command lines on hosts: which are certain to need no shell. Each case changes one thing about a host on
// which the line is certain.
#include "policy/without_shell.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/unit/elf_text.h"
#include "tests/unit/policy_text.h"

namespace mxc::without_shell_test {
namespace {

using testing::Contains;
using testing::Not;

constexpr const char* kLoader = "/lib64/ld.so";
constexpr const char* kShells = "the shell's";

struct Scene {
  FakeHost host = {};
  Config config = {};
  ResolveOptions options = {};

  void Program(const std::string& path, FakeAttributes attributes = {}) {
    host.AddFile(path, ElfText({.loader = kLoader}), attributes);
  }
  void Path(const std::string& path) { config.process.environment = {{{"PATH", Secret{path}}}}; }
  void Deny(const std::string& path) {
    config.denied.push_back({path, "/filesystem/deniedPaths/" + std::to_string(config.denied.size())});
  }
};

using Change = std::function<void(Scene&)>;

// A workspace of the caller's, /srv/work, where the command is; and nothing granted in /opt.
void Fill(Scene& scene, std::uint32_t caller) {
  FakeHost& host = scene.host;
  host.SetCaller(caller, caller);
  host.AddDebian().AddFile("/usr/lib64/ld.so", ElfText({}));
  for (const char* name : {"dash", "tool", "env", "node"}) scene.Program(std::string("/usr/bin/") + name);
  host.AddSymlink("/usr/bin/sh", "dash");
  host.AddFile("/usr/bin/npm", "#!/usr/bin/env node\n");
  host.AddDirectory("/srv/work", {.mode = 0700, .uid = caller})
      .AddDirectory("/srv/work/bin", {.uid = caller});
  scene.Program("/srv/work/run", {.mode = 0700, .uid = caller});
  scene.Program("/srv/work/bin/built", {.uid = caller});
  scene.Program("/opt/bin/tool");
  scene.config = ConfigOf({.rw = {"/srv/work"}});
  scene.config.process.cwd = "/srv/work";
}

std::string WordsOf(const std::string& line, const Change& change = {}, std::uint32_t caller = 1000) {
  Scene scene;
  Fill(scene, caller);
  scene.config.process.command_line = line;
  if (change) change(scene);
  const Result<Policy> policy = Resolve(scene.config, scene.host, scene.options);
  if (!policy) return RefusalOf(policy);
  EXPECT_EQ(policy->process.argv, (std::vector<std::string>{"/bin/sh", "-c", line}));
  std::string text;
  for (const std::string& word : policy->process.without_shell) text += (text.empty() ? "" : "|") + word;
  return text.empty() ? kShells : text;
}

TEST(WithoutShell, ProgramsThatStart) {
  for (const std::uint32_t caller : {0U, 1000U}) {
    EXPECT_EQ(WordsOf("/usr/bin/tool  a b", {}, caller), "/usr/bin/tool|a|b");
    EXPECT_EQ(WordsOf("/bin/tool", {}, caller), "/bin/tool") << "by a link that is made anew";
    EXPECT_EQ(WordsOf("tool -v", {}, caller), "tool|-v");
    EXPECT_EQ(WordsOf("npm test", {}, caller), "npm|test") << "a script, and its interpreter";
    EXPECT_EQ(WordsOf("./run", {}, caller), "./run");
    EXPECT_EQ(WordsOf("bin/../../work/bin/built", {}, caller), "bin/../../work/bin/built");
  }
}

TEST(WithoutShell, OtherWaysToAProgram) {
  EXPECT_EQ(WordsOf("tool", [](Scene& scene) { scene.host.AddFile("/usr/bin/tool", ElfText({})); }), "tool")
      << "needs no loader";
  EXPECT_EQ(WordsOf("/srv/work/link",
                    [](Scene& scene) { scene.host.AddSymlink("/srv/work/link", "/usr/bin/tool"); }),
            "/srv/work/link")
      << "by a link that shows";
  EXPECT_EQ(WordsOf("tool", [](Scene& scene) { scene.Path("/nosuch:/srv/work/run/x:/opt/bin:/usr/bin"); }),
            "tool")
      << "directories that are not inside have nothing";
  EXPECT_EQ(WordsOf("tool",
                    [](Scene& scene) {
                      scene.host.AddDirectory("/srv/work/no").AddFile("/srv/work/no/tool");
                      scene.Deny("/srv/work/no");
                      scene.Path("/srv/work/no:/usr/bin");
                    }),
            "tool")
      << "nor what is denied";
  EXPECT_EQ(WordsOf("/tmp/w/run",
                    [](Scene& scene) {
                      scene.Program("/tmp/w/run");
                      scene.config.read_write.push_back({"/tmp/w", "/filesystem/readwritePaths/1"});
                    }),
            "/tmp/w/run")
      << "granted in what is else the sandbox's own";
}

// Where nobody asks, and what is no plain line.
TEST(WithoutShell, OnlyForBubblewrapAndOneCommand) {
  EXPECT_EQ(WordsOf("tool; true"), kShells);
  EXPECT_EQ(WordsOf("true"), kShells);
  EXPECT_EQ(WordsOf("tool",
                    [](Scene& scene) {
                      scene.config.process.environment = {{{"PPID", Secret{"1"}}}};
                    }),
            kShells);
  EXPECT_EQ(WordsOf("tool", [](Scene& scene) { scene.host.SetInteractive(true); }), kShells);
  EXPECT_EQ(WordsOf("tool", [](Scene& scene) { scene.config.phase = Phase::kProvision; }), kShells);
  EXPECT_EQ(WordsOf("tool", [](Scene& scene) { scene.options.linux_process = Containment::kNamespaces; }),
            kShells);
  EXPECT_EQ(WordsOf("/usr/bin/tool",
                    [](Scene& scene) {
                      scene.config.process.environment = {{{"BIG", Secret{std::string(40000, 'x')}}}};
                    }),
            "/usr/bin/tool");
  EXPECT_EQ(WordsOf("/usr/bin/tool",
                    [](Scene& scene) {
                      const Secret half{std::string(40000, 'x')};
                      scene.config.process.environment = {{{"BIG", half}, {"MORE", half}}};
                    }),
            kShells)
      << "execve may not take it all";
}

// To open a device or a pipe may do something.
TEST(WithoutShell, OpensNothingButFiles) {
  Scene scene;
  Fill(scene, 1000);
  scene.host.AddNode("/srv/work/pipe", FileType::kFifo);
  scene.config.process.command_line = "./pipe";
  const Result<Policy> policy = Resolve(scene.config, scene.host, scene.options);
  ASSERT_TRUE(policy.ok());
  EXPECT_TRUE(policy->process.without_shell.empty());
  EXPECT_THAT(scene.host.Questions(), Contains("read /usr/bin/dash"));
  EXPECT_THAT(scene.host.Questions(), Not(Contains("read /srv/work/pipe")));
}

struct Case {
  const char* name;
  const char* line;
  Change change;
};
void PrintTo(const Case& one, std::ostream* stream) { *stream << one.name; }

std::string NameOf(const testing::TestParamInfo<Case>& info) { return info.param.name; }

class LeftToTheShell : public testing::TestWithParam<Case> {};

TEST_P(LeftToTheShell, Line) { EXPECT_EQ(WordsOf(GetParam().line, GetParam().change), kShells); }

void Replace(Scene& scene, const std::string& path, std::string contents, FakeAttributes attributes = {}) {
  scene.host.Remove(path);
  scene.host.AddFile(path, std::move(contents), attributes);
}

INSTANTIATE_TEST_SUITE_P(
    TheShell, LeftToTheShell,
    testing::Values(
        Case{"Another", "tool",
             [](Scene& scene) {
               scene.Program("/usr/bin/bash");
               scene.host.Remove("/usr/bin/sh").AddSymlink("/usr/bin/sh", "bash");
             }},
        Case{"Missing", "tool", [](Scene& scene) { scene.host.Remove("/usr/bin/sh"); }},
        Case{"Denied", "tool", [](Scene& scene) { scene.Deny("/usr/bin/dash"); }},
        Case{"NotExecutable", "tool",
             [](Scene& scene) {
               Replace(scene, "/usr/bin/dash", ElfText({.loader = kLoader}), {.mode = 0644});
             }},
        Case{"NoProgram", "tool", [](Scene& scene) { Replace(scene, "/usr/bin/dash", "text"); }},
        Case{"AScript", "tool", [](Scene& scene) { Replace(scene, "/usr/bin/dash", "#!/usr/bin/node\n"); }},
        Case{"WithoutItsLoader", "/srv/work/static",
             [](Scene& scene) {
               scene.host.Remove("/usr/lib64/ld.so").AddFile("/srv/work/static", ElfText({}), {.uid = 1000});
             }}),
    NameOf);

INSTANTIATE_TEST_SUITE_P(
    TheProgram, LeftToTheShell,
    testing::Values(
        Case{"Missing", "nosuch", {}}, Case{"PathMissing", "/usr/bin/nosuch", {}},
        Case{"NotGranted", "/opt/bin/tool", {}},
        Case{"Denied", "/srv/work/run", [](Scene& scene) { scene.Deny("/srv/work/run"); }},
        Case{"ADirectory", "/srv/work/bin", {}}, Case{"BelowAFile", "/usr/bin/tool/x", {}},
        Case{"SetUserId", "tool",
             [](Scene& scene) { Replace(scene, "/usr/bin/tool", ElfText({}), {.mode = 04755}); }},
        Case{"SetGroupId", "tool",
             [](Scene& scene) { Replace(scene, "/usr/bin/tool", ElfText({}), {.mode = 02755}); }},
        Case{"NotExecutable", "tool",
             [](Scene& scene) { Replace(scene, "/usr/bin/tool", ElfText({}), {.mode = 0644}); }},
        Case{"OfAMountWhereNothingIs", "tool",
             [](Scene& scene) { Replace(scene, "/usr/bin/tool", ElfText({}), {.executable = false}); }},
        Case{"NotReadable", "tool",
             [](Scene& scene) {
               Replace(scene, "/usr/bin/tool", ElfText({}), {.mode = 0711, .readable = false});
             }},
        Case{"OfAnotherMachine", "tool",
             [](Scene& scene) { Replace(scene, "/usr/bin/tool", ElfText({.machine = 183})); }},
        Case{"NoProgram", "tool", [](Scene& scene) { Replace(scene, "/usr/bin/tool", "echo a script\n"); }},
        Case{"Empty", "tool", [](Scene& scene) { Replace(scene, "/usr/bin/tool", ""); }},
        Case{"ItsLoaderMissing", "tool",
             [](Scene& scene) { Replace(scene, "/usr/bin/tool", ElfText({.loader = "/lib64/nosuch"})); }},
        Case{"ItsLoaderDenied", "tool",
             [](Scene& scene) {
               scene.host.AddFile("/srv/work/ld", ElfText({}));
               scene.Deny("/srv/work/ld");
               Replace(scene, "/usr/bin/tool", ElfText({.loader = "/srv/work/ld"}));
             }},
        Case{"ItsLoaderNotExecutable", "tool",
             [](Scene& scene) {
               scene.host.AddFile("/usr/lib64/ld2", ElfText({}), {.mode = 0644});
               Replace(scene, "/usr/bin/tool", ElfText({.loader = "/lib64/ld2"}));
             }},
        Case{"ItsLoaderOfAnotherMachine", "tool",
             [](Scene& scene) {
               scene.host.AddFile("/usr/lib64/ld2", ElfText({.machine = 183}));
               Replace(scene, "/usr/bin/tool", ElfText({.loader = "/lib64/ld2"}));
             }}),
    NameOf);

INSTANTIATE_TEST_SUITE_P(
    TheInterpreter, LeftToTheShell,
    testing::Values(
        Case{"Missing", "npm", [](Scene& scene) { Replace(scene, "/usr/bin/npm", "#!/usr/bin/nosuch\n"); }},
        Case{"NotGranted", "npm", [](Scene& scene) { Replace(scene, "/usr/bin/npm", "#!/opt/bin/tool\n"); }},
        Case{"Denied", "npm", [](Scene& scene) { scene.Deny("/usr/bin/env"); }},
        Case{"Relative", "npm", [](Scene& scene) { Replace(scene, "/usr/bin/npm", "#!tool\n"); }},
        Case{"AScriptItself", "npm",
             [](Scene& scene) {
               scene.host.AddFile("/usr/bin/outer", "#!/usr/bin/env\n");
               Replace(scene, "/usr/bin/npm", "#!/usr/bin/outer\n");
             }},
        Case{"WithALineEndOfWindows", "npm",
             [](Scene& scene) { Replace(scene, "/usr/bin/npm", "#!/usr/bin/tool\r\n"); }}),
    NameOf);

INSTANTIATE_TEST_SUITE_P(
    TheWay, LeftToTheShell,
    testing::Values(
        Case{"FirstOfThePathNotExecutable", "tool",
             [](Scene& scene) {
               scene.host.AddFile("/srv/work/bin/tool", ElfText({}), {.mode = 0644});
               scene.Path("/srv/work/bin:/usr/bin");
             }},
        Case{"FirstOfThePathADirectory", "tool",
             [](Scene& scene) {
               scene.host.AddDirectory("/srv/work/bin/tool");
               scene.Path("/srv/work/bin:/usr/bin");
             }},
        Case{"DirectoryThatCannotBeSearched", "tool",
             [](Scene& scene) {
               scene.host.AddUnreadable("/srv/work/dark");
               scene.Path("/srv/work/dark:/usr/bin");
             }},
        Case{"LinkThatIsNotInside", "tool",
             [](Scene& scene) {
               scene.host.AddSymlink("/opt/link", "/usr/bin");
               scene.Path("/opt/link:/usr/bin");
             }},
        Case{"LinkAtTheSandboxesOwn", "/tmp/bin/tool",
             [](Scene& scene) { scene.host.AddDirectory("/tmp").AddSymlink("/tmp/bin", "/usr/bin"); }},
        Case{"LinkInPlaceOfTheSandboxesOwn", "/tmp/w/run",
             [](Scene& scene) {
               scene.host.Remove("/tmp").AddSymlink("/tmp", "/srv/tmp");
               scene.Program("/srv/tmp/w/run");
               scene.config.read_write.push_back({"/tmp/w", "/filesystem/readwritePaths/1"});
             }},
        Case{"LinksWithoutEnd", "/srv/work/a",
             [](Scene& scene) { scene.host.AddSymlink("/srv/work/a", "b").AddSymlink("/srv/work/b", "a"); }},
        Case{"Proc", "/proc/self/exe", [](Scene& scene) { scene.Program("/proc/self/exe"); }},
        Case{"ProcOnThePath", "tool",
             [](Scene& scene) {
               scene.host.AddDirectory("/proc/self");
               scene.Path("/proc/self/cwd:/usr/bin");
             }},
        Case{"OwnTmp", "/tmp/run", [](Scene& scene) { scene.Program("/tmp/run"); }},
        Case{"OutOfADirectoryThatIsMissing", "nosuch/../run", {}},
        Case{"PathOfNothing", "tool", [](Scene& scene) { scene.Path("/nosuch"); }}),
    NameOf);

// Outside root's capabilities open every file, inside it has none.
TEST(WithoutShell, RootHasToOwnWhatItExecutes) {
  const auto as_root = [](const std::string& line, const Change& change) { return WordsOf(line, change, 0); };
  const FakeAttributes anas{.mode = 0755, .uid = 1000};
  EXPECT_EQ(as_root("tool", [&](Scene& scene) { Replace(scene, "/usr/bin/tool", ElfText({}), anas); }),
            kShells);
  EXPECT_EQ(
      as_root("tool", [](Scene& scene) { Replace(scene, "/usr/bin/tool", ElfText({}), {.mode = 0611}); }),
      kShells);
  EXPECT_EQ(as_root("npm", [&](Scene& scene) { Replace(scene, "/usr/bin/env", ElfText({}), anas); }),
            kShells);
  EXPECT_EQ(as_root("bin/built", [&](Scene& scene) { scene.host.AddDirectory("/srv/work/bin", anas); }),
            kShells);
  EXPECT_EQ(
      as_root("bin/built", [](Scene& scene) { scene.host.AddDirectory("/srv/work/bin", {.mode = 0600}); }),
      kShells);
  EXPECT_EQ(
      as_root("bin/link",
              [&](Scene& scene) {
                scene.host.AddDirectory("/srv/work/bin", anas).AddSymlink("/srv/work/bin/link", "../run");
              }),
      kShells);
}

}  // namespace
}  // namespace mxc::without_shell_test
