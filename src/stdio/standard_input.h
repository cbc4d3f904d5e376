// Standard input of a command, relayed into a pipe of ours. A command that had the caller's own pipe or file
// could open it again through /proc/self/fd for writing, and change the script that a host shell reads from
// it.
//
// Input that the command does not read stays in the caller's stream. Bytes of a pipe or a socket are copied
// into our pipe, which holds one page, and removed from the caller's stream once the command has read them.
// After kStreamBytes they are moved without a copy, and the command may leave a pipe's worth of them unread.
// A file is read without moving its offset, which is set at the end to what the command has read.
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
  // Whether another job is in the terminal's foreground. Look finds out whether it still is.
  [[nodiscard]] bool InBackground() const { return in_background_; }
  void Look() { in_background_ = in_background_ && !MayRead(); }
  // To be called when nobody reads any more: leaves unread input in the caller's stream.
  void Finish();

 private:
  enum class Kind {
    kPipe,      // tee(2) copies without consuming
    kSocket,    // a stream socket: MSG_PEEK copies without consuming
    kFile,      // pread(2) leaves the offset
    kTerminal,  // gives a line at a time, and only in the foreground
    kOther,     // reading consumes
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
  UniqueFd probe_ = {};   // of a file: the reading end of our pipe, to learn how much is unread
  UniqueFd null_ = {};    // /dev/null, into which consumed bytes are moved
  std::size_t lent_ = 0;
  std::uint64_t taken_ = 0;
  bool streaming_ = false;
  bool full_ = false;           // our pipe, while streaming
  bool in_background_ = false;  // another job is in the terminal's foreground
  off_t begin_ = 0;
  off_t offset_ = 0;          // of a file: end of what was written into our pipe
  std::string pending_ = {};  // bytes consumed from the source and not yet written
};

struct StandardInput::Opened {
  std::unique_ptr<StandardInput> input = {};
  UniqueFd child_end = {};
};

}  // namespace mxc
