// What the program says of a run, line by line (docs/errors.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ffi/text.h"

namespace mxc::ffi {

class StatusLines {
 public:
  // Takes what `borrowed_fd` has, without waiting. False: it has ended.
  bool Read(int borrowed_fd);

  [[nodiscard]] bool Started() const { return started_; }
  [[nodiscard]] const Failure& Refusal() const { return refusal_; }  // not failed: there was none
  [[nodiscard]] bool Told() const { return told_; }                  // how the command ended
  [[nodiscard]] int ExitCode() const { return exit_code_; }
  [[nodiscard]] bool TimedOut() const { return timed_out_; }
  [[nodiscard]] std::string Warnings() const;  // as a JSON array; empty: there were none

 private:
  void Take(std::string_view line);
  void TakeOutcome(std::string_view line);

  std::string rest_ = {};
  bool started_ = false;
  bool told_ = false;
  int exit_code_ = -1;
  bool timed_out_ = false;
  Failure refusal_ = {};
  std::vector<std::string> warnings_ = {};
};

// The error of an envelope, {"code":...,"message":...,"hint":...}.
[[nodiscard]] Failure FailureOf(std::string_view error);

}  // namespace mxc::ffi
