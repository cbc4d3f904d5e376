// Standard input of a command, relayed into a pipe of ours. Whoever holds the caller's own pipe or file could
// open it again through /proc/self/fd, also for writing, where a host shell reads its script from it.
//
// What the command has not read stays the caller's. Bytes of a pipe or a socket are first lent: they are
// copied into our pipe, which holds one page, and taken from the caller's stream when the command has read
// them. A command that has read much (kStreamBytes) gets the rest without a copy, and may leave a pipe's
// worth of it unread. A file is read without moving its offset, which is set at the end to what the command
// has read.
//
//   Result<StandardInput::Opened> opened = StandardInput::Open(STDIN_FILENO);
//   standard[0] = opened->child_end.Get();
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/unique_fd.h"
#include "mxc/error.h"

namespace mxc {

class StandardInput {
 public:
  struct Opened;
  // `source` is borrowed and stays open; where the command closes its input, /dev/null takes its place.
  // Errors: kSetupFailed.
  [[nodiscard]] static Result<Opened> Open(int borrowed_source);

  [[nodiscard]] pollfd PollSource() const;
  [[nodiscard]] pollfd PollTarget() const;
  void OnSource(short events);
  void OnTarget(short events);
  // The terminal is another job's. Look: whether it still is.
  [[nodiscard]] bool InBackground() const { return in_background_; }
  void Look() { in_background_ = in_background_ && !MayRead(); }
  // Nobody reads any more: what is unread is the caller's again.
  void Finish();

 private:
  enum class Kind {
    kPipe,      // tee(2) leaves what it copies
    kSocket,    // of bytes: so does MSG_PEEK
    kFile,      // has an offset
    kTerminal,  // gives a line at a time, and only in the foreground
    kOther,     // what is read is gone
  };

  StandardInput(int source, Kind kind) : source_(source), kind_(kind) {}
  [[nodiscard]] static Kind KindOf(int fd);
  [[nodiscard]] std::size_t Unread() const;
  [[nodiscard]] bool MayRead();
  void Advance();
  void Lend();
  ssize_t LendOnce();
  ssize_t LendFromSocket();
  ssize_t ReadLine();
  ssize_t ReadSome();
  ssize_t PutFile();
  void Take(std::size_t count);
  void Stream();
  void WritePending();
  void CommandClosed();

  int source_;
  Kind kind_;
  UniqueFd target_ = {};  // the writing end of our pipe; empty at the end of the input
  UniqueFd probe_ = {};   // of a file: the reading end, to learn what is left in it
  UniqueFd null_ = {};    // where bytes go that the command has read
  std::size_t lent_ = 0;
  std::uint64_t taken_ = 0;
  bool streaming_ = false;
  bool full_ = false;           // our pipe, while streaming
  bool in_background_ = false;  // the terminal is somebody else's for now
  off_t begin_ = 0;
  off_t offset_ = 0;          // of a file: what was put into our pipe so far
  std::string pending_ = {};  // read from a source that cannot be asked again
};

struct StandardInput::Opened {
  std::unique_ptr<StandardInput> input = {};
  UniqueFd child_end = {};
};

}  // namespace mxc
