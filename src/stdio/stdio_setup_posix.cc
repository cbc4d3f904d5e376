#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/own_files.h"
#include "base/pipe.h"
#include "stdio/output_filter.h"
#include "stdio/stdio_setup.h"
#include "stdio/stream_target.h"

namespace mxc {
namespace {

struct stat LookAt(int fd) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) status = {};
  return status;
}

// tcgetpgrp(3) fails for every terminal but that. Its file may be /dev/tty, or its own.
bool IsControllingTerminal(int fd) { return ::tcgetpgrp(fd) >= 0; }

// Both streams go to one place, where their order shows.
bool AreOne(int one, int other) {
  const struct stat first = LookAt(one);
  const struct stat second = LookAt(other);
  if (first.st_dev == second.st_dev && first.st_ino == second.st_ino) return true;
  return IsControllingTerminal(one) && IsControllingTerminal(other);
}

// What bubblewrap says when it fails is looked at (run_linux.cc).
bool HasMessages(const Plan& plan, int target) {
  return std::holds_alternative<BubblewrapLaunch>(plan.launch) &&
         (target == STDERR_FILENO || AreOne(STDOUT_FILENO, STDERR_FILENO));
}

std::unique_ptr<Stream> OutputStream(const Plan& plan, UniqueFd source, int target) {
  StreamOptions options;
  options.source = std::move(source);
  options.target = target;
  options.filter = FilterFor(plan);
  options.filtered = plan.output.Pumped();
  options.first_line = HasMessages(plan, target);
  return std::make_unique<Stream>(std::move(options));
}

Status ConnectTerminal(const Plan& plan, const std::optional<CallersModes>& caller, Undo& undo,
                       int multiplexer, StdioSetup& stdio) {
  Result<PrivateTerminal> terminal = PrivateTerminal::Open(caller, undo, multiplexer);
  if (!terminal) return terminal.error();
  stdio.standard = terminal->StandardStreams();
  const int target = stdio.standard[1] >= 0 ? STDOUT_FILENO : STDERR_FILENO;
  stdio.streams[1] = OutputStream(plan, Duplicate(terminal->Outer()), target);
  stdio.terminal.emplace(std::move(*terminal));
  if (stdio.standard[0] < 0) return Done{};
  StreamOptions input;
  input.source = Duplicate(STDIN_FILENO);
  input.target = stdio.terminal->Outer();
  input.at_end = [outer = stdio.terminal->Outer()](char last) { return EndOfInput(outer, last); };
  stdio.streams[0] = std::make_unique<Stream>(std::move(input));
  return Done{};
}

// Output goes to a terminal from which no input comes, or not for this command: the command sees a terminal,
// and cannot read from it.
Status ConnectDisplay(const Plan& plan, StdioSetup& stdio) {
  int shown = -1;
  for (const int number : {STDERR_FILENO, STDOUT_FILENO}) {
    if (stdio.standard.at(static_cast<std::size_t>(number)) < 0 && ::isatty(number) != 0) shown = number;
  }
  if (shown < 0) return Done{};
  Result<PrivateTerminal> display = PrivateTerminal::OpenForOutput(shown);
  if (!display) return display.error();
  for (const int number : {STDERR_FILENO, STDOUT_FILENO}) {
    if (AreOne(number, shown)) stdio.standard.at(static_cast<std::size_t>(number)) = display->Inner();
  }
  stdio.streams.at(static_cast<std::size_t>(shown)) = OutputStream(plan, Duplicate(display->Outer()), shown);
  stdio.display.emplace(std::move(*display));
  return Done{};
}

void DisownDevices(const Plan& plan, StdioSetup& stdio) {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    int& standard = stdio.standard.at(static_cast<std::size_t>(number));
    if (standard >= 0 || MayPass(plan, number)) continue;
    if (number != STDIN_FILENO && plan.output.Pumped()) continue;
    UniqueFd device = WithoutOwnership(number);
    if (!device) continue;
    standard = device.Get();
    stdio.child_ends.push_back(std::move(device));
  }
}

Status ConnectPipe(const Plan& plan, int number, StdioSetup& stdio) {
  Result<Pipe> pipe = MakePipe();
  if (!pipe) return pipe.error();
  // Only our end: the command expects to be able to block.
  if (::fcntl(pipe->reading.Get(), F_SETFL, O_NONBLOCK) != 0) {
    return SystemError(ErrorCode::kSetupFailed, "prepare an output pipe", errno);
  }
  OpenOnlyFor(pipe->writing.Get(), S_IWUSR);
  const auto index = static_cast<std::size_t>(number);
  stdio.standard.at(index) = pipe->writing.Get();
  stdio.child_ends.push_back(std::move(pipe->writing));
  stdio.streams.at(index) = OutputStream(plan, std::move(pipe->reading), number);
  return Done{};
}

// `all`: and not only those that are capped or redacted.
Status ConnectOutput(const Plan& plan, bool all, StdioSetup& stdio) {
  for (const int number : {STDOUT_FILENO, STDERR_FILENO}) {
    const auto index = static_cast<std::size_t>(number);
    if (stdio.standard.at(index) >= 0) continue;
    if (!plan.output.Pumped() && (!all || MayPass(plan, number))) continue;
    if (number == STDERR_FILENO && stdio.streams[1] && AreOne(STDOUT_FILENO, STDERR_FILENO)) {
      stdio.standard[2] = stdio.standard[1];
      continue;
    }
    if (Status connected = ConnectPipe(plan, number, stdio); !connected) return connected.error();
  }
  return Done{};
}

}  // namespace

std::optional<CallersModes> ModesToChange(const Plan& plan) {
  return TerminalOf(plan.launch) == Terminal::kPrivatePty ? LookAtCallersModes() : std::nullopt;
}

Result<StdioSetup> SetUpStdio(const Plan& plan, bool keeps_output, const std::optional<CallersModes>& caller,
                              Undo& undo, int multiplexer) {
  StdioSetup stdio;
  if (TerminalOf(plan.launch) == Terminal::kPrivatePty) {
    if (Status connected = ConnectTerminal(plan, caller, undo, multiplexer, stdio); !connected)
      return connected.error();
  }
  const bool sandboxed = plan.tier != Tier::kNone;
  if (sandboxed) {
    if (Status connected = ConnectDisplay(plan, stdio); !connected) return connected.error();
    DisownDevices(plan, stdio);
    if (stdio.standard[0] < 0 && !MayPass(plan, STDIN_FILENO)) {
      if (Status connected = ConnectInput(stdio, undo); !connected) return connected.error();
    }
  }
  if (Status connected = ConnectOutput(plan, sandboxed, stdio); !connected) return connected.error();
  // Standard error is always ours, too.
  // bubblewrap keeps them open until the end, and the run may then begin anew (Error::outdated).
  const bool ends_before = sandboxed && !std::holds_alternative<BubblewrapLaunch>(plan.launch);
  if (stdio.streams[1] && !keeps_output && ends_before) stdio.streams[1]->ReleaseTargetAtEnd();
  return stdio;
}

const PrivateTerminal* StdioSetup::Shown() const {
  if (terminal) return &*terminal;
  return display ? &*display : nullptr;
}

std::vector<Stream*> StdioSetup::Outputs() const {
  std::vector<Stream*> outputs;
  for (const int number : {STDERR_FILENO, STDOUT_FILENO}) {
    const auto& stream = streams.at(static_cast<std::size_t>(number));
    if (stream) outputs.push_back(stream.get());
  }
  return outputs;
}

void StdioSetup::DiscardTerminalAnswers() const {
  const std::vector<Stream*> outputs = Outputs();
  const bool asked = std::any_of(outputs.begin(), outputs.end(),
                                 [](const Stream* stream) { return stream->AskedTerminal(); });
  if (asked) DiscardAnswersOfRun();
}

void StdioSetup::CloseChildEnds() {
  child_ends.clear();
  if (terminal) terminal->CloseInner();
  if (display) display->CloseInner();
}

bool FillStandardStreams() {
  bool open = true;
  for (int fd = 0; fd < 3; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
    open = open && fd != STDERR_FILENO;
    // The lowest free number, which is `fd`; the child is meant to inherit it.
    [[maybe_unused]] const int filled = ::open("/dev/null", O_RDWR);  // NOLINT(android-cloexec-open)
  }
  return open;
}

Status CheckStandardStreams() {
  constexpr const char* kNames[] = {"standard input", "standard output", "standard error"};
  for (int fd = 0; fd < 3; ++fd) {
    struct stat status {};
    if (::fstat(fd, &status) != 0 || !S_ISDIR(status.st_mode)) continue;
    return SetupFailed(std::string(kNames[fd]) + " is a directory, which would be open to the command",
                       "redirect it from a file or /dev/null");
  }
  return Done{};
}

}  // namespace mxc
