#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "stdio/stream_target.h"
#include "stdio/terminal_turn.h"

namespace mxc {
namespace {

// For the rest of another launcher's sequence, where the terminal has room.
constexpr int kLongestTurnMs = 1000;
// Ends a string, and whatever else was begun by beginning anew.
constexpr std::string_view kEndSequence = "\033\\";

}  // namespace

ssize_t TerminalTurn::Write(int borrowed_fd, std::string& pending, std::size_t size) {
  if (!cut_ && !LockTerminal(borrowed_fd)) {
    if (waited_ms_ < kLongestTurnMs) {
      if (IsWritable(borrowed_fd)) waited_ms_ += ::poll(nullptr, 0, 1) == 0 ? 1 : 0;
      errno = EAGAIN;
      return -1;
    }
    if (pending.compare(0, kEndSequence.size(), kEndSequence) != 0) {
      pending.insert(0, kEndSequence);
      size += kEndSequence.size();
    }
  } else {
    waited_ms_ = 0;
  }
  const ssize_t count = ::write(borrowed_fd, pending.data(), std::min(size, pending.size()));
  const int number = errno;
  if (count > 0 && static_cast<std::size_t>(count) < pending.size()) {
    std::string whole;
    if (!cut_) cut_.emplace([] { return true; });
    cut_->Feed(std::string_view(pending).substr(0, static_cast<std::size_t>(count)), whole);
  }
  const bool all = count > 0 && static_cast<std::size_t>(count) == pending.size();
  if (all || (cut_ && !cut_->Holding())) cut_.reset();
  if (!cut_) UnlockTerminal(borrowed_fd);
  errno = number;
  return count;
}

}  // namespace mxc
