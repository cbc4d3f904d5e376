// Queries to the caller's terminal, whose answers are typed to whoever reads it.
#include <gmock/gmock.h>
#include <unistd.h>

#include <string>

#include "tests/support/launcher_test.h"
#include "tests/support/terminal.h"

namespace mxc::test::terminal_answers_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Of the command, and of mxc-exec itself.
constexpr const char* kAsked = "\x1b[6n";
constexpr const char* kAskedToo = "\x1b[5n";
const auto kNothingAsked = AllOf(Not(HasSubstr(kAsked)), Not(HasSubstr(kAskedToo)));

class TerminalAnswers : public LauncherTest {
 protected:
  [[nodiscard]] std::string Line(const std::string& command) const {
    const std::string name = std::to_string(++lines_) + ".json";
    const Launch launch =
        Prepare({workspace.File(name, ConfigText({.command = command}, GetParam().containment))});
    std::string line = "'" + launch.program + "'";
    for (const std::string& argument : launch.arguments) line += " '" + argument + "'";
    return line;
  }
  // All that is shown until the script, which a shell runs in the terminal, has ended.
  [[nodiscard]] std::string Shown(const std::string& script) const {
    Launch launch;
    launch.uid = uid;
    launch.program = "/bin/sh";
    launch.arguments = {"-c", script + "; echo shell-over; sleep 60"};
    launch.terminal = terminal.Fd();
    const Running shell(launch);
    const std::string shown = terminal.OutputUpTo("shell-over");
    EXPECT_THAT(shown, HasSubstr("shell-over"));
    return shown;
  }

  Terminal terminal{uid};

 private:
  mutable int lines_ = 0;
};
MXC_FOR_EACH_CALLER_AND_ENGINE(TerminalAnswers);

constexpr const char* kAsks = R"(printf 'a\033[1mb\033[6nc\033[md\033[')";
const std::string kAsksOnError = std::string(kAsks) + " >&2";
constexpr const char* kShownWithout = "a\x1b[1mbc\x1b[md";

TEST_P(TerminalAnswers, AJobInTheForegroundAsks) {
  const std::string shown = Shown(Line(kAsks));
  EXPECT_THAT(shown, HasSubstr("a\x1b[1mb\x1b[6nc\x1b[md"));
  EXPECT_THAT(shown, HasSubstr(kAskedToo));
}

// The answer would be input of the shell.
TEST_P(TerminalAnswers, AJobInTheBackgroundAsksNothing) {
  for (const char* const input : {"", " </dev/null"})
    EXPECT_THAT(Shown("set -m; " + Line(kAsks) + input + " & wait $!"),
                AllOf(HasSubstr(kShownWithout), kNothingAsked));
}

// The other program of the job may read the terminal, as less does.
TEST_P(TerminalAnswers, AProgramOfAPipelineAsksNothing) {
  for (const char* const script : {" | cat", " </dev/null | cat"})
    EXPECT_THAT(Shown(Line(kAsksOnError) + script), AllOf(HasSubstr(kShownWithout), kNothingAsked));
  EXPECT_THAT(Shown("true | " + Line(kAsks)), AllOf(HasSubstr(kShownWithout), kNothingAsked));
}

TEST_P(TerminalAnswers, HalvesOfTwoRunsDoNotJoin) {
  EXPECT_THAT(Shown(Line(R"(printf '\033['; sleep 2)") + " </dev/null & sleep 1; " +
                    Line(R"(printf '6n'; sleep 2)") + " </dev/null; wait"),
              AllOf(HasSubstr("6n"), kNothingAsked));
}

TEST_P(TerminalAnswers, HalvesOfTwoStreamsDoNotJoin) {
  // One terminal has one stream: the query is whole, and refused whole.
  EXPECT_THAT(Shown(Line(R"(printf 'a\033['; sleep 0.3; printf 6n >&2; sleep 0.3; printf b)") +
                    " </dev/null >/dev/tty"),
              AllOf(HasSubstr("ab"), kNothingAsked));
}

// What reads there is unknown.
TEST_P(TerminalAnswers, ATerminalThatIsNotTheControllingOneIsAskedNothing) {
  const Terminal other{uid};
  const std::string name = ::ttyname(other.Fd());
  for (const std::string& streams : {" </dev/null >" + name + " 2>/dev/null", " <>" + name + " >&0 2>&0"}) {
    const std::string shown = Shown(Line(kAsks) + streams);
    EXPECT_THAT(shown, kNothingAsked);
    EXPECT_THAT(other.OutputUpTo("c\x1b[md"), AllOf(HasSubstr(kShownWithout), kNothingAsked));
  }
}

}  // namespace
}  // namespace mxc::test::terminal_answers_test
