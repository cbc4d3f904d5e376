// The relay between the caller's streams and the command's: nothing but the copy itself may tell them from
// the caller's own.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string>

#include "tests/support/launcher_test.h"

namespace mxc::test::relayed_streams_test {
namespace {

using testing::HasSubstr;

struct Ends {
  UniqueFd reading;
  UniqueFd writing;
};

class RelayedStreams : public LauncherTest {
 protected:
  // Open to both callers, as an inherited pipe is.
  static Ends MakePipe(int (*make)(int*) = [](int* ends) { return ::pipe2(ends, O_CLOEXEC); }) {
    std::array<int, 2> ends{-1, -1};
    EXPECT_EQ(make(ends.data()), 0);
    return {UniqueFd{ends[0]}, UniqueFd{ends[1]}};
  }
  [[nodiscard]] Launch With(int number, int borrowed_fd, const std::string& command) const {
    Launch launch = PrepareConfig({.command = command});
    launch.files = {{.borrowed_fd = borrowed_fd, .number = number}};
    return launch;
  }
  static std::string Rest(int fd) {
    ::fcntl(fd, F_SETFL, O_NONBLOCK);
    std::string text(4096, '\0');
    const ssize_t count = ::read(fd, text.data(), text.size());
    text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return text;
  }
};
MXC_FOR_EACH_CALLER_AND_ENGINE(RelayedStreams);

constexpr std::string_view kLines = "one\ntwo\nthree\n";

TEST_P(RelayedStreams, InputThatIsNotReadStaysTheCallers) {
  for (const auto& [command, out, rest] :
       {std::array<std::string, 3>{"true", "", std::string(kLines)},
        std::array<std::string, 3>{"read line; echo $line", "one\n", "two\nthree\n"},
        std::array<std::string, 3>{"cat", std::string(kLines), ""}}) {
    Ends pipe = MakePipe();
    ASSERT_EQ(::write(pipe.writing.Get(), kLines.data(), kLines.size()), static_cast<ssize_t>(kLines.size()));
    pipe.writing.Reset();
    EXPECT_EQ(Execute(With(0, pipe.reading.Get(), command)).out, out);
    EXPECT_EQ(Rest(pipe.reading.Get()), rest) << command;
  }
}

TEST_P(RelayedStreams, OfASocketToo) {
  const Ends socket =
      MakePipe([](int* ends) { return ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends); });
  ASSERT_EQ(::write(socket.writing.Get(), kLines.data(), kLines.size()), static_cast<ssize_t>(kLines.size()));
  EXPECT_EQ(Execute(With(0, socket.reading.Get(), "read line; echo $line")).out, "one\n");
  EXPECT_EQ(Rest(socket.reading.Get()), "two\nthree\n");
}

TEST_P(RelayedStreams, TheOffsetOfAFileIsBehindWhatWasRead) {
  const std::string path = workspace.File("input", kLines);
  const UniqueFd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  EXPECT_EQ(Execute(With(0, file.Get(), "true")).out, "");
  EXPECT_EQ(Execute(With(0, file.Get(), "read line; echo $line")).out, "one\n");
  EXPECT_EQ(Execute(With(0, file.Get(), "read line; echo $line")).out, "two\n");
  EXPECT_EQ(::lseek(file.Get(), 0, SEEK_CUR), 8);
  EXPECT_EQ(Execute(With(0, file.Get(), "cat")).out, "three\n");
  EXPECT_EQ(Execute(With(0, file.Get(), "cat")).out, "");
}

TEST_P(RelayedStreams, MuchInputArrivesWhole) {
  const std::string path = workspace.File("input", std::string(9000000, 'x') + "end");
  Launch launch = PrepareConfig({.command = "md5sum"});
  launch.input = *Contents(path);
  const std::string sum = Execute(launch).out;
  EXPECT_EQ(sum, Execute({.program = "/usr/bin/md5sum", .input = launch.input}).out);
  const UniqueFd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  EXPECT_EQ(Execute(With(0, file.Get(), "md5sum")).out, sum);
  EXPECT_EQ(::lseek(file.Get(), 0, SEEK_CUR), 9000003);
}

// A pipe grows for a stream, unless somebody has chosen its size.
TEST_P(RelayedStreams, MuchOutputArrivesWholeThroughALargerPipe) {
  for (const auto& [chosen, size] : {std::array{0, 262144}, std::array{131072, 131072}}) {
    Ends pipe = MakePipe();
    if (chosen != 0) {
      ASSERT_EQ(::fcntl(pipe.writing.Get(), F_SETPIPE_SZ, chosen), chosen);
    }
    Running running(With(1, pipe.writing.Get(), "head -c 5000000 /dev/zero; echo end"));
    pipe.writing.Reset();
    std::string text;
    std::string part(65536, '\0');
    for (ssize_t count = 1; count > 0 && !text.ends_with("end\n");) {
      count = ::read(pipe.reading.Get(), part.data(), part.size());
      text.append(part, 0, count > 0 ? static_cast<std::size_t>(count) : 0);
    }
    EXPECT_TRUE(text == std::string(5000000, '\0') + "end\n") << text.size();
    EXPECT_EQ(::fcntl(pipe.reading.Get(), F_GETPIPE_SZ), size);
    EXPECT_EQ(running.Wait().status, 0);
  }
}

TEST_P(RelayedStreams, OutputAndErrorOfOnePipeKeepTheirOrder) {
  std::string expected;
  for (int i = 1; i <= 300; ++i) expected += "o" + std::to_string(i) + "\ne" + std::to_string(i) + "\n";
  Launch launch =
      PrepareConfig({.command = "i=1; while [ $i -le 300 ]; do echo o$i; echo e$i >&2; i=$((i+1)); done"});
  launch.before_exec = [] { ::dup2(1, 2); };
  EXPECT_EQ(Execute(launch).out, expected);
}

TEST_P(RelayedStreams, AReaderThatGoesAwayEndsTheCommand) {
  Ends pipe = MakePipe();
  Launch launch = With(1, pipe.writing.Get(), "exec yes");
  Running running(launch);
  pipe.writing.Reset();
  char byte = 0;
  EXPECT_EQ(::read(pipe.reading.Get(), &byte, 1), 1);
  pipe.reading.Reset();
  EXPECT_EQ(running.Wait().status, 128 + SIGPIPE);
}

TEST_P(RelayedStreams, AReaderThatIsGoneAlreadyEndsItAtItsFirstWord) {
  const std::string place = workspace.Directory("rw");
  Ends pipe = MakePipe();
  Launch launch =
      PrepareConfig({.command = "sleep 0.2; echo first; touch " + place + "/second", .read_write = {place}});
  launch.files = {{.borrowed_fd = pipe.writing.Get(), .number = 1}};
  Running running(launch);
  pipe.reading.Reset();
  EXPECT_EQ(running.Wait().status, 128 + SIGPIPE);
  EXPECT_FALSE(Exists(place + "/second"));
}

TEST_P(RelayedStreams, WhatWasWrittenBeforeTheEndArrivesAfterIt) {
  Ends pipe = MakePipe();
  Running running(With(1, pipe.writing.Get(), "head -c 120000 /dev/zero"));
  pipe.writing.Reset();
  ::usleep(300000);
  std::string text;
  std::string part(65536, 'x');
  for (ssize_t count = 1; count > 0;
       text.append(part, 0, static_cast<std::size_t>(std::max<ssize_t>(count, 0))))
    count = ::read(pipe.reading.Get(), part.data(), part.size());
  EXPECT_TRUE(text == std::string(120000, '\0')) << text.size();
  EXPECT_EQ(running.Wait().status, 0);
}

TEST_P(RelayedStreams, OutputThatCannotBeWrittenIsAnError) {
  const std::string path = workspace.File("out", "");
  Launch launch = PrepareConfig({.command = "head -c 20000 /dev/zero; exit 0"});
  launch.before_exec = [path] {
    ::dup2(::open(path.c_str(), O_WRONLY), 1);
    const rlimit few{.rlim_cur = 10000, .rlim_max = 10000};
    ::setrlimit(RLIMIT_FSIZE, &few);
  };
  const Ended ended = Execute(launch);
  EXPECT_EQ(ended.status, 255);
  EXPECT_THAT(EnvelopeMessage(ended), HasSubstr("standard output could not be written: File too large"));
}

// bwrap and lxc-start themselves keep the streams of their command open.
TEST_P(RelayedStreams, AStreamThatTheCommandClosesEndsForTheCaller) {
  if (GetParam().containment != "namespaces") GTEST_SKIP() << "the tool keeps them open until the end";
  Ends out = MakePipe();
  Ends in = MakePipe();
  Launch launch = PrepareConfig({.command = "exec <&- >&-; exec sleep 20"});
  launch.files = {{.borrowed_fd = in.reading.Get(), .number = 0},
                  {.borrowed_fd = out.writing.Get(), .number = 1}};
  Running running(launch);
  out.writing.Reset();
  in.reading.Reset();
  char byte = 0;
  EXPECT_EQ(::read(out.reading.Get(), &byte, 1), 0);
  ::signal(SIGPIPE, SIG_IGN);
  EXPECT_TRUE(Eventually([&] { return ::write(in.writing.Get(), "x", 1) < 0 && errno == EPIPE; }));
  running.Signal(SIGTERM);
  EXPECT_EQ(running.Wait().status, 128 + SIGTERM);
}

}  // namespace
}  // namespace mxc::test::relayed_streams_test
