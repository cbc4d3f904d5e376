// A terminal answers questions in its output by what it sends as if it was typed. An answer that arrives
// after the run would be typed into the caller's shell.
//
//   queries.Feed(output);
//   output += queries.Closing();
//   if (queries.Seen()) DiscardAnswers(terminal);
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mxc {

// Looks for what a terminal may answer: ENQ, and every control sequence and string that is not known to be
// silent. And for what may keep a line of text behind it from being seen: all control functions but the
// format effectors and a colour that was reset.
class TerminalQueries {
 public:
  void Feed(std::string_view output);
  [[nodiscard]] bool Seen() const { return seen_; }
  // What brings a terminal into a state in which text is shown where its cursor is; "" when nothing can have
  // brought it out of that.
  [[nodiscard]] std::string Closing() const;

 private:
  enum class State { kText, kEscape, kControl, kString, kStringEscape };

  void Next(std::uint8_t byte);
  void InText(std::uint8_t byte);
  void InEscape(std::uint8_t byte);
  void InControl(std::uint8_t byte);
  void InString(std::uint8_t byte);
  void BeginControl();
  void EndParameter();

  State state_ = State::kText;
  bool seen_ = false;
  bool marked_ = false;      // a control sequence with a private parameter or an intermediate
  bool zeros_ = false;       // one without parameters but 0
  bool font_ = false;        // one with a parameter that SGR selects a font with
  bool screen_ = false;      // one with a parameter that selects a screen as a private mode
  unsigned parameter_ = 0;   // the number that it has got to
  bool attributes_ = false;  // are set
  bool alternate_ = false;   // the screen is
  bool other_ = false;       // anything else has changed, or may have as one terminal reads a byte
};

// Reads and drops what comes from the terminal, until it has answered a question of ours: it answers in
// order. Waits half a second at most; leaves a terminal alone that is in use by another job.
void DiscardAnswers(int borrowed_terminal);
// Of the run's standard streams the one from which its terminal can be read; -1: none.
[[nodiscard]] int ReadableTerminal();

}  // namespace mxc
