#include <fcntl.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "stdio/terminal_queries.h"

namespace mxc {
namespace {

constexpr std::uint8_t kEnquiry = 0x05;
constexpr std::uint8_t kBell = 0x07;
constexpr std::uint8_t kCancel = 0x18;
constexpr std::uint8_t kEscapeByte = 0x1b;
// C1 controls of one byte, which terminals also take in the encoding of UTF-8, where it is the last byte.
constexpr std::uint8_t kDcs = 0x90;
constexpr std::uint8_t kDecId = 0x9a;
constexpr std::uint8_t kCsi = 0x9b;
constexpr std::uint8_t kStringEnd = 0x9c;
constexpr std::uint8_t kOsc = 0x9d;

// ECMA-48 and the "XTerm Control Sequences": what moves, erases, scrolls, selects and sets.
constexpr std::string_view kSilent = "@ABCDEFGHIJKLMPSTXZ`abdefghlmrs";
constexpr std::string_view kSilentPrivate = "JKhlm";

constexpr std::string_view kQuestion = "\x1b[5n";
constexpr std::string_view kAnswer = "\x1b[0n";
constexpr int kLongestMs = 500;
constexpr int kQuietMs = 50;  // behind an answer like ours: the command may have asked the same

int LeftMs(std::chrono::steady_clock::time_point end) {
  using std::chrono::milliseconds;
  const auto left = std::chrono::duration_cast<milliseconds>(end - std::chrono::steady_clock::now());
  return static_cast<int>(std::max<milliseconds::rep>(left.count(), 0));
}

bool Waited(int terminal, short events, int milliseconds) {
  pollfd ready{.fd = terminal, .events = events, .revents = 0};
  return ::poll(&ready, 1, milliseconds) > 0 && (ready.revents & events) != 0;
}

// A read from the terminal of another job would stop this one, and take what is typed for it.
bool IsOurs(int terminal) {
  const pid_t foreground = ::tcgetpgrp(terminal);
  return foreground < 0 || foreground == ::getpgrp();
}

// One byte at a time: what is typed behind the last answer stays.
void DropAnswers(int terminal) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(kLongestMs);
  std::string last;
  bool answered = false;
  for (;;) {
    const int left = LeftMs(end);
    char byte = 0;
    if (!Waited(terminal, POLLIN, answered ? std::min(left, kQuietMs) : left)) return;
    if (::read(terminal, &byte, 1) != 1) return;
    last += byte;
    if (last.size() > kAnswer.size()) last.erase(0, 1);
    answered = answered || last == kAnswer;
  }
}

}  // namespace

void TerminalQueries::Feed(std::string_view output) {
  for (std::size_t i = 0; i < output.size() && !seen_; ++i) Next(static_cast<std::uint8_t>(output[i]));
}

void TerminalQueries::Next(std::uint8_t byte) {
  if (byte == kEnquiry) seen_ = true;
  if (byte == kCancel) state_ = State::kText;
  switch (state_) {
    case State::kText:
      return InText(byte);
    case State::kEscape:
      return InEscape(byte);
    case State::kControl:
      return InControl(byte);
    case State::kString:
    case State::kStringEscape:
      return InString(byte);
  }
}

void TerminalQueries::InText(std::uint8_t byte) {
  if (byte == kEscapeByte) state_ = State::kEscape;
  if (byte == kOsc) state_ = State::kString;
  if (byte == kDcs || byte == kDecId) seen_ = true;
  if (byte != kCsi) return;
  state_ = State::kControl;
  marked_ = false;
}

void TerminalQueries::InEscape(std::uint8_t byte) {
  if (byte == kEscapeByte || byte < ' ') return;  // a control does not end the sequence
  state_ = State::kText;
  if (byte == '[') {
    state_ = State::kControl;
    marked_ = false;
  } else if (byte == ']') {
    state_ = State::kString;
  } else if (std::string_view("PX^_Z").find(static_cast<char>(byte)) != std::string_view::npos) {
    seen_ = true;
  } else if (byte < '0') {
    state_ = State::kEscape;  // an intermediate
  }
}

void TerminalQueries::InControl(std::uint8_t byte) {
  if (byte == kEscapeByte) state_ = State::kEscape;
  if (byte < ' ') return;
  const auto c = static_cast<char>(byte);
  if (byte < '@') {
    marked_ = marked_ || byte < '0' || byte > ';';
    return;
  }
  state_ = State::kText;
  seen_ = (marked_ ? kSilentPrivate : kSilent).find(c) == std::string_view::npos;
}

// OSC: a "?" in the place of a value asks for it.
void TerminalQueries::InString(std::uint8_t byte) {
  if (state_ == State::kStringEscape && byte != '\\') {
    state_ = State::kEscape;
    return InEscape(byte);
  }
  if (byte == '?') seen_ = true;
  const bool ends = byte == kBell || byte == kStringEnd || state_ == State::kStringEscape;
  if (ends) state_ = State::kText;
  if (byte == kEscapeByte) state_ = State::kStringEscape;
}

int ReadableTerminal() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    const int flags = ::fcntl(fd, F_GETFL);
    if (flags >= 0 && (flags & O_ACCMODE) == O_RDWR && ::isatty(fd) != 0) return fd;
  }
  return -1;
}

void DiscardAnswers(int borrowed_terminal) {
  termios before{};
  if (!IsOurs(borrowed_terminal) || ::tcgetattr(borrowed_terminal, &before) != 0) return;
  termios raw = before;
  ::cfmakeraw(&raw);
  raw.c_oflag = before.c_oflag;
  ::tcsetattr(borrowed_terminal, TCSANOW, &raw);
  const auto size = static_cast<ssize_t>(kQuestion.size());
  if (Waited(borrowed_terminal, POLLOUT, kLongestMs) &&
      ::write(borrowed_terminal, kQuestion.data(), kQuestion.size()) == size)
    DropAnswers(borrowed_terminal);
  ::tcsetattr(borrowed_terminal, TCSANOW, &before);
}

}  // namespace mxc
