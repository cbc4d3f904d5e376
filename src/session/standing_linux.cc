#include <sys/socket.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "process/process_tree.h"
#include "process/relay.h"
#include "session/standing.h"

namespace mxc::session {

Status StandingSandbox::Build(const RunGateway::OnRecord& on_record) {
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return SystemError(ErrorCode::kSetupFailed, "reach the sandbox", errno);
  session_.Reset(ends[0]);
  const UniqueFd inner{ends[1]};
  Result<Ground> ground = PrepareGround(plan_.setup);
  if (!ground) return ground.error();
  ground_ = std::move(*ground);
  Result<RunGateway> gateway = RunGateway::Start(plan_, on_record);
  if (!gateway) return gateway.error();
  gateway_.emplace(std::move(*gateway));
  const Wiring wiring;  // the holder's streams, which lead nowhere
  Result<Started> started = StartChild({.plan = plan_,
                                        .wiring = wiring,
                                        .signals = signals_,
                                        .guardian = ground_.guardian,
                                        .groups = ground_.groups,
                                        .gateway = *gateway_,
                                        .session = inner.Get(),
                                        .started_ms = NowMs()});
  if (!started) return started.error();
  started_.emplace(std::move(*started));
  if (started_->running) return Done{};
  return Error{.code = ErrorCode::kSetupFailed,
               .message = "the sandbox could not be set up in time",
               .hint = "a granted path may be on a file system that does not answer"};
}

Status StandingSandbox::Start(const RunGateway::OnRecord& on_record) {
  Status built = Build(on_record);
  if (!built) Stop();
  return built;
}

void StandingSandbox::Stop() {
  if (started_) {
    SignalHandle(started_->child.handle, SIGKILL);
    while (::waitpid(started_->child.id, nullptr, 0) < 0 && errno == EINTR) {
    }
    started_.reset();
  }
  session_.Reset();
  if (gateway_) gateway_->Finish();
  gateway_.reset();
  ground_ = Ground{};
  running_ = 0;
}

bool StandingSandbox::Admit(int connection) {
  char byte = 'c';
  iovec part{.iov_base = &byte, .iov_len = 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  cmsghdr* const rights = CMSG_FIRSTHDR(&header);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof connection);
  std::memcpy(CMSG_DATA(rights), &connection, sizeof connection);
  if (::sendmsg(session_.Get(), &header, MSG_NOSIGNAL) != 1) return false;
  ++running_;
  return true;
}

void StandingSandbox::TakeEnds() {
  char byte = 0;
  while (::recv(session_.Get(), &byte, 1, MSG_DONTWAIT) == 1) {
    if (running_ > 0) --running_;
  }
}

}  // namespace mxc::session
