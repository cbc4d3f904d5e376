// A terminal answers questions in its output by what it sends as if it was typed. An answer that arrives
// after the run would be typed into the caller's shell.
//
//   queries.Feed(output);
//   if (queries.Seen()) DiscardAnswers(terminal);
#pragma once

#include <cstdint>
#include <string_view>

namespace mxc {

// Looks for what a terminal may answer: ENQ, and every control sequence and string that is not known to be
// silent.
class TerminalQueries {
 public:
  void Feed(std::string_view output);
  [[nodiscard]] bool Seen() const { return seen_; }

 private:
  enum class State { kText, kEscape, kControl, kString, kStringEscape };

  void Next(std::uint8_t byte);
  void InText(std::uint8_t byte);
  void InEscape(std::uint8_t byte);
  void InControl(std::uint8_t byte);
  void InString(std::uint8_t byte);

  State state_ = State::kText;
  bool seen_ = false;
  bool marked_ = false;  // a control sequence with a private parameter or an intermediate
};

// Reads and drops what comes from the terminal, until it has answered a question of ours: it answers in
// order. Waits half a second at most; leaves a terminal alone that is in use by another job.
void DiscardAnswers(int borrowed_terminal);
// Of the run's standard streams the one from which its terminal can be read; -1: none.
[[nodiscard]] int ReadableTerminal();

}  // namespace mxc
