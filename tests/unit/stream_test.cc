// A relayed stream whose source or target somebody else writes to, too.
#include "stdio/stream.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/fsuid.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "base/pipe.h"
#include "base/unique_fd.h"
#include "stdio/private_terminal.h"
#include "stdio/stream_target.h"

namespace mxc::stream_test {
namespace {

constexpr std::string_view kColour = "\x1b[31m";

class StreamToTerminal : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(::grantpt(user_.Get()) == 0 && ::unlockpt(user_.Get()) == 0);
    terminal_ = OpenInnerSide(user_.Get(), O_RDWR);
    other_ = OpenInnerSide(user_.Get(), O_WRONLY);
    ASSERT_TRUE(terminal_ && other_);
    termios modes{};
    ASSERT_EQ(::tcgetattr(terminal_.Get(), &modes), 0);
    ::cfmakeraw(&modes);
    ASSERT_EQ(::tcsetattr(terminal_.Get(), TCSANOW, &modes), 0);
  }
  // Writes into the terminal what the command has written.
  [[nodiscard]] Stream Relayed(std::string_view output) const {
    Result<Pipe> pipe = MakePipe();
    EXPECT_TRUE(pipe);
    EXPECT_EQ(::write(pipe->writing.Get(), output.data(), output.size()),
              static_cast<ssize_t>(output.size()));
    Stream stream({.source = std::move(pipe->reading), .target = terminal_.Get()});
    stream.OnSource(POLLIN);
    return stream;
  }
  [[nodiscard]] std::string Shown(int quiet_ms = 50) const {
    std::string shown;
    pollfd more{.fd = user_.Get(), .events = POLLIN, .revents = 0};
    while (::poll(&more, 1, quiet_ms) > 0) {
      std::array<char, 4096> buffer{};
      const ssize_t count = ::read(user_.Get(), buffer.data(), buffer.size());
      if (count <= 0) break;
      shown.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return shown;
  }
  [[nodiscard]] bool IsLocked() const {
    const bool locked = !LockTerminal(other_.Get());
    if (!locked) UnlockTerminal(other_.Get());
    return locked;
  }

  UniqueFd user_{::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)};
  UniqueFd terminal_, other_;
};

// As the other one could write the end of it.
TEST_F(StreamToTerminal, IsLockedWhileASequenceIsCut) {
  bool cut = false;
  for (std::size_t text = 0; text < kColour.size(); ++text) {
    std::string output(text, 'a');
    while (output.size() < 60000) output += kColour;
    Stream first = Relayed(output);
    const bool locked = IsLocked();
    std::string shown = Shown(500);
    ASSERT_LT(shown.size(), output.size());
    const std::size_t behind = (shown.size() + kColour.size() - text) % kColour.size();
    EXPECT_EQ(locked, behind != 0) << shown.size();
    cut = cut || locked;
    std::optional<Stream> second;
    if (locked) second.emplace(Relayed(output));
    for (Stream* stream : {&first, second ? &*second : &first}) {
      while (stream->PollTarget().events == POLLOUT) {
        stream->OnTarget(POLLOUT);
        shown += Shown();
      }
    }
    EXPECT_EQ(shown, locked ? output + output : output);
    EXPECT_FALSE(IsLocked());
  }
  EXPECT_TRUE(cut);
}

// It waits for a while, and ends what the other one has begun.
TEST_F(StreamToTerminal, DoesNotWaitForeverForAnotherOne) {
  ASSERT_TRUE(LockTerminal(other_.Get()));
  Stream stream = Relayed("6n");
  EXPECT_EQ(Shown(), "");
  while (stream.PollTarget().events == POLLOUT) stream.OnTarget(POLLOUT);
  EXPECT_EQ(Shown(), "\x1b\\6n");
  UnlockTerminal(other_.Get());
  EXPECT_FALSE(IsLocked());
}

// The tool that builds a sandbox says first why it cannot; what follows is moved unread.
TEST(Stream, KeepsTheFirstLine) {
  Result<Pipe> pipe = MakePipe();
  ASSERT_TRUE(pipe);
  const UniqueFd file{::memfd_create("target", MFD_CLOEXEC)};
  Stream stream(
      {.source = std::move(pipe->reading), .target = file.Get(), .filtered = false, .first_line = true});
  std::string all;
  for (const std::string part : {"tool: ", "no\n", "more\n", "and more"}) {
    ASSERT_EQ(::write(pipe->writing.Get(), part.data(), part.size()), static_cast<ssize_t>(part.size()));
    stream.OnSource(POLLIN);
    all += part;
  }
  EXPECT_EQ(stream.Head(), "tool: no\n");
  std::array<char, 64> buffer{};
  const ssize_t count = ::pread(file.Get(), buffer.data(), buffer.size(), 0);
  EXPECT_EQ(std::string(buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0))), all);
}

// The caller's pipe may be another user's, as in a container: then it cannot be opened again.
TEST(Stream, NeverWaitsForAPipeThatItCannotOpen) {
  constexpr int kPage = 4096;
  Result<Pipe> pipe = MakePipe();
  Result<Pipe> target = MakePipe();
  ASSERT_TRUE(pipe && target);
  ASSERT_EQ(::fcntl(target->writing.Get(), F_SETPIPE_SZ, 2 * kPage), 2 * kPage);
  ASSERT_EQ(::fchmod(target->writing.Get(), 0), 0);
  const std::string output(10 * kPage, 'x');
  ASSERT_EQ(::write(pipe->writing.Get(), output.data(), output.size()), static_cast<ssize_t>(output.size()));
  pipe->writing.Reset();

  ::setfsuid(65534);  // root may open it, whatever its mode
  Stream stream({.source = std::move(pipe->reading), .target = target->writing.Get()});
  ::setfsuid(::geteuid());
  std::size_t shown = 0;
  while (!stream.Finished()) {
    stream.OnSource(stream.PollSource().fd >= 0 ? POLLIN : 0);
    std::array<char, kPage> buffer{};
    const ssize_t count = ::read(target->reading.Get(), buffer.data(), buffer.size());
    ASSERT_GT(count, 0);
    shown += static_cast<std::size_t>(count);
    stream.OnTarget(POLLOUT);
  }
  target->writing.Reset();
  std::array<char, 3 * kPage> rest{};
  shown +=
      static_cast<std::size_t>(std::max<ssize_t>(::read(target->reading.Get(), rest.data(), rest.size()), 0));
  EXPECT_EQ(shown, output.size());
}

// Another run may have been given the pipe, and write into it for ever.
TEST(Stream, EndsWithWhatItsSourceHolds) {
  for (const bool filtered : {false, true}) {
    Result<Pipe> pipe = MakePipe();
    ASSERT_TRUE(pipe);
    const UniqueFd file{::memfd_create("target", MFD_CLOEXEC)};
    const int capacity = ::fcntl(pipe->writing.Get(), F_GETPIPE_SZ);
    ASSERT_GT(capacity, 0);
    ASSERT_EQ(::write(pipe->writing.Get(), "last", 4), 4);
    auto* const before = std::signal(SIGPIPE, SIG_IGN);
    Stream stream({.source = std::move(pipe->reading), .target = file.Get(), .filtered = filtered});
    std::thread other([writing = pipe->writing.Get(), capacity] {
      const std::string text(static_cast<std::size_t>(capacity), 'b');
      for (int i = 0; i < 1000 && ::write(writing, text.data(), text.size()) > 0; ++i) {
      }
    });
    stream.EndSource();
    while (!stream.Finished()) stream.OnSource(POLLIN);
    other.join();
    std::signal(SIGPIPE, before);
    struct stat status {};
    ASSERT_EQ(::fstat(file.Get(), &status), 0);
    EXPECT_GE(status.st_size, 4);
    EXPECT_LE(status.st_size, capacity) << filtered;
  }
}

}  // namespace
}  // namespace mxc::stream_test
