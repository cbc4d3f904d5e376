#include "base/plain_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mxc::test::plain_command_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<Variable> With(const char* name, const char* value) {
  return {{.name = "PATH", .value = Secret("/usr/bin:/bin")}, {.name = name, .value = Secret(value)}};
}
const std::vector<Variable> kPlain = With("HOME", "/tmp/home");

TEST(PlainCommand, IsSplitAtItsBlanks) {
  EXPECT_THAT(PlainCommand("/bin/true", {}), ElementsAre("/bin/true"));
  EXPECT_THAT(PlainCommand(" \tnpm  run\tlint:fix ", kPlain), ElementsAre("npm", "run", "lint:fix"));
  EXPECT_THAT(PlainCommand("git -c user.name=me+x@y.z log -n1,2 --format=%H", kPlain), IsEmpty());  // %
  EXPECT_THAT(PlainCommand("git -c user.name=me+x@y.z log", kPlain),
              ElementsAre("git", "-c", "user.name=me+x@y.z", "log"));
  EXPECT_THAT(PlainCommand("./configure --prefix=/tmp/a_b", {}),
              ElementsAre("./configure", "--prefix=/tmp/a_b"));
}

class TheShells : public ::testing::TestWithParam<const char*> {};

TEST_P(TheShells, LineIsLeftToIt) { EXPECT_THAT(PlainCommand(GetParam(), kPlain), IsEmpty()); }

INSTANTIATE_TEST_SUITE_P(Lines, TheShells,
                         ::testing::Values("", " \t", "a 'b'", "a \"b\"", "a\\ b", "a $HOME", "a `b`", "a; b",
                                           "a & b", "a | b", "a > b", "a < b", "(a)", "{ a", "a *", "a ?",
                                           "a [b]", "a ~", "a # b", "! a", "a\nb", "a\rb", "a \xc3\xa4",
                                           "A=1 b", "/x=y", "cd /tmp", "exec a", "true", "[ a ]", "while a",
                                           "fi", ". a", ": a", "%1"));

TEST(PlainCommand, EveryBuiltinIsTheShells) {
  for (const char* word :
       {"alias",   "bg",    "break", "case",   "cd",   "chdir",   "command",  "continue", "do",
        "done",    "echo",  "elif",  "else",   "esac", "eval",    "exec",     "exit",     "export",
        "false",   "fc",    "fg",    "fi",     "for",  "getopts", "hash",     "if",       "in",
        "jobs",    "kill",  "local", "printf", "pwd",  "read",    "readonly", "return",   "set",
        "shift",   "test",  "then",  "times",  "trap", "true",    "type",     "ulimit",   "umask",
        "unalias", "unset", "until", "wait",   "while"}) {
    EXPECT_THAT(PlainCommand(std::string(word) + " a", kPlain), IsEmpty()) << word;
  }
}

TEST(PlainCommand, PathMustLeadToDirectories) {
  EXPECT_THAT(PlainCommand("npm", {}), IsEmpty());
  for (const char* path : {"", "/bin:", ":/bin", "/a::/b", "bin", "/bin:bin", "/bin%func"}) {
    EXPECT_THAT(PlainCommand("npm", {{.name = "PATH", .value = Secret(path)}}), IsEmpty()) << path;
    EXPECT_THAT(PlainCommand("/bin/npm", {{.name = "PATH", .value = Secret(path)}}), ElementsAre("/bin/npm"));
  }
}

TEST(FirstProgram, IsLookedUpOnPath) {
  for (const char* line : {"npm", " npm test", "npm 'a' && b", "npm|b", "npm;b", "npm>x", "npm\tx", "npm\nb"})
    EXPECT_EQ(FirstProgram(line, kPlain), "npm") << line;
  for (const char* line :
       {"", " ", "./npm", "/npm", "cd x", "A=1 npm", "'npm'", "n\\pm", "$npm", "npm() { b; }", "(npm)",
        "! npm", "{ npm; }", "npm\xc3\xa4", "npm*", "npm\"x\"", "\nnpm"}) {
    EXPECT_EQ(FirstProgram(line, kPlain), "") << line;
  }
  EXPECT_EQ(FirstProgram("npm", {}), "");
}

TEST(PlainCommand, EnvironmentMustPassTheShellUnchanged) {
  for (const char* name : {"IFS", "LINENO", "OPTIND", "PPID", "npm-config", "1A", "a.b", ""}) {
    EXPECT_THAT(PlainCommand("/bin/true", With(name, "x")), IsEmpty()) << name;
  }
}

TEST(PlainCommand, LongLinesAreTheShells) {
  EXPECT_THAT(PlainCommand(std::string(4096, 'a') + " b", kPlain), IsEmpty());
}

}  // namespace
}  // namespace mxc::test::plain_command_test
