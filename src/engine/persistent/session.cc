// A persistent sandbox, in its process 1: for each connection the daemon passes in, a supervisor that runs
// one command under everything init is under, and adopts what the command leaves behind. The newest one is
// kept: when its command has ended, it takes the next. Only system calls.
//
// The daemon and the launchers are trusted; the commands are not. They cannot reach the sockets: init and the
// supervisors are not dumpable, so nothing inside may look into them, and the sockets are closed on execve. A
// command can kill supervisors, which have its user; init then ends what they held. One that is stopped would
// heed no time-out, no launcher and no launcher's end: init kills it.
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <iterator>
#include <span>

#include "base/passed_fds.h"
#include "engine/child.h"
#include "engine/persistent/multiplexer.h"
#include "engine/persistent/session_supervisor.h"
#include "engine/supervised.h"
#include "mxc/limits.h"

namespace mxc::engine {
namespace {

class Session {
 public:
  explicit Session(const Child& init) : init_(init) {}

  [[nodiscard]] int ControlSocket() const { return kept_.control_socket; }

  // Init ends when the daemon has closed its end.
  void Admit() {
    const int connection = TakeConnection(init_.program.session, MSG_DONTWAIT);
    if (connection < 0) return;
    if (!HandOver(connection)) Start(connection);
    ::close(connection);
  }

  void TakeWord() {
    char word = 0;
    if (::recv(kept_.control_socket, &word, sizeof word, MSG_DONTWAIT) != sizeof word) return;
    kept_.busy = false;
    ReportEnd();
  }

  // Init inherits orphans only from a supervisor that was killed or could not end them. Each that dies may
  // leave its own children to init.
  void ReapAndForget() {
    int status = 0;
    pid_t dead = 0;
    more_ = true;
    for (int count = 0; more_ && count < kMostReaped; ++count) {
      dead = ::waitpid(-1, &status, WNOHANG | WUNTRACED);
      more_ = dead > 0;
      if (more_) Note(dead, status);
    }
    if (!orphaned_) return;
    orphaned_ = KillChildren(supervisors_);
    if (!orphaned_) orphans_ = 0;
    if (orphans_ > kManyOrphans) EndOrphans();
  }
  [[nodiscard]] bool HasMore() const { return more_; }

 private:
  void Note(pid_t dead, int status) {
    auto* const place = std::find(supervisors_.begin(), supervisors_.end(), dead);
    const bool supervisor = place != supervisors_.end();
    if (WIFSTOPPED(status)) {
      if (supervisor) ::kill(dead, SIGKILL);
      return;
    }
    if (supervisor) *place = 0;
    if (supervisor && dead == kept_.id) {
      ReapSupervisors();
    } else if (supervisor) {
      ReportEnd();
    }
    if (!supervisor) ++orphans_;
    orphaned_ = orphaned_ || !supervisor || status != 0;
  }

  // Ends orphans that fork faster than they are killed. fork fails while a signal is pending, so once every
  // process of the namespace has been sent SIGSTOP, other commands for that moment too, there are no new
  // ones. Repeated each time, because a timer may continue a process.
  void EndOrphans() {
    constexpr int kRounds = 1000;
    constexpr int kMostAtOnce = 4096;
    for (int round = 0; round < kRounds; ++round) {
      ::kill(-1, SIGSTOP);
      if (!KillChildren(supervisors_)) break;
      int reaped = 0;
      int status = 0;
      for (pid_t dead = 0; reaped < kMostAtOnce && (dead = ::waitpid(-1, &status, WNOHANG)) > 0; ++reaped)
        Note(dead, status);
      if (reaped == 0) ::poll(nullptr, 0, 1);
    }
    ::kill(-1, SIGCONT);
    orphans_ = 0;
    more_ = true;
  }

  bool HandOver(int connection) {
    if (kept_.id == 0 || kept_.busy) return false;
    kept_.busy = SendWithFds(kept_.control_socket, &kNext, 1, std::span(&connection, 1)) == 1;
    return kept_.busy;
  }

  void Start(int connection) {
    auto* const place = std::find(supervisors_.begin(), supervisors_.end(), 0);
    const bool room = place != supervisors_.end();
    Kept next;
    // A supervisor without a control socket ends with its command.
    if (room) next.MakeControlSocket();
    if (!room) errno = EAGAIN;
    // clone(2) itself, as for this process: fork(3) would use state of the C library that is not valid here.
    const long id = room ? ::syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr) : -1;
    if (id == 0) Supervise(init_, connection, next.inner);
    if (id < 0) {
      Refuse(connection);
      return next.CloseHandover();
    }
    *place = static_cast<pid_t>(id);
    kept_.CloseHandover();  // the one before ends with its command
    next.id = *place;
    kept_ = next;
  }

  void Refuse(int connection) const {
    const Report refusal{.event = Event::kFailed, .step = Step::kSpawn, .number = errno};
    [[maybe_unused]] const ssize_t told =
        ::send(connection, &refusal, sizeof refusal, MSG_NOSIGNAL | MSG_DONTWAIT);
    ReportEnd();
  }

  // Its last word may be unread, and what it did not live to take is still there.
  void ReapSupervisors() {
    TakeWord();
    const int connection = kept_.busy && kept_.inner >= 0 ? TakeConnection(kept_.inner, MSG_DONTWAIT) : -1;
    const bool ended = kept_.busy && connection < 0;
    kept_.CloseHandover();
    kept_ = {};
    if (ended) ReportEnd();
    if (connection < 0) return;
    Start(connection);
    ::close(connection);
  }

  void ReportEnd() const {
    const char byte = 'e';
    [[maybe_unused]] const ssize_t told = ::send(init_.program.session, &byte, 1, MSG_NOSIGNAL);
  }

  // The newest supervisor.
  struct Kept {
    pid_t id = 0;             // 0: none
    int control_socket = -1;  // what it says, and where it takes connections; -1: it takes none
    int inner = -1;           // its end of that
    bool busy = true;

    void MakeControlSocket() {
      int ends[2] = {-1, -1};
      if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return;
      control_socket = ends[0];
      inner = ends[1];
    }
    void CloseHandover() const {
      if (control_socket >= 0) ::close(control_socket);
      if (inner >= 0) ::close(inner);
    }
  };
  static constexpr char kNext = 'n';
  static constexpr int kManyOrphans = 256;

  const Child& init_;
  Kept kept_ = {};
  std::array<pid_t, kMaxSessionCommands> supervisors_{};  // 0: a free place
  int orphans_ = 0;                                       // that died since there were none
  bool orphaned_ = false;
  bool more_ = false;  // there may be dead ones yet
};

}  // namespace

void HoldSession(const Child& init) {
  init.Check(CheckChildrenShow(), Step::kSupervise);
  sigset_t child_signal;
  sigemptyset(&child_signal);
  sigaddset(&child_signal, SIGCHLD);
  const int signals = init.Check(::signalfd(-1, &child_signal, SFD_CLOEXEC | SFD_NONBLOCK), Step::kSupervise);
  init.Send({.event = Event::kStarted});
  SendMultiplexer(init.program.session);
  Session session(init);
  for (;;) {
    pollfd polls[] = {{.fd = init.program.session, .events = POLLIN, .revents = 0},
                      {.fd = signals, .events = POLLIN, .revents = 0},
                      {.fd = session.ControlSocket(), .events = POLLIN, .revents = 0}};
    if (::poll(polls, std::size(polls), session.HasMore() ? 0 : -1) < 0) continue;
    signalfd_siginfo drained{};
    if (polls[2].revents != 0) session.TakeWord();
    const bool told = polls[1].revents != 0 && ::read(signals, &drained, sizeof drained) > 0;
    if (told || session.HasMore()) session.ReapAndForget();
    if (polls[0].revents != 0) session.Admit();
  }
}

}  // namespace mxc::engine
