#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <optional>
#include <string_view>
#include <utility>

#include "kubernetes/claim_clock.h"
#include "kubernetes/remote/pod_exec.h"
#include "stdio/stream_target.h"
#include "stdio/terminal_output.h"
#include "stdio/terminal_queries.h"
#include "stdio/terminal_turn.h"

namespace mxc::kubernetes {
namespace {

constexpr std::size_t kStepBytes = 65536;
// What a blocking pipe takes when it says that there is room.
constexpr std::size_t kWriteBytes = 4096;
constexpr int kTickMs = 500;
// How long a stream may stay open when kubectl has ended: a plug-in of its may hold it.
constexpr std::uint64_t kLeftOpenMs = 1000;

// From kubectl to the caller. A terminal is left as by a command of this machine.
class OutputStream {
 public:
  OutputStream(UniqueFd source, int target, const std::string& token)
      : source_(std::move(source)), target_(target), marked_(token) {
    if (::isatty(target) == 0) return;
    terminal_.emplace([target] { return TakesAnswers(target); });
    own_target_ = OwnDescription(target);
    if (own_target_) target_ = own_target_.Get();
  }

  [[nodiscard]] pollfd Source() const {
    return {.fd = pending_.empty() ? source_.Get() : -1, .events = POLLIN, .revents = 0};
  }
  [[nodiscard]] pollfd Target() const {
    return {.fd = pending_.empty() ? -1 : target_, .events = POLLOUT, .revents = 0};
  }
  [[nodiscard]] bool Finished() const { return !source_ && pending_.empty(); }
  [[nodiscard]] bool Waits() const { return !pending_.empty(); }  // for its reader
  [[nodiscard]] bool Complete() const { return marked_.Complete(); }
  [[nodiscard]] const std::string& Behind() const { return marked_.Behind(); }
  [[nodiscard]] int Failure() const { return failure_; }
  // Whether the terminal may answer to what it was sent.
  [[nodiscard]] bool AskedTerminal() const { return queries_.Seen() || (terminal_ && terminal_->Asked()); }

  void Read() {
    std::array<char, kStepBytes> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): read(2) fills it
    const ssize_t count = ::read(source_.Get(), buffer.data(), buffer.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (count > 0) {
      Pass(marked_.Feed({buffer.data(), static_cast<std::size_t>(count)}));
    } else {
      Close();
    }
    if (failure_ != 0) pending_.clear();
  }
  // What the terminal gets after this is no part of a sequence of the command's.
  void Close() {
    if (!source_) return;
    source_.Reset();
    Pass(marked_.Rest());
    if (!terminal_) return;
    terminal_->Finish(pending_);
    pending_ += queries_.Closing();
  }
  // Before its time: what a terminal takes at once.
  void Abandon() {
    Close();
    while (terminal_ && !pending_.empty()) {
      pollfd target = Target();
      if (::poll(&target, 1, 0) <= 0 || (target.revents & POLLOUT) == 0) return;
      Write();
    }
  }
  void Write() {
    const ssize_t count = WriteOnce();
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (count > 0) {
      pending_.erase(0, static_cast<std::size_t>(count));
    } else {
      failure_ = errno;
      pending_.clear();
    }
  }

 private:
  [[nodiscard]] ssize_t WriteOnce() {
    const std::size_t size = own_target_ ? pending_.size() : WholeSequences(pending_, kWriteBytes);
    return terminal_ ? turn_.Write(target_, pending_, size) : ::write(target_, pending_.data(), size);
  }
  void Pass(const std::string& output) {
    if (!terminal_) {
      pending_ += output;
      return;
    }
    const std::size_t before = pending_.size();
    terminal_->Feed(output, pending_);
    queries_.Feed(std::string_view(pending_).substr(before));
  }

  UniqueFd source_;
  UniqueFd own_target_ = {};  // our own open file description of a terminal: non-blocking, and to lock it by
  int target_;                // borrowed
  std::optional<TerminalOutput> terminal_ = {};  // where the target is a terminal
  TerminalQueries queries_ = {};                 // of what the terminal gets
  TerminalTurn turn_ = {};                       // in writing to it
  MarkedStream marked_;
  std::string pending_ = {};
  int failure_ = 0;
};

// From the caller to kubectl, what the mxc-exec inside reads first before it.
class InputStream {
 public:
  InputStream(UniqueFd target, std::string first) : target_(std::move(target)), pending_(std::move(first)) {
    ::fcntl(target_.Get(), F_SETFL, O_NONBLOCK);
  }

  // A terminal is read only while it is ours: reading it from the background would stop us.
  [[nodiscard]] pollfd Source() const {
    const bool open = target_ && !ended_ && pending_.empty();
    const bool ours = ::isatty(STDIN_FILENO) == 0 || ::tcgetpgrp(STDIN_FILENO) == ::getpgrp();
    return {.fd = open && ours ? STDIN_FILENO : -1, .events = POLLIN, .revents = 0};
  }
  [[nodiscard]] pollfd Target() const {
    return {.fd = pending_.empty() ? -1 : target_.Get(), .events = POLLOUT, .revents = 0};
  }
  void Read() {
    std::array<char, kStepBytes> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): read(2) fills it
    const ssize_t count = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
    ended_ = count <= 0;
    if (count > 0) pending_.assign(buffer.data(), static_cast<std::size_t>(count));
    if (ended_) target_.Reset();
  }
  void Write() {
    const ssize_t count = ::write(target_.Get(), pending_.data(), pending_.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (count > 0) pending_.erase(0, static_cast<std::size_t>(count));
    if (count > 0) return;
    pending_.clear();
    target_.Reset();
  }

 private:
  UniqueFd target_;
  std::string pending_;
  bool ended_ = false;
};

class PodRelay {
 public:
  PodRelay(const PodExec& exec, KubectlProcess process)
      : exec_(exec),
        process_(std::move(process)),
        input_(std::move(process_.in), exec.input),
        out_(std::move(process_.out), STDOUT_FILENO, exec.token),
        err_(std::move(process_.err), STDERR_FILENO, exec.token) {}

  PodExecEnd Run() {
    while (!Done()) {
      Step();
      OnSignals();
      if (end_.interrupted_by != 0 || end_.reader_gone) break;
      if (drained_at_ == 0 && NowMs() >= exec_.ends_at_ms) {
        end_.timed_out = true;
        break;
      }
      exec_.claim.Renew();
    }
    process_.End();
    for (OutputStream* stream : {&out_, &err_}) stream->Abandon();
    if (out_.AskedTerminal() || err_.AskedTerminal()) DiscardAnswersOfRun();
    end_.complete = out_.Complete() && err_.Complete();
    end_.report = err_.Behind();
    for (const OutputStream* stream : {&out_, &err_})
      if (end_.lost == 0) end_.lost = stream->Failure();
    return std::move(end_);
  }

 private:
  // A plug-in of kubectl's may keep the streams open when kubectl has ended. What our reader has not taken
  // yet is no such silence.
  [[nodiscard]] bool Done() {
    int status = 0;
    const bool ended = drained_at_ == 0 && process_.HasEnded(status);
    if (ended || (drained_at_ != 0 && (out_.Waits() || err_.Waits()))) drained_at_ = NowMs() + kLeftOpenMs;
    if (out_.Finished() && err_.Finished()) return true;
    if (drained_at_ != 0 && NowMs() >= drained_at_) {
      for (OutputStream* stream : {&out_, &err_}) stream->Close();
    }
    return false;
  }

  void Step() {
    std::array<pollfd, 8> polls = {{{exec_.signals.Descriptor(), POLLIN, 0},
                                    {drained_at_ == 0 ? process_.child.handle.Get() : -1, POLLIN, 0},
                                    out_.Source(),
                                    out_.Target(),
                                    err_.Source(),
                                    err_.Target(),
                                    input_.Source(),
                                    input_.Target()}};
    if (::poll(polls.data(), polls.size(), kTickMs) <= 0) return;
    if (polls[2].revents != 0) out_.Read();
    if (polls[3].revents != 0) out_.Write();
    if (polls[4].revents != 0) err_.Read();
    if (polls[5].revents != 0) err_.Write();
    if (polls[6].revents != 0) input_.Read();
    if (polls[7].revents != 0) input_.Write();
    end_.reader_gone = out_.Failure() == EPIPE;
  }

  void OnSignals() {
    for (const TakenSignal& signal : exec_.signals.Take())
      if (EndsRun(signal.number)) end_.interrupted_by = signal.number;
  }

  const PodExec& exec_;
  KubectlProcess process_;
  InputStream input_;
  OutputStream out_;
  OutputStream err_;
  PodExecEnd end_ = {};
  std::uint64_t drained_at_ = 0;  // 0: kubectl runs
};

}  // namespace

Result<PodExecEnd> RunPodExec(const PodExec& exec) {
  Result<KubectlProcess> process = exec.kubectl.Start(exec.arguments);
  if (!process) return process.error();
  return PodRelay(exec, std::move(*process)).Run();
}

}  // namespace mxc::kubernetes
