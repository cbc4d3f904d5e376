// The launcher's half of a command in a sandbox that stays: it is sent in, and its supervisor, which the
// kernel names, is watched from here.
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <utility>

#include "process/linux/engine.h"
#include "process/linux/engine_program.h"
#include "process/linux/engine_report.h"
#include "process/linux/exec_request.h"

namespace mxc {
namespace {

using engine::Event;
using engine::Program;
using engine::Report;

struct Answer {
  Report report = {};
  pid_t sender = -1;  // seen from here: the kernel translates it
};

std::optional<Answer> ReceiveAnswer(int connection) {
  Answer answer;
  iovec part{.iov_base = &answer.report, .iov_len = sizeof answer.report};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(ucred))> control{};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  ssize_t count = 0;
  do {
    count = ::recvmsg(connection, &header, MSG_CMSG_CLOEXEC);
  } while (count < 0 && errno == EINTR);
  const cmsghdr* const sender = CMSG_FIRSTHDR(&header);
  if (count != static_cast<ssize_t>(sizeof answer.report)) return std::nullopt;
  if (sender == nullptr || sender->cmsg_type != SCM_CREDENTIALS) return std::nullopt;
  ucred credentials{};
  std::memcpy(&credentials, CMSG_DATA(sender), sizeof credentials);
  answer.sender = credentials.pid;
  return answer;
}

// Without a supervisor the connection stands for its handle: it is readable, and says what is to be said.
SandboxProcess WithoutSupervisor(SandboxProcess process) {
  process.handle = UniqueFd{::fcntl(process.report.Get(), F_DUPFD_CLOEXEC, 3)};
  return process;
}

}  // namespace

Result<SandboxProcess> StartInSession(const SessionRequest& request) {
  Program program;
  engine::PrepareCommand({.argv = request.sandbox.argv,
                          .environment = request.sandbox.environment,
                          .cwd = request.sandbox.cwd,
                          .limits = request.sandbox.limits},
                         request.streams, {}, program);
  engine::PreparePlain(request.sandbox, program);
  const int on = 1;
  if (::setsockopt(request.connection, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) != 0)
    return SystemError(ErrorCode::kSetupFailed, "learn who answers", errno);
  if (Status sent = engine::SendCommand(request.connection, program); !sent) return sent.error();
  SandboxProcess process{.report = UniqueFd{::fcntl(request.connection, F_DUPFD_CLOEXEC, 3)}};
  if (!process.report) return SystemError(ErrorCode::kSetupFailed, "keep the connection", errno);
  if (request.streams.wait && !request.streams.wait(process.report.Get())) {
    // Its supervisor ends; the relay knows why nothing is reported.
    ::shutdown(process.report.Get(), SHUT_RDWR);
    return WithoutSupervisor(std::move(process));
  }
  const std::optional<Answer> answer = ReceiveAnswer(process.report.Get());
  // Killed, or the sandbox has been stopped: perhaps the command had begun.
  process.started = !answer || answer->report.event == Event::kStarted;
  if (!process.started) return StepError(answer->report, program);
  if (!answer) return WithoutSupervisor(std::move(process));
  process.id = answer->sender;
  process.handle = UniqueFd{static_cast<int>(::syscall(SYS_pidfd_open, process.id, 0U))};
  // While the connection stands, so does its other end: the number is nobody else's.
  pollfd connection{.fd = process.report.Get(), .events = 0, .revents = 0};
  if (process.handle && ::poll(&connection, 1, 0) == 0) return process;
  process.id = -1;
  return WithoutSupervisor(std::move(process));
}

}  // namespace mxc
