// Patterns in the filesystem lists.
#include "policy/paths/glob.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mxc/limits.h"
#include "tests/unit/policy_text.h"

namespace mxc::glob_test {
namespace {

TEST(GlobNames, StarAndQuestionMark) {
  EXPECT_TRUE(MatchesName("*", ".env"));
  EXPECT_TRUE(MatchesName("*.env*", "a.env.local"));
  EXPECT_TRUE(MatchesName("a*b*c", "aXbXbc"));
  EXPECT_FALSE(MatchesName("a*b*c", "aXbXcd"));
  EXPECT_TRUE(MatchesName("?x?", "axb"));
  EXPECT_FALSE(MatchesName("?", ""));
  EXPECT_TRUE(MatchesName("**", ""));
  EXPECT_FALSE(MatchesName("", "a"));
}

TEST(GlobNames, Sets) {
  EXPECT_TRUE(MatchesName("[a-c]1", "b1"));
  EXPECT_FALSE(MatchesName("[a-c]1", "d1"));
  EXPECT_TRUE(MatchesName("[!a-c]", "d"));
  EXPECT_FALSE(MatchesName("[^a-c]", "a"));
  EXPECT_TRUE(MatchesName("[]x]", "]"));
  EXPECT_TRUE(MatchesName("[a-]", "-"));
  EXPECT_TRUE(MatchesName("[\x80-\xff]", "\xc3"));
  EXPECT_TRUE(MatchesName("[ab", "[ab"));  // no set
}

TEST(GlobNames, CharactersAreThoseOfUtf8) {
  EXPECT_TRUE(MatchesName("a?b", "aäb"));
  EXPECT_TRUE(MatchesName("??", "€𐍈"));
  EXPECT_FALSE(MatchesName("?", "ab"));
  EXPECT_TRUE(MatchesName("[α-ω]", "λ"));
  EXPECT_FALSE(MatchesName("[!ä]", "ä"));
  EXPECT_TRUE(MatchesName("*é?", "caféß"));
  // A byte that belongs to no character is one.
  EXPECT_TRUE(MatchesName("a?b",
                          "a\xe4"
                          "b"));
  EXPECT_TRUE(MatchesName("a??b",
                          "a\xc3\xc3"
                          "b"));
  EXPECT_TRUE(MatchesName("?", "\xe2"));
}

TEST(GlobNames, BackslashTakesTheNextCharacterAsItIs) {
  EXPECT_TRUE(MatchesName("\\*", "*"));
  EXPECT_FALSE(MatchesName("\\*", "a"));
  EXPECT_TRUE(MatchesName("[*]", "*"));
  EXPECT_TRUE(MatchesName("a\\", "a\\"));
}

TEST(GlobNames, WhatIsAPattern) {
  EXPECT_TRUE(IsGlob("/srv/*"));
  EXPECT_TRUE(IsGlob("/srv/[id]/x"));
  EXPECT_FALSE(IsGlob("/srv/[id/x]"));
  EXPECT_TRUE(IsGlob("/srv/\\*"));
  EXPECT_FALSE(IsGlob("/srv/a\\b"));
  EXPECT_FALSE(IsGlob("/srv/[]"));
  EXPECT_EQ(GlobBase("/srv//a/*/b"), "/srv/a");
  EXPECT_EQ(GlobBase("/*"), "/");
}

class Globs : public testing::Test {
 protected:
  void SetUp() override {
    host_.AddDebian().AddFile("/srv/w/.env").AddFile("/srv/w/a/.env").AddFile("/srv/w/a/b/.env.local");
    host_.AddFile("/srv/w/a/b/main.c").AddDirectory("/srv/w/c");
  }
  [[nodiscard]] std::string Rules(const Lists& lists) const {
    const Result<Policy> policy = Resolve(ConfigOf(lists), host_, {});
    return policy ? RulesText(*policy) : RefusalOf(policy);
  }
  [[nodiscard]] std::string Warnings(const Lists& lists) const {
    const Result<Policy> policy = Resolve(ConfigOf(lists), host_, {});
    return policy ? WarningsText(*policy) : RefusalOf(policy);
  }

  FakeHost host_;  // NOLINT: the tests fill it
};

TEST_F(Globs, DeniedAtAnyDepth) {
  const Lists lists{.rw = {"/srv/w"}, .denied = {"/srv/w/**/.env*"}};
  EXPECT_EQ(Rules(lists),
            "read-write /srv/w\ndenied /srv/w/.env\ndenied /srv/w/a/.env\ndenied /srv/w/a/b/.env.local\n");
  EXPECT_EQ(Warnings(lists), "glob-snapshot /filesystem/deniedPaths/0\n");
}

TEST_F(Globs, InTheMiddleAndAtTheEnd) {
  EXPECT_EQ(Rules({.ro = {"/srv/*/a/*/main.?"}}), "read-only /srv/w/a/b/main.c\n");
  EXPECT_EQ(Rules({.ro = {"/srv/w/[ac]/**"}}), "read-only /srv/w/a\nread-only /srv/w/c\n");
  EXPECT_EQ(Rules({.ro = {"/srv/w/c/**"}}), "read-only /srv/w/c\n");
}

TEST_F(Globs, APatternWithoutAMatchIsAMissingPath) {
  EXPECT_EQ(Rules({.ro = {"/srv/w/*.key"}}), "");
  EXPECT_EQ(Warnings({.rw = {"/none/*"}, .ro = {"/srv/w/*.key"}}),
            "path-missing /filesystem/readwritePaths/0\npath-missing /filesystem/readonlyPaths/0\n");
}

// A name that is missing is held, if it is in a grant; what a pattern might mean is not.
TEST_F(Globs, ADenialWithoutAMatchIsTold) {
  EXPECT_EQ(Warnings({.ro = {"/srv/w"}, .denied = {"/srv/w/*.key", "/srv/w/none"}}),
            "glob-unmatched /filesystem/deniedPaths/0\n");
  EXPECT_EQ(Warnings({.rw = {"/srv/w"}, .denied = {"/srv/w/*.key"}}),
            "glob-unmatched /filesystem/deniedPaths/0\nglob-snapshot /filesystem/deniedPaths/0\n");
  host_.AddFile("/srv/w/*.key");
  EXPECT_EQ(Warnings({.ro = {"/srv/w"}, .denied = {"/srv/w/*.key"}}), "");
}

TEST_F(Globs, WriteAccessIsGivenByNameOnly) {
  host_.AddDirectory("/srv/w/[id]");
  EXPECT_EQ(Rules({.rw = {"/srv/*", "/srv/w/[id]"}}), "read-write /srv/w/[id]\n");
  EXPECT_EQ(Warnings({.rw = {"/srv/*"}}), "path-missing /filesystem/readwritePaths/0\n");
}

TEST_F(Globs, AFileOfExactlyThatNameIsTheGrant) {
  host_.AddFile("/srv/w/[id].tsx").AddFile("/srv/w/i.tsx");
  EXPECT_EQ(Rules({.ro = {"/srv/w/[id].tsx"}}), "read-only /srv/w/[id].tsx\n");
}

TEST_F(Globs, AFileCalledLikeAReadOnlyPatternOpensNoMatch) {
  host_.AddFile("/srv/w/conf/a.json").AddFile("/srv/w/conf/*.json").AddDirectory("/srv/w/**");
  EXPECT_EQ(Rules({.rw = {"/srv/w"}, .ro = {"/srv/w/conf/*.json"}}),
            "read-write /srv/w\nread-only /srv/w/conf/*.json\nread-only /srv/w/conf/a.json\n");
  EXPECT_EQ(Rules({.rw = {"/srv/w"}, .ro = {"/srv/w/**/a.json"}}),
            "read-write /srv/w\ndenied /srv/w/**/a.json (missing from /srv/w/**/a.json)\n"
            "read-only /srv/w/conf/a.json\n");
  host_.AddSymlink("/srv/w/?.txt", "/srv/w/conf").AddFile("/srv/w/b.txt");
  EXPECT_EQ(Rules({.rw = {"/srv/w"}, .ro = {"/srv/w/?.txt"}}), "read-write /srv/w\nread-only /srv/w/b.txt\n");
}

TEST_F(Globs, AFileOfExactlyThatNameDoesNotLiftADenial) {
  host_.AddFile("/srv/w/[id].tsx").AddFile("/srv/w/i.tsx").AddFile("/srv/w/*.env");
  EXPECT_EQ(Rules({.ro = {"/srv/w"}, .denied = {"/srv/w/[id].tsx", "/srv/w/*.env"}}),
            "read-only /srv/w\ndenied /srv/w/*.env\ndenied /srv/w/.env\ndenied /srv/w/[id].tsx\n"
            "denied /srv/w/i.tsx\n");
}

// As a framework names the directories of its routes, and the caller's directory may be one.
TEST_F(Globs, ADirectoryThatLooksLikeAPatternIsADirectory) {
  host_.AddFile("/srv/w/[id]/a.key").AddFile("/srv/w/[id]/b/c.key");
  EXPECT_EQ(Rules({.rw = {"/srv/w/[id]"}, .ro = {"/srv/w/[id]/setup.sh"}, .denied = {"/srv/w/[id]/.env"}}),
            "read-write /srv/w/[id]\n"
            "denied /srv/w/[id]/.env (missing from /srv/w/[id]/.env)\n"
            "denied /srv/w/[id]/setup.sh (missing from /srv/w/[id]/setup.sh)\n");
  EXPECT_EQ(Rules({.ro = {"/srv/w"}, .denied = {"/srv/w/[id]/**/*.key"}}),
            "read-only /srv/w\ndenied /srv/w/[id]/a.key\ndenied /srv/w/[id]/b/c.key\n");
  // Of a pattern that leads nowhere no name is held.
  EXPECT_EQ(Rules({.rw = {"/srv/w"}, .denied = {"/srv/w/*/none"}}), "read-write /srv/w\n");
}

TEST_F(Globs, APatternOfEverythingDoesNotEnterTheKernels) {
  host_.AddFile("/proc/1/a.key").AddFile("/dev/a.key").AddFile("/srv/a.key");
  EXPECT_EQ(Rules({.ro = {"/srv"}, .denied = {"/**/*.key"}}), "read-only /srv\ndenied /srv/a.key\n");
  EXPECT_EQ(Rules({.denied = {"/proc/*/a.key"}}), "denied /proc/1/a.key\n");
}

TEST_F(Globs, ALinkThatIsNamedLikeAPatternHoldsNoName) {
  host_.AddSymlink("/srv/w/[id]", "/srv/w/a");
  EXPECT_EQ(Rules({.rw = {"/srv/w"}, .denied = {"/srv/w/[id]/none"}}), "read-write /srv/w\n");
}

TEST_F(Globs, ABackslashInANameIsNoEscape) {
  host_.AddFile("/srv/w/a\\b/x.key");
  EXPECT_EQ(Below("/srv/w/a\\b", "/*.key"), "/srv/w/a\\\\b/*.key");
  for (const char* pattern : {"/srv/w/a\\\\b/*.key", "/srv/w/a\\b/*.key"})
    EXPECT_EQ(Rules({.ro = {"/srv/w"}, .denied = {pattern}}), "read-only /srv/w\ndenied /srv/w/a\\b/x.key\n");
}

TEST_F(Globs, GrantsLeaveOutLinksAndWhatTheCallerMayNotHave) {
  host_.AddSymlink("/srv/w/link", "/etc").AddNode("/srv/w/pipe", FileType::kFifo);
  host_.AddFile("/srv/w/foreign", "", {.readable = false});
  const Lists lists{.ro = {"/srv/w/*"}};
  EXPECT_EQ(Rules(lists), "read-only /srv/w/.env\nread-only /srv/w/a\nread-only /srv/w/c\n");
  EXPECT_EQ(Warnings(lists), "glob-skipped /filesystem/readonlyPaths/0\n");
}

TEST_F(Globs, DenialsFollowLinksButNotForEver) {
  host_.AddFile("/opt/x/secret").AddSymlink("/srv/w/to", "/opt").AddSymlink("/srv/w/a/up", "..");
  EXPECT_EQ(Rules({.ro = {"/"}, .denied = {"/srv/w/*/*/secret", "/srv/w/**/.env"}}),
            "read-only /\ndenied /opt/x/secret\ndenied /srv/w/.env\ndenied /srv/w/a/.env\n");
}

// Whoever may write there can plant links. None of them may keep a later run from starting.
TEST_F(Globs, LinksThatLeadToNoDirectoryAreNotSearched) {
  host_.SetCaller(0, 0);
  host_.AddFile("/srv/w/a/cli.js").AddSymlink("/srv/w/bin", "a/cli.js").AddSymlink("/srv/w/gone", "nope");
  host_.AddSymlink("/srv/w/loop", "loop").AddSymlink("/srv/w/c/behind", "../a/cli.js/x");
  host_.AddSymlink("/srv/w/kernel", "/proc/self/fd").AddNode("/srv/w/pipe", FileType::kFifo);
  host_.AddSymlink("/srv/w/topipe", "pipe");
  EXPECT_EQ(Rules({.rw = {"/srv/w"}, .denied = {"/srv/w/**/.env"}}),
            "read-write /srv/w\ndenied /srv/w/.env\ndenied /srv/w/a/.env\n");
}

TEST_F(Globs, MatchesThatAreLinksAreWhatTheyLeadTo) {
  host_.AddFile("/srv/w/real").AddSymlink("/srv/w/x/.env", "../real").AddFile("/etc/app.env");
  host_.AddSymlink("/srv/w/y/.env", "/etc/app.env");
  for (const char* nothing : {"nope", ".env", "../real/x", "/proc/self/environ", "/dev/fd", "/proc"}) {
    host_.AddSymlink("/srv/w/n/.env", nothing);
    EXPECT_EQ(Rules({.rw = {"/srv/w"}, .denied = {"/srv/w/*/.env"}}),
              "denied /etc/app.env\nread-write /srv/w\ndenied /srv/w/a/.env\ndenied /srv/w/real\n")
        << nothing;
  }
}

TEST_F(Globs, PlantedLinksDoNotDenyWhatEveryCommandNeeds) {
  host_.AddDirectory("/srv/w/deep/below").AddFile("/usr/bin/dash").AddSymlink("/usr/bin/sh", "dash");
  for (const char* vital :
       {"/", "..", ".", "/srv", "/srv/w", "/usr", "/bin/sh", "/etc", "/run", "../..", "/opt/tool"}) {
    host_.AddFile("/opt/tool").AddSymlink("/srv/w/deep/below/.cfg", vital);
    const Lists lists{.rw = {"/srv/w"}, .ro = {"/opt/tool"}, .denied = {"/srv/w/**/.cfg"}};
    EXPECT_EQ(Rules(lists), "read-only /opt/tool\nread-write /srv/w\n") << vital;
    EXPECT_EQ(Warnings(lists),
              "glob-skipped /filesystem/deniedPaths/0\nglob-snapshot /filesystem/deniedPaths/0\n")
        << vital;
  }
  // By a name of its own it is what the user means.
  EXPECT_EQ(Rules({.rw = {"/srv/w"}, .denied = {"/srv/w/deep"}}), "read-write /srv/w\ndenied /srv/w/deep\n");
}

// A name that is a pattern to us and a file to the command.
TEST_F(Globs, AFileOfExactlyThatNameIsJudgedAlike) {
  host_.AddSymlink("/srv/w/[ab].key", "/").AddSymlink("/srv/w/*.pem", "nope");
  EXPECT_EQ(Rules({.rw = {"/srv/w"}, .denied = {"/srv/w/[ab].key", "/srv/w/*.pem"}}), "read-write /srv/w\n");
}

// What the pattern spells out is the user's own, link or not; but what it leads to now is all there is to
// search.
TEST_F(Globs, ABaseThatIsNoDirectoryMatchesNothing) {
  host_.AddSymlink("/srv/w/tofile", "a/b/main.c").AddSymlink("/srv/w/todir", "a", {.uid = 1000});
  EXPECT_EQ(Rules({.rw = {"/srv/w"}, .denied = {"/srv/w/tofile/*", "/srv/w/none/*"}}), "read-write /srv/w\n");
  EXPECT_EQ(Rules({.rw = {"/srv/w"}, .denied = {"/srv/w/todir/*"}}),
            "read-write /srv/w\ndenied /srv/w/a/.env\ndenied /srv/w/a/b\n");
}

// The owner of the directory counts, not the owner of the link.
TEST_F(Globs, ALinkToAClosedDirectory) {
  host_.AddDirectory("/srv/theirs", {.mode = 0700, .readable = false});
  host_.AddDirectory("/srv/own", {.mode = 0300, .uid = 1000, .readable = false});
  host_.AddSymlink("/srv/w/out", "/srv/theirs", {.uid = 1000});
  EXPECT_EQ(Rules({.ro = {"/srv/w"}, .denied = {"/srv/w/**/.env"}}),
            "read-only /srv/w\ndenied /srv/w/.env\ndenied /srv/w/a/.env\n");
  host_.AddSymlink("/srv/w/out", "/srv/own", {.uid = 0});
  EXPECT_THAT(Rules({.ro = {"/srv/w"}, .denied = {"/srv/w/**/.env"}}),
              testing::HasSubstr("cannot be listed"));
}

TEST_F(Globs, TooManyMatchesAreRefused) {
  for (std::size_t i = 0; i <= kMaxGlobMatches; ++i) host_.AddFile("/srv/many/" + std::to_string(i));
  EXPECT_EQ(Rules({.ro = {"/srv/many/*"}}),
            "policy_conflict /filesystem/readonlyPaths/0: the pattern '/srv/many/*': it matches more than "
            "4096 paths");
  EXPECT_EQ(Rules({.ro = {"/srv/many/1?"}}).substr(0, 23), "read-only /srv/many/10\n");
}

TEST_F(Globs, DotsBehindAPattern) {
  EXPECT_EQ(Rules({.denied = {"/srv/w/*/./.env"}}), Rules({.denied = {"/srv/w/*/.env"}}));
  EXPECT_EQ(Rules({.denied = {"/srv/*/a/../.env"}}),
            "policy_conflict /filesystem/deniedPaths/0: the pattern '/srv/*/a/../.env': '..' cannot "
            "follow a pattern");
  EXPECT_EQ(Rules({.denied = {"/srv/w/../w/a/.e*"}}), "denied /srv/w/a/.env\n");
}

TEST_F(Globs, AnEscapedStarIsTheStarItself) {
  host_.AddFile("/srv/w/k*y").AddFile("/srv/w/key").AddFile("/srv/w/q\\?");
  EXPECT_EQ(Rules({.denied = {"/srv/w/k\\*y"}}), "denied /srv/w/k*y\n");
  EXPECT_EQ(Rules({.denied = {"/srv/w/q\\?"}}), "denied /srv/w/q\\?\n");  // called exactly so
}

// The command gets there step by step; nobody can name what is there.
TEST_F(Globs, WhatIsTooDeepToBeSearchedIsDeniedAsAWhole) {
  std::string deep = "/srv/w";
  for (int i = 0; i < 15; ++i) deep += "/" + std::string(199, 'd');
  host_.AddFile(deep + "/" + std::string(199, 'd') + "/.env");
  const std::string denied = Rules({.ro = {"/srv/w"}, .denied = {"/srv/w/**/.env"}});
  EXPECT_THAT(denied, testing::HasSubstr("denied " + deep + "\n"));
  EXPECT_EQ(Warnings({.ro = {"/srv/w/**/*.c"}}), "");
}

TEST_F(Globs, WhatCannotBeSearchedIsRefused) {
  host_.AddDirectory("/srv/w/closed", {.mode = 0300, .uid = 1000, .readable = false});
  EXPECT_EQ(
      Rules({.denied = {"/srv/w/**/.env"}}),
      "policy_conflict /filesystem/deniedPaths/0: the pattern '/srv/w/**/.env': not everything could be "
      "searched: '/srv/w/closed' cannot be listed");
}

TEST(Glob, ADirectoryWithABracketIsNoPattern) {
  EXPECT_EQ(Below("/srv/app[1]", "/*.env"), R"(/srv/app\[1]/*.env)");
  EXPECT_EQ(Below("/srv/app[1]", "/.env"), "/srv/app[1]/.env");
}

}  // namespace
}  // namespace mxc::glob_test
