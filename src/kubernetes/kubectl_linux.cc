#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <string>
#include <utility>

#include "base/pipe.h"
#include "kubernetes/kubectl.h"
#include "spawn/descriptor_limit.h"

namespace mxc::kubernetes {
namespace {

using Clock = std::chrono::steady_clock;

// A pod of many containers, or the policies of a namespace.
constexpr std::size_t kMaxOutBytes = std::size_t{8} << 20U;
constexpr std::size_t kMaxErrBytes = std::size_t{64} << 10U;
constexpr std::size_t kStepBytes = 65536;
constexpr int kTickMs = 500;

std::vector<Variable> CallersEnvironment() {
  std::vector<Variable> environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const char* const equals = std::strchr(*entry, '=');
    if (equals != nullptr)
      environment.push_back({.name = std::string(*entry, static_cast<std::size_t>(equals - *entry)),
                             .value = Secret{std::string(equals + 1)}});
  }
  return environment;
}

// False at the end of the stream.
bool ReadSome(UniqueFd& fd, std::string& text, std::size_t limit) {
  std::array<char, kStepBytes> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): read(2) fills it
  const ssize_t count = ::read(fd.Get(), buffer.data(), buffer.size());
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return true;
  if (count <= 0) return false;
  const std::size_t room = limit - std::min(limit, text.size());
  text.append(buffer.data(), std::min(room, static_cast<std::size_t>(count)));
  return true;
}

// The lines that are whole by now.
bool TakeLines(std::string& text, const std::function<bool(std::string_view)>& on_line) {
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n')) {
    const bool enough = on_line(std::string_view(text).substr(0, end));
    text.erase(0, end + 1);
    if (enough) return true;
  }
  return false;
}

// Input, output and end of one call.
class Conversation {
 public:
  Conversation(KubectlProcess& process, const KubectlCall& call, const Waiting& waiting)
      : process_(process), call_(call), waiting_(waiting) {
    ::fcntl(process_.in.Get(), F_SETFL, O_NONBLOCK);
    if (call_.input.empty()) process_.in.Reset();
  }

  KubectlAnswer Hold() {
    const auto deadline = Clock::now() + std::chrono::milliseconds(call_.limit_ms);
    while (!ended_) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
      if (left <= 0) return Give(KubectlEnd::kTimedOut);
      if (waiting_.ending && waiting_.ending()) return Give(KubectlEnd::kInterrupted);
      if (waiting_.tick) waiting_.tick();
      if (Step(static_cast<int>(std::min<decltype(left)>(left, kTickMs)))) return Give(KubectlEnd::kEnough);
    }
    return Give(KubectlEnd::kExited);
  }

 private:
  KubectlAnswer Give(KubectlEnd end) {
    answer_.end = end;
    if (end != KubectlEnd::kExited) process_.End();
    return std::move(answer_);
  }

  // True: enough was said. It has ended when both of its streams have, and it itself.
  bool Step(int left_ms) {
    const bool open = process_.out || process_.err;
    std::array<pollfd, 5> polls = {{{process_.out.Get(), POLLIN, 0},
                                    {process_.err.Get(), POLLIN, 0},
                                    {process_.in.Get(), POLLOUT, 0},
                                    {waiting_.fd, POLLIN, 0},
                                    {open ? -1 : process_.child.handle.Get(), POLLIN, 0}}};
    if (::poll(polls.data(), polls.size(), left_ms) <= 0) return false;
    if (polls[0].revents != 0 && !ReadSome(process_.out, answer_.out, kMaxOutBytes)) process_.out.Reset();
    if (polls[1].revents != 0 && !ReadSome(process_.err, answer_.err, kMaxErrBytes)) process_.err.Reset();
    if (polls[2].revents != 0) WriteSome();
    if (call_.on_line && TakeLines(answer_.out, call_.on_line)) return true;
    if (polls[4].revents != 0) ended_ = process_.HasEnded(answer_.exit_code);
    return false;
  }

  void WriteSome() {
    const ssize_t count =
        ::write(process_.in.Get(), call_.input.data() + written_, call_.input.size() - written_);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (count > 0) written_ += static_cast<std::size_t>(count);
    if (count <= 0 || written_ == call_.input.size()) process_.in.Reset();
  }

  KubectlProcess& process_;
  const KubectlCall& call_;
  const Waiting& waiting_;
  KubectlAnswer answer_ = {};
  std::size_t written_ = 0;
  bool ended_ = false;
};

}  // namespace

KubectlProcess& KubectlProcess::operator=(KubectlProcess&& other) noexcept {
  if (this == &other) return *this;
  End();
  child = std::exchange(other.child, {});
  in = std::move(other.in);
  out = std::move(other.out);
  err = std::move(other.err);
  return *this;
}

bool KubectlProcess::HasEnded(int& exit_code) {
  if (!Started()) return true;
  siginfo_t info{};
  if (::waitid(P_PID, static_cast<id_t>(child.id), &info, WEXITED | WNOHANG) != 0 || info.si_pid == 0)
    return false;
  exit_code = info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
  ::kill(-child.id, SIGKILL);  // plug-ins that it left
  child = {};
  return true;
}

void KubectlProcess::End() {
  if (Started()) {
    ::kill(-child.id, SIGKILL);
    ::kill(child.id, SIGKILL);
    while (::waitpid(child.id, nullptr, 0) < 0 && errno == EINTR) {
    }
    child = {};
  }
  for (UniqueFd* fd : {&in, &out, &err}) fd->Reset();
}

Result<KubectlProcess> Kubectl::Start(const std::vector<std::string>& arguments) const {
  if (program_.executable.empty()) {
    Result<PinnedProgram> program = OpenPinned(run_.kubectl, run_.sha256);
    if (!program) return program.error();
    program_ = std::move(*program);
  }
  std::array<Pipe, 3> pipes;
  for (Pipe& pipe : pipes) {
    Result<Pipe> made = MakePipe();
    if (!made) return made.error();
    pipe = std::move(*made);
  }
  Exec exec{.program = program_.executable,
            .argv = {run_.kubectl},
            .environment = CallersEnvironment(),
            .cwd = "/"};
  for (const std::string& word : run_.options) exec.argv.emplace_back(word);
  for (const std::string& word : arguments) exec.argv.emplace_back(word);
  exec.new_session = true;  // keys of the terminal are for us
  const Result<DescriptorLimit> limit = DescriptorLimit::Reserve(0);
  if (!limit) return limit.error();
  const std::vector<UniqueFd> no_files;
  KubectlProcess process;
  Result<ChildProcess> child =
      Spawn({.exec = exec,
             .files = no_files,
             .open_files = limit->Original(),
             .standard = {pipes[0].reading.Get(), pipes[1].writing.Get(), pipes[2].writing.Get()}});
  if (!child) return child.error();
  process.child = std::move(*child);
  process.in = std::move(pipes[0].writing);
  process.out = std::move(pipes[1].reading);
  process.err = std::move(pipes[2].reading);
  return process;
}

Result<KubectlAnswer> Kubectl::Call(const KubectlCall& call) const {
  Result<KubectlProcess> process = Start(call.arguments);
  if (!process) return process.error();
  return Conversation(*process, call, waiting_).Hold();
}

Result<KubectlAnswer> Kubectl::Finish(const KubectlCall& call) const {
  Result<KubectlProcess> process = Start(call.arguments);
  if (!process) return process.error();
  return Conversation(*process, call, {}).Hold();
}

}  // namespace mxc::kubernetes
