// One direction of relayed bytes: a source, an optional filter, a bounded buffer, a target. It never blocks:
// the relay polls both ends and calls back. Unfiltered bytes are spliced from pipe to target where the kernel
// can do that.
//
//   Stream stream({.source = std::move(pipe), .target = STDOUT_FILENO, .filter = FilterFor(plan)});
//   polls.push_back(stream.PollSource());
//   polls.push_back(stream.PollTarget());
#pragma once

#include <poll.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/unique_fd.h"
#include "stdio/output_filter.h"
#include "stdio/terminal_output.h"
#include "stdio/terminal_queries.h"
#include "stdio/terminal_turn.h"

namespace mxc {

struct StreamOptions {
  UniqueFd source = {};
  int target = -1;  // borrowed
  OutputFilter filter = OutputFilter();
  bool filtered = true;  // false: the filter passes everything on
  // Whether somebody may ask for the first line, where the filter does not see everything.
  bool first_line = false;
  // Called when the source ends, with the last byte that was read; its result is written, too.
  std::function<std::string(char)> at_end = {};
};

class Stream {
 public:
  explicit Stream(StreamOptions options);

  [[nodiscard]] pollfd PollSource() const;
  [[nodiscard]] pollfd PollTarget() const;
  void OnSource(short events);
  void OnTarget(short events);
  // The source has been silent for a while.
  void OnIdle();
  [[nodiscard]] char LastByte() const { return last_; }  // of what was read so far; "\n": nothing
  [[nodiscard]] bool Idling() const { return source_ && filter_.Holding(); }

  // When the source ends, replaces the target by /dev/null, so that its reader sees the end.
  void ReleaseTargetAtEnd();
  // To be called when the run's processes have ended: reads what the source holds now, then closes it.
  void EndSource();
  void CloseSource();
  // Drops everything that has not been written.
  void Abandon();

  [[nodiscard]] bool SourceOpen() const { return static_cast<bool>(source_); }
  [[nodiscard]] bool Finished() const { return !source_ && pending_.empty(); }
  // Whether output that was written to a terminal may make it answer.
  [[nodiscard]] bool AskedTerminal() const { return queries_.Seen() || (terminal_ && terminal_->Asked()); }
  [[nodiscard]] bool Truncated() const { return filter_.Truncated(); }
  // The errno of a failed write other than to a closed pipe or socket, such as ENOSPC; 0: none.
  [[nodiscard]] int Failure() const { return failure_; }
  // The first bytes that came, for messages, as far as the filter has seen them.
  [[nodiscard]] const std::string& Head() const { return filter_.Head(); }

 private:
  bool TransferOnce();
  bool ReadOnce();
  bool MoveOnce();
  void CountMoved(std::uint64_t count);
  void CountLeft(std::size_t count);
  // How much to read of a source, at most `most`.
  [[nodiscard]] std::size_t Wanted(std::size_t most) const { return left_ ? std::min(*left_, most) : most; }
  std::string& Sink();
  // Lets `write` append to the sink, and looks for terminal queries in it.
  void Emit(const std::function<void(std::string& sink)>& write);
  void WritePending();
  ssize_t WriteOnce();
  void OnWriteError(int number);
  void LookAtTarget();
  void StopMoving();
  void ReleaseTarget();

  UniqueFd source_;
  UniqueFd own_target_;  // our own open file description of the target, so that it can be non-blocking
  int target_;
  int released_ = -1;  // the target's number until it is released; -1: it is kept
  bool moves_;
  bool first_line_;              // it has not come yet, and is read
  bool pipe_or_socket_ = false;  // poll(2) reports when its reader is gone
  bool socket_ = false;
  bool non_blocking_ = false;
  bool full_ = false;     // the target, while bytes are spliced into it
  bool discard_ = false;  // the target's reader is gone: read on, write nothing
  std::uint64_t moved_ = 0;
  std::optional<std::size_t> left_ = {};  // what the source held when the run's processes had ended
  int failure_ = 0;
  char last_ = '\n';
  OutputFilter filter_;
  std::optional<TerminalOutput> terminal_ = {};  // where the target is the caller's terminal
  TerminalQueries queries_ = {};                 // of what the terminal gets
  TerminalTurn turn_ = {};                       // in writing to it
  std::function<std::string(char)> at_end_;
  std::string pending_;
  std::string dropped_;
};

}  // namespace mxc
