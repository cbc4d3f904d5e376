#include <fcntl.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string>

#include "base/unique_fd.h"
#include "stdio/terminal_controls.h"
#include "stdio/terminal_queries.h"

namespace mxc {
namespace {

// Brings a terminal from whatever state into one that shows text, and changes nothing that is seen. ST twice:
// tmux takes the first for data of a DCS when ESC stands before it. CAN would end more, but Konsole shows it.
constexpr std::string_view kEnd =
    "\033\\\033\\"  // any string; another sequence is cancelled by ESC
    "\033<"         // VT52 mode
    "\033[4i";      // output to a printer
// Restores the cursor too, which moves it where the alternate screen was not selected.
constexpr std::string_view kLeaveAlternate = "\033[?1049l";
constexpr std::string_view kReset =
    "\033]8;;\033\\"              // no hyperlink
    "\033(B\017"                  // ASCII as G0, which SI invokes
    "\033[0;10m"                  // no attributes, the first font
    "\033[2;3;4;20l\033[12h"      // keys work, no controls shown, insertion, CR LF or local echo
    "\033[?7;25h"                 // lines wrap, the cursor is visible
    "\033[?2026l"                 // nothing waits to be drawn
    "\0337\033[?69l\033[r\0338";  // no margins, which moves the cursor

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
  for (const char c : output) {
    const auto byte = static_cast<std::uint8_t>(c);
    if (state_ == State::kText && byte >= ' ' && byte < kFirstC1) continue;
    Next(byte);
  }
}

std::string TerminalQueries::Closing() const {
  if (state_ == State::kText && !attributes_ && !other_) return "";
  std::string closing{kEnd};
  if (alternate_) closing += kLeaveAlternate;
  return closing.append(kReset);
}

void TerminalQueries::BeginControl() {
  state_ = State::kControl;
  marked_ = false;
  zeros_ = true;
  font_ = false;
  screen_ = false;
  parameter_ = 0;
}

void TerminalQueries::Next(std::uint8_t byte) {
  // With CAN file transfers by ZMODEM begin.
  if (byte == kEnquiry || (byte == kCancel && state_ == State::kText)) seen_ = true;
  if (byte == kCancel) state_ = State::kText;
  if (byte == kShiftOut || (byte >= kFirstC1 && byte <= kLastC1)) other_ = true;
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
  if (byte == kOsc || byte == kDcs) state_ = State::kString;
  if (byte == kDcs || byte == kDecId) seen_ = true;
  if (byte == kCsi) BeginControl();
}

void TerminalQueries::InEscape(std::uint8_t byte) {
  if (byte == kEscapeByte || byte < ' ') return;  // a control does not end the sequence
  state_ = State::kText;
  if (byte == '[') return BeginControl();
  other_ = true;
  if (byte == 'c') alternate_ = false;
  if (byte == ']') {
    state_ = State::kString;
  } else if (std::string_view("PX^_Z").find(static_cast<char>(byte)) != std::string_view::npos) {
    seen_ = true;
    if (byte != 'Z') state_ = State::kString;
  } else if (byte < '0') {
    state_ = State::kEscape;  // an intermediate
  }
}

// Those of xterm, and of the Linux console, whose fonts SGR 0 does not reset.
void TerminalQueries::EndParameter() {
  constexpr unsigned kFirstFont = 10;
  constexpr unsigned kLastFont = 19;
  font_ = font_ || (parameter_ >= kFirstFont && parameter_ <= kLastFont);
  screen_ = screen_ || parameter_ == 47 || parameter_ == 1047 || parameter_ == 1049;
  parameter_ = 0;
}

void TerminalQueries::InControl(std::uint8_t byte) {
  constexpr unsigned kBase = 10;
  constexpr unsigned kMost = 100'000;
  if (byte == kEscapeByte) state_ = State::kEscape;
  if (byte < ' ') return;
  const auto c = static_cast<char>(byte);
  if (c >= '0' && c <= '9') {
    parameter_ = std::min(parameter_ * kBase + (byte - '0'), kMost);
  } else {
    EndParameter();
  }
  if (byte < '@') {
    marked_ = marked_ || byte < '0' || byte > ';';
    zeros_ = zeros_ && (c == '0' || c == ';');
    return;
  }
  state_ = State::kText;
  if (c == 'm' && !marked_ && !font_) {
    attributes_ = !zeros_;
  } else {
    other_ = true;
  }
  if (marked_ && screen_ && (c == 'h' || c == 'l')) alternate_ = c == 'h';
  seen_ = seen_ || (marked_ ? kSilentPrivate : kSilent).find(c) == std::string_view::npos;
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

// tcgetpgrp(3) fails for every terminal but the controlling one.
bool TakesAnswers(int shown) {
  const pid_t job = ::getpgrp();
  const std::array<int, 3> streams = {STDIN_FILENO, STDOUT_FILENO, shown};
  return std::all_of(streams.begin(), streams.end(), [job](int fd) { return ::tcgetpgrp(fd) == job; });
}

// Standard input may be open for reading alone.
void DiscardAnswersOfRun() {
  const UniqueFd terminal{::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)};
  if (terminal && ::tcgetpgrp(STDIN_FILENO) == ::getpgrp()) DiscardAnswers(terminal.Get());
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
