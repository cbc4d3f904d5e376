// Policies for a system this is not: what is written and nothing else.
#include "policy/as_written.h"

#include <gtest/gtest.h>

#include "policy/paths/spelling.h"
#include "tests/unit/policy_text.h"

namespace mxc::as_written_test {
namespace {

Config For(Containment containment, const Lists& lists = {}) {
  Config config = ConfigOf(lists);
  config.intent = Intent::kConcrete;
  config.containment = containment;
  config.containment_pointer = "/containment";
  return config;
}

Result<Policy> Shown(const Config& config, const FakeHost& host = {}) {
  return Resolve(config, host, {.shown_only = true});
}

std::string Normal(const std::string& path, OperatingSystem system = OperatingSystem::kMacos) {
  const Result<std::string> normal = NormaliseWritten({.path = path, .pointer = "/p"}, {.system = system});
  return normal ? *normal : normal.error().pointer + ": " + normal.error().message;
}

TEST(AsWritten, PathsOfMacos) {
  EXPECT_EQ(Normal("/Users/me//work/./x/"), "/Users/me/work/x");
  EXPECT_EQ(Normal("/tmp"), "/private/tmp");
  EXPECT_EQ(Normal("/var/folders/x"), "/private/var/folders/x");
  EXPECT_EQ(Normal("/etc/hosts"), "/private/etc/hosts");
  EXPECT_EQ(Normal("/tmpfiles"), "/tmpfiles");
  EXPECT_EQ(Normal("/"), "/");
  EXPECT_EQ(Normal("/a/../b"),
            "/p: '/a/../b' steps back with `..`, which only the machine itself can follow");
  EXPECT_EQ(Normal("/a/..b/c..", OperatingSystem::kMacos), "/a/..b/c..");
  EXPECT_EQ(Normal("C:\\work"), "/p: 'C:\\work' is no path on macOS");
}

TEST(AsWritten, PathsOfWindows) {
  const OperatingSystem windows = OperatingSystem::kWindows;
  EXPECT_EQ(Normal("C:/work//x\\", windows), "C:\\work\\x");
  EXPECT_EQ(Normal("C:\\", windows), "C:\\");
  EXPECT_EQ(Normal("\\\\server\\share\\", windows), "\\\\server\\share");
  EXPECT_EQ(Normal("C:\\a\\..\\b", windows),
            "/p: 'C:\\a\\..\\b' steps back with `..`, which only the machine itself can follow");
  EXPECT_EQ(Normal("/work", windows), "/p: '/work' is no path on Windows");
}

std::string HintFor(const std::string& path, OperatingSystem system) {
  return NoPathOn(system, {.path = path}).hint;
}

TEST(Spelling, SaysWhatToWriteInstead) {
  const OperatingSystem windows = OperatingSystem::kWindows;
  EXPECT_EQ(HintFor("/srv/x", windows), "write it with its drive, such as 'C:\\srv\\x'");
  EXPECT_EQ(HintFor("/mnt/d/x", windows), "write it with its drive, such as 'd:\\x'");
  EXPECT_EQ(HintFor("/mnt/d", windows), "write it with its drive, such as 'd:\\'");
  const OperatingSystem linux_system = OperatingSystem::kLinux;
  const std::string drive =
      "write where it stands on Linux; in a distribution of WSL that is '/mnt/c/Work/x'";
  for (const char* path : {"C:\\Work\\x", "c:/Work/x", "\\\\?\\C:\\Work\\x"})
    EXPECT_EQ(HintFor(path, linux_system), drive) << path;
  EXPECT_EQ(HintFor("\\\\wsl.localhost\\Debian\\home\\me", linux_system),
            "write it as the distribution has it, '/home/me'");
  for (const char* path : {"\\\\server\\share\\x", "\\\\?\\UNC\\server\\share"})
    EXPECT_EQ(HintFor(path, linux_system), "mount the share, and write where it is mounted") << path;
  EXPECT_EQ(HintFor("C:\\x", OperatingSystem::kMacos), "write it from the root, /");
}

TEST(Spelling, EveryPathIsLookedAt) {
  Config config;
  EXPECT_TRUE(CheckSpellings(config, OperatingSystem::kLinux));
  config.process = {.cwd = "C:\\w", .cwd_pointer = "/process/cwd"};
  const auto blamed = [&] { return CheckSpellings(config, OperatingSystem::kLinux).error().pointer; };
  EXPECT_EQ(blamed(), "/process/cwd");
  config.denied = {{.path = "/a", .pointer = "/d/0"}, {.path = "C:\\a", .pointer = "/d/1"}};
  EXPECT_EQ(blamed(), "/d/1");
  config.denied.clear();
  config.process.cwd.clear();
  config.repositories = {{.path = "\\\\s\\r", .pointer = "/r/0"}};
  EXPECT_EQ(blamed(), "/r/0");
}

TEST(AsWritten, TheHostIsNotAsked) {
  FakeHost host;
  const Result<Policy> policy =
      Shown(For(Containment::kSeatbelt,
                {.rw = {"/Users/me/w"}, .ro = {"/Users/me/w/ro"}, .denied = {"/Users/me/w/no"}}),
            host);
  ASSERT_TRUE(policy) << RefusalOf(policy);
  EXPECT_TRUE(host.Questions().empty());
  EXPECT_TRUE(policy->as_written);
  EXPECT_EQ(policy->system, OperatingSystem::kMacos);
  EXPECT_EQ(RulesText(*policy),
            "read-write /Users/me/w (missing from )\n"
            "denied /Users/me/w/no (missing from )\n"
            "read-only /Users/me/w/ro (missing from )\n");
  EXPECT_EQ(policy->process.cwd, "/Users/me/w");
  EXPECT_EQ(WarningsText(*policy), "planned-elsewhere \nprotection-incomplete /filesystem/protect\n");
}

TEST(AsWritten, SaysOfAMacWhatItSaysOfLinux) {
  const Config config = For(Containment::kSeatbelt, {.rw = {"/"}});
  const Result<Policy> policy = Shown(config);
  ASSERT_TRUE(policy) << RefusalOf(policy);
  EXPECT_EQ(WarningsText(*policy),
            "planned-elsewhere \nwhole-host-writable /filesystem/readwritePaths/0\n"
            "protection-incomplete /filesystem/protect\n");
}

TEST(AsWritten, OneNameHasOneIntent) {
  const Result<Policy> policy =
      Shown(For(Containment::kSeatbelt, {.rw = {"/tmp/w", "/private/tmp/w"}, .denied = {"/private/tmp/w/"}}));
  ASSERT_TRUE(policy) << RefusalOf(policy);
  EXPECT_EQ(RulesText(*policy), "denied /private/tmp/w (missing from )\n");
  EXPECT_EQ(
      WarningsText(*policy),
      "planned-elsewhere \ntightened /filesystem/readwritePaths/0\ntightened /filesystem/readwritePaths/1\n");
}

TEST(AsWritten, WindowsTakesEverySpellingOfAName) {
  const Result<Policy> policy =
      Shown(For(Containment::kProcessContainer, {.rw = {"C:\\Work", "c:/work/Sub"}, .ro = {"c:\\WORK\\"}}));
  ASSERT_TRUE(policy) << RefusalOf(policy);
  EXPECT_EQ(policy->path_style, PathStyle::kWindows);
  EXPECT_EQ(RulesText(*policy),
            "read-only c:\\WORK (missing from )\nread-write c:\\work\\Sub (missing from )\n");
}

TEST(AsWritten, TheBaselineOfMacosYieldsToThePolicy) {
  const Result<Policy> policy =
      Shown(For(Containment::kSeatbelt, {.rw = {"/usr/share"}, .denied = {"/private/etc"}}));
  ASSERT_TRUE(policy) << RefusalOf(policy);
  const std::string baseline = RulesText(*policy, Origin::kBaseline);
  EXPECT_NE(baseline.find("read-only /usr/bin "), std::string::npos);
  EXPECT_EQ(baseline.find("/usr/share"), std::string::npos);
  EXPECT_EQ(baseline.find("/private/etc"), std::string::npos);
}

TEST(AsWritten, ARunIsRefusedAsBefore) {
  EXPECT_EQ(RefusalOf(Resolve(For(Containment::kSeatbelt), FakeHost{}, {})),
            "unsupported /containment: the 'seatbelt' backend is not available on Linux");
}

TEST(AsWritten, AnIntentIsNotPlanned) {
  Config config = For(Containment::kVm);
  config.intent = Intent::kVm;
  EXPECT_EQ(RefusalOf(Shown(config)), "unsupported /containment: the 'vm' backend is not available on Linux");
}

TEST(AsWritten, TheDesktopIsAClauseWhereThereIsOne) {
  Config config = For(Containment::kSeatbelt);
  config.ui = {.disabled = false, .disabled_pointer = "/ui/disable", .clipboard_pointer = "/ui/clipboard"};
  const Result<Policy> policy = Shown(config);
  ASSERT_TRUE(policy) << RefusalOf(policy);
  EXPECT_EQ(ClausesText(*policy),
            "/network: no network\n/ui/disable: windows\n/ui/clipboard: no clipboard\n");
}

}  // namespace
}  // namespace mxc::as_written_test
