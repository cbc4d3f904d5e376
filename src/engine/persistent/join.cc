// The launcher's half of a command in a persistent sandbox: it is sent in, and its supervisor, which the
// kernel names, is watched from here.
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <utility>

#include "engine/engine.h"
#include "engine/persistent/exec_request.h"
#include "engine/persistent/sent_report.h"
#include "engine/program.h"

namespace mxc {
namespace {

using engine::Event;
using engine::Program;

// Without a supervisor the connection takes the place of its pidfd: it is readable, and has the report.
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
  program.background = request.background;
  program.watch_socket = request.watch_socket;
  program.watch_files = request.watch_files;
  if (Status expected = engine::ExpectReports(request.connection); !expected) return expected.error();
  if (Status sent = engine::SendCommand(request.connection, program); !sent) return sent.error();
  SandboxProcess process{.report = UniqueFd{::fcntl(request.connection, F_DUPFD_CLOEXEC, 3)}};
  if (!process.report) return SystemError(ErrorCode::kSetupFailed, "keep the connection", errno);
  if (request.streams.wait && !request.streams.wait(process.report.Get())) {
    // Makes the supervisor end; the relay knows why no report comes.
    ::shutdown(process.report.Get(), SHUT_RDWR);
    return WithoutSupervisor(std::move(process));
  }
  const std::optional<engine::SentReport> answer = engine::ReceiveReport(process.report.Get());
  // Without an answer the supervisor was killed or the sandbox stopped, perhaps after the command had begun.
  process.started = !answer || answer->report.event == Event::kStarted;
  if (!process.started && answer->report.step == engine::kNobody.step &&
      answer->report.number == engine::kNobody.number)
    return engine::NobodyTookIt();
  if (!process.started) return StepError(answer->report, program);
  if (!answer) return WithoutSupervisor(std::move(process));
  process.id = answer->sender;
  process.handle = UniqueFd{static_cast<int>(::syscall(SYS_pidfd_open, process.id, 0U))};
  // As long as the connection is open the supervisor lives, so its pid cannot have been reused.
  pollfd connection{.fd = process.report.Get(), .events = 0, .revents = 0};
  if (process.handle && ::poll(&connection, 1, 0) == 0) return process;
  process.id = -1;
  return WithoutSupervisor(std::move(process));
}

}  // namespace mxc
