// Which output a terminal answers, and that the answers do not stay for the caller's shell.
#include "stdio/terminal_queries.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>

#include "base/unique_fd.h"
#include "stdio/private_terminal.h"

namespace mxc::terminal_queries_test {
namespace {

// In one piece and byte by byte.
bool Asks(std::string_view output) {
  TerminalQueries whole;
  whole.Feed(output);
  TerminalQueries split;
  for (const char byte : output) split.Feed({&byte, 1});
  EXPECT_EQ(whole.Seen(), split.Seen()) << output;
  return whole.Seen();
}

TEST(TerminalQueries, WhatATerminalAnswers) {
  for (const std::string_view asked : {"\x1b[c",
                                       "\x1b[0c",
                                       "\x1b[>c",
                                       "\x1b[=c",
                                       "\x1b[5n",
                                       "text\x1b[6n",
                                       "\x1b[?6n",
                                       "\x1b[18t",
                                       "\x1b[?25$p",
                                       "\x1b[1;1;1;1;1;1*y",
                                       "\x1b[x",
                                       "\x1b[?u",
                                       "\x1b[>q",
                                       "\x1b[?1;1S",
                                       "\x1bZ",
                                       "\x1b]11;?\x07",
                                       "\x1b]52;c;?\x1b\\",
                                       "\x1b]4;1;?\x1b\\",
                                       "\x1bP+q544e\x1b\\",
                                       "\x1bP$qm\x1b\\",
                                       "\x1b_Gi=1,a=q\x1b\\",
                                       "\x05",
                                       "\x9b"
                                       "c",
                                       "\xc2\x9b"
                                       "6n",
                                       "\x1b[\n5n",
                                       "\x1b[1\x1b[6n",
                                       "\x1b]0;t\x1b[6n"})
    EXPECT_TRUE(Asks(asked)) << asked.substr(1);
}

TEST(TerminalQueries, WhatIsSilent) {
  for (const std::string_view silent :
       {"", "text\n", "\x1b[1;31mred\x1b[m", "\x1b[2J\x1b[H", "\x1b[?25l\x1b[?1049h\x1b[?2004h",
        "\x1b]0;title\x07?", "\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\",
        "\x1b"
        "7\x1b"
        "8\x1b=\x1b>\x1b(B\x1b)0",
        "\x1b[10;20r\x1b[s", "\xe2\x9c\x93 done?"})
    EXPECT_FALSE(Asks(silent)) << silent;
}

// In one piece and byte by byte.
std::string Closing(std::string_view output) {
  TerminalQueries whole;
  whole.Feed(output);
  TerminalQueries split;
  for (const char byte : output) split.Feed({&byte, 1});
  EXPECT_EQ(whole.Closing(), split.Closing()) << output;
  return std::string(whole.Closing());
}

TEST(TerminalQueries, WhatIsLeftOpenIsClosed) {
  const std::string plain = Closing("\x1b");
  ASSERT_NE(plain, "");
  for (const std::string_view open : {"\x1b[",
                                      "text\x1b[6",
                                      "\x1b]0;title",
                                      "\x1b]0;\xc3\x9c",
                                      "\x1b]0;t\x1b",
                                      "\x1bP+q",
                                      "\x1bPa\x07",
                                      "\x1b(",
                                      "\x9b",
                                      "\xc2\x9b",
                                      "\x9d"
                                      "0;t",
                                      "\x1b[6nfirst\x1b[",
                                      "\x1b_x",
                                      "\x1b[1\x1b[",
                                      "\x1bkt",
                                      "\x1b!t",
                                      "\xc2\x98t",
                                      "\xc2\x9et",
                                      "\xc2\x9ft",
                                      "\x1bP\x18",
                                      "\x1b]0;title\x07"})
    EXPECT_EQ(Closing(open), plain) << open.substr(1);
  for (const std::string_view set : {"\x1b[8m", "\x1b[0;31mred\n", "\x1b[m\x1b[38;5;0m", "\x1b[12m\x1b[m",
                                     "\x9b"
                                     "8m",
                                     "\x1b[8m\xc3\x9bm", "\x1b[6n\x1b[7m", "\x1b[?7l\x1b[999C", "\x1b[5i",
                                     "\x1b(0", "\x1b)0\x0e", "\x0e", "\x1b[\x0em", "\x1b[?25l", "\x1b[4h",
                                     "\x1b[1;2r", "\x1b[?2l", "\x1b[>4;1m", "\x1b]8;;http://a\x1b\\link"})
    EXPECT_EQ(Closing(set), plain) << set.substr(1);
}

// It goes before all that moves the cursor: it may move it itself.
TEST(TerminalQueries, TheAlternateScreenIsLeft) {
  const std::string leave = "\x1b[?1049l";
  for (const std::string_view entered : {"\x1b[?1049h", "\x1b[?25;1049h\x1b[2J", "\x1b[?47h", "\x1b[?1047;7h",
                                         "\x1b[?1049l\x1b[?1049h\x1b[?1049$p\x1b[?25l"})
    EXPECT_NE(Closing(entered).find(leave), std::string::npos) << entered.substr(1);
  for (const std::string_view left : {"\x1b[?1049h\x1b[?1049l", "\x1b[?1049h\x1b[?1049;25l",
                                      "\x1b[?1049h\x1b"
                                      "c",
                                      "\x1b[1049h", "\x1b[?10490h", "\x1b[?25l"})
    EXPECT_EQ(Closing(left).find(leave), std::string::npos) << left.substr(1);
}

TEST(TerminalQueries, WhatIsClosedStaysAsItIs) {
  for (const std::string_view closed : {"", "text\n", "a\tb\r\n\x07\x08\x0c", "\xc3\xa9",
                                        "\x1b[1;31mred\x1b[m", "\x1b[1mbold\x1b[0m", "\x1b[\x18"})
    EXPECT_EQ(Closing(closed), "") << closed;
}

TEST(TerminalQueries, AnswersDoNotStay) {
  const UniqueFd user{::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)};
  ASSERT_TRUE(::grantpt(user.Get()) == 0 && ::unlockpt(user.Get()) == 0);
  const UniqueFd terminal = OpenInnerSide(user.Get(), O_RDWR);
  ASSERT_TRUE(terminal);
  std::thread screen([&] {
    std::string shown;
    char byte = 0;
    while (shown.find("\x1b[5n") == std::string::npos && ::read(user.Get(), &byte, 1) == 1) shown += byte;
    constexpr std::string_view kAnswers = "\x1b[?62;22c\x1b[24;80R\x1b[0n";
    EXPECT_EQ(::write(user.Get(), kAnswers.data(), kAnswers.size()), static_cast<ssize_t>(kAnswers.size()));
  });
  DiscardAnswers(terminal.Get());
  screen.join();
  termios modes{};
  ASSERT_EQ(::tcgetattr(terminal.Get(), &modes), 0);
  EXPECT_NE(modes.c_lflag & ICANON, 0U);
  ::cfmakeraw(&modes);
  ASSERT_EQ(::tcsetattr(terminal.Get(), TCSANOW, &modes), 0);
  pollfd left{.fd = terminal.Get(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&left, 1, 0), 0);
}

}  // namespace
}  // namespace mxc::terminal_queries_test
