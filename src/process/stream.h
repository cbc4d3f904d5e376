// One direction of relayed bytes: a source, an optional filter, a bounded buffer, a target. It never blocks:
// the relay polls both ends and calls back.
//
//   Stream stream({.source = std::move(pipe), .target = STDOUT_FILENO, .max_bytes = 1 << 20});
//   polls.push_back(stream.PollSource());
//   polls.push_back(stream.PollTarget());
#pragma once

#include <poll.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/unique_fd.h"
#include "report/redact.h"

namespace mxc {

struct StreamOptions {
  UniqueFd source = {};
  int target = -1;              // borrowed
  std::uint64_t max_bytes = 0;  // of what is written; 0: no cap
  std::optional<RedactionRules> redaction = {};
  // Called with the last byte that was read when the source ends; what it returns is written too.
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
  [[nodiscard]] bool Idling() const { return source_ && redactor_ && redactor_->Holding(); }

  // Nobody will write to the source any more: what is in it is read, and then it is closed.
  void EndSource();
  void CloseSource();
  // Gives up on everything that has not been written.
  void Abandon();

  [[nodiscard]] bool SourceOpen() const { return static_cast<bool>(source_); }
  [[nodiscard]] bool Finished() const { return !source_ && pending_.empty(); }
  [[nodiscard]] bool Truncated() const { return truncated_; }
  // The first bytes that came, for messages.
  [[nodiscard]] const std::string& Head() const { return head_; }

 private:
  bool ReadOnce();
  void Accept(std::string_view bytes);
  void Queue(std::string_view bytes);
  void WritePending();

  UniqueFd source_;
  UniqueFd own_target_;  // our own open file description of the target, so that it can be non-blocking
  int target_;
  bool socket_ = false;
  bool non_blocking_ = false;
  bool discard_ = false;  // the target is gone: read on, write nothing
  bool truncated_ = false;
  char last_ = '\n';
  std::uint64_t room_;
  std::optional<Redactor> redactor_;
  std::function<std::string(char)> at_end_;
  std::string pending_;
  std::string head_;
};

}  // namespace mxc
