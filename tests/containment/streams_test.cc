// Standard streams opened a second time: what the command gets is ours, and leads back to nobody.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <string>

#include "tests/containment/containment.h"
#include "tests/support/terminal.h"

namespace mxc::test::streams_test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

struct Ends {
  UniqueFd reading;
  UniqueFd writing;
};

class StreamsOpenedAgain : public ContainmentTest {
 protected:
  [[nodiscard]] Ends CallersPipe() const {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    EXPECT_EQ(::fchown(ends[0], uid, static_cast<gid_t>(-1)), 0);
    return {UniqueFd{ends[0]}, UniqueFd{ends[1]}};
  }
  // The stream `number` of the launcher is `fd`, borrowed.
  [[nodiscard]] Ended RunWith(int number, int fd, const std::string& command) {
    Launch launch = PrepareConfig({.command = command});
    launch.files = {{.borrowed_fd = fd, .number = number}};
    return Execute(launch);
  }
  static std::string Drained(const UniqueFd& fd) {
    ::fcntl(fd.Get(), F_SETFL, O_NONBLOCK);
    std::string text(65536, '\0');
    const ssize_t count = ::read(fd.Get(), text.data(), text.size());
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    return text;
  }
  [[nodiscard]] std::string TextOf(const std::string& name) const {
    return Contents(workspace.Path(name)).value_or("");
  }
};
MXC_FOR_EACH_CALLER_AND_ENGINE(StreamsOpenedAgain);

TEST_P(StreamsOpenedAgain, APipeOfInputTakesNoBytesForItsOtherReaders) {
  const Ends pipe = CallersPipe();
  ASSERT_EQ(::write(pipe.writing.Get(), "the rest\n", 9), 9);
  const Ended ended =
      RunWith(0, pipe.reading.Get(), "echo evil > /proc/self/fd/0; echo evil >> /dev/stdin; true");
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(Drained(pipe.reading), "the rest\n");
}

TEST_P(StreamsOpenedAgain, APipeOfOutputGivesNothingThatOthersSaid) {
  for (const int number : {1, 2}) {
    const Ends pipe = CallersPipe();
    ASSERT_EQ(::write(pipe.writing.Get(), "others\n", 7), 7);
    const std::string file = "/proc/self/fd/" + std::to_string(number);
    const Ended ended =
        RunWith(number, pipe.writing.Get(),
                "(exec 7<>" + file + " && timeout 0.3 cat <&7) >/tmp/read 2>&1; timeout 0.3 cat <" + file +
                    " >>/tmp/read 2>&1; grep -q others /tmp/read && exit 8; exit 9");
    EXPECT_EQ(ended.status, 9) << ended.err;
    EXPECT_THAT(Drained(pipe.reading), StartsWith("others\n"));
  }
}

TEST_P(StreamsOpenedAgain, ASocketGivesNothingBack) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  const UniqueFd ours{ends[0]};
  const UniqueFd theirs{ends[1]};
  ASSERT_EQ(::write(ours.Get(), "input\n", 6), 6);
  // Both directions are in one descriptor, of which the command got one.
  EXPECT_EQ(RunWith(1, theirs.Get(), "timeout 0.3 cat <&1; echo said").status, 0);
  EXPECT_EQ(Drained(ours), "said\n");
  EXPECT_EQ(Drained(theirs), "input\n");
}

TEST_P(StreamsOpenedAgain, AFileOfInputIsNotWritten) {
  const std::string path = workspace.File("input", "script\n");
  const UniqueFd file{::open(path.c_str(), O_RDWR | O_CLOEXEC)};
  const Ended ended =
      RunWith(0, file.Get(),
              "echo evil >> /proc/self/fd/0; echo evil >&0; chmod 777 /proc/self/fd/0; truncate -s 0 "
              "/proc/self/fd/0; exit 9");
  EXPECT_EQ(ended.status, 9) << ended.err;
  EXPECT_EQ(TextOf("input"), "script\n");
  struct stat status {};
  ASSERT_EQ(::fstat(file.Get(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0644U);
}

TEST_P(StreamsOpenedAgain, ALogThatIsAppendedToStaysWhatItWas) {
  const std::string path = workspace.File("log", token + "\n");
  for (const int number : {1, 2}) {
    const UniqueFd log{::open(path.c_str(), O_RDWR | O_APPEND | O_CLOEXEC)};
    const std::string fd = std::to_string(number);
    const Ended ended =
        RunWith(number, log.Get(),
                "truncate -s 0 /proc/self/fd/" + fd + "; : > /proc/self/fd/" + fd + "; echo added >&" + fd +
                    "; timeout 0.3 cat <&" + fd + " >&$((3 - " + fd + ")); true");
    EXPECT_THAT(ended.out + ended.err, Not(HasSubstr(token)));
  }
  EXPECT_THAT(TextOf("log"), StartsWith(token + "\nadded\n"));
}

// They are the whole host's, and root owns them.
TEST_P(StreamsOpenedAgain, ADeviceKeepsItsModeAndItsOwner) {
  struct stat before {};
  ASSERT_EQ(::stat("/dev/null", &before), 0);
  const UniqueFd null{::open("/dev/null", O_RDWR | O_CLOEXEC)};
  for (const int number : {0, 1, 2}) {
    const std::string fd = "/proc/self/fd/" + std::to_string(number);
    const Ended ended = RunWith(number, null.Get(),
                                "chmod 622 " + fd + "; chown 1 " + fd + "; touch -d @1 " + fd +
                                    "; cat <&0; echo said; echo said >&2; test -c " + fd + " || exit 9");
    EXPECT_EQ(ended.status, 0) << number << ended.err;
    struct stat after {};
    ASSERT_EQ(::stat("/dev/null", &after), 0);
    EXPECT_EQ(before.st_mode, after.st_mode);
    EXPECT_EQ(before.st_uid, after.st_uid);
    EXPECT_EQ(before.st_mtime, after.st_mtime);
  }
}

// With the access that it was given.
TEST_P(StreamsOpenedAgain, TheNullDeviceOfItsOwnerIsTheSandboxsOwn) {
  if (uid != 0) GTEST_SKIP() << "the caller does not own the device";
  if (GetParam().containment == "bubblewrap") GTEST_SKIP() << "bwrap hands over what the launcher has opened";
  for (const int access : {O_RDONLY, O_WRONLY, O_RDWR}) {
    const UniqueFd null{::open("/dev/null", access | O_CLOEXEC)};
    for (const char* const number : {"0", "1", "2"}) {
      const Ended ended =
          RunWith(std::atoi(number), null.Get(),
                  std::string("exec 7<>/dev/null; info=/proc/$$/fdinfo; test \"$(grep mnt_id ") + "$info/" +
                      number + ")\" = \"$(grep mnt_id $info/7)\" || exit 1; " + "grep -q '^flags:.*" +
                      std::to_string(access) + "$' $info/" + number);
      EXPECT_EQ(ended.status, 0) << number << ' ' << access << ended.err;
    }
  }
}

// The caller's terminal is some of the three streams. What is typed there is for somebody else, and its modes
// are theirs.
class PartOfATerminal : public ContainmentTest {
 protected:
  // `redirect` in the launcher, whose streams are all the terminal.
  void Run(const std::string& command, const std::function<void()>& redirect) {
    Launch launch = PrepareConfig({.command = command});
    launch.terminal = terminal.Fd();
    launch.before_exec = redirect;
    termios before{};
    ASSERT_EQ(::tcgetattr(terminal.Fd(), &before), 0);
    terminal.Type("typed\n");
    ended = Execute(launch);
    termios after{};
    ASSERT_EQ(::tcgetattr(terminal.Fd(), &after), 0);
    EXPECT_EQ(before.c_lflag, after.c_lflag);
    EXPECT_EQ(before.c_oflag, after.c_oflag);
    // A worker of the kernel's carries what was written: it is all there when this, written last, is.
    constexpr std::string_view kEnd = "<end>";
    ASSERT_EQ(::write(terminal.Fd(), kEnd.data(), kEnd.size()), static_cast<ssize_t>(kEnd.size()));
    shown = terminal.OutputUpTo(kEnd);
    shown.resize(std::min(shown.size(), shown.find(kEnd)));
  }
  static void Replace(int number, const char* path) { ::dup2(::open(path, O_RDWR), number); }

  const Terminal terminal;
  Ended ended;
  std::string shown;
};
MXC_FOR_EACH_CALLER_AND_ENGINE(PartOfATerminal);

TEST_P(PartOfATerminal, OutputAloneReadsNothing) {
  Run("test -t 1 && echo terminal; stty -echo -isig <&1; timeout 0.5 head -n 1 <&1; timeout 0.5 head -n 1 "
      "<&2; "
      "timeout 0.5 head -n 1 </proc/self/fd/1; stty -echo -F /proc/self/fd/1; true",
      [] { Replace(0, "/dev/null"); });
  EXPECT_THAT(shown, HasSubstr("terminal\n"));
  EXPECT_THAT(terminal.Typed(), HasSubstr("typed"));
}

TEST_P(PartOfATerminal, ErrorAloneReadsNothing) {
  Run("test -t 2 && echo terminal >&2; stty -echo <&2; timeout 0.5 head -n 1 <&2; true", [] {
    Replace(0, "/dev/null");
    Replace(1, "/dev/null");
  });
  EXPECT_THAT(shown, HasSubstr("terminal\n"));
  EXPECT_THAT(terminal.Typed(), HasSubstr("typed"));
}

// It would swallow, or hide, what is said behind it.
TEST_P(PartOfATerminal, WhatIsLeftOpenIsClosed) {
  const std::string plain =
      "\033\\\033\\\033<\033[4i\033]8;;\033\\\033(B\017\033[0;10m\033[2;3;4;20l\033[12h\033[?7;25h\033[?2026l"
      "\0337\033[?69l\033[r\0338";
  Run("printf 'X\\033[8m\\033['", [] { Replace(0, "/dev/null"); });
  EXPECT_THAT(shown, EndsWith("X\x1b[8m" + plain)) << "a sequence without its end is dropped";
  Run("printf 'X\\033kt'", [] {});
  EXPECT_THAT(shown, EndsWith("X\x1bkt" + plain));
  Run("printf 'X\\033['; printf 'Y\\033[?7l\\033[999C' >&2", [] { Replace(1, "/dev/null"); });
  EXPECT_THAT(shown, EndsWith("Y\x1b[?7l\x1b[999C" + plain));
  Run("printf 'X\\033[?1049hfull'", [] {});
  EXPECT_THAT(shown, EndsWith("full\x1b\\\x1b\\\x1b<\x1b[4i\x1b[?1049l" + plain.substr(10)));
  Run("printf 'X\\033[1mY\\033[m'", [] {});
  EXPECT_THAT(shown, EndsWith("\x1b[1mY\x1b[m"));
}

TEST_P(PartOfATerminal, InputAloneIsReadAndNotChanged) {
  Run("head -n 1 >&2; stty -echo; echo no > /proc/self/fd/0; true", [] { Replace(1, "/dev/null"); });
  EXPECT_THAT(shown, HasSubstr("typed\n"));
  EXPECT_THAT(shown, Not(HasSubstr("no\n")));
}

}  // namespace
}  // namespace mxc::test::streams_test
