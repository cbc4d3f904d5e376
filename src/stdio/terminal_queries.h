// A terminal answers queries in its output as if the answer was typed. An answer that arrives after the run
// would be input of the caller's shell.
//
//   queries.Feed(output);
//   output += queries.Closing();
//   if (queries.Seen()) DiscardAnswers(terminal);
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mxc {

// Looks for queries that a terminal may answer: ENQ, and every control sequence and string that is not known
// to have no answer. Also for what may hide a line of text behind it: every control function except the
// format effectors and a colour that is reset.
class TerminalQueries {
 public:
  void Feed(std::string_view output);
  [[nodiscard]] bool Seen() const { return seen_; }
  // The control sequences after which text is shown at the cursor again; "" if nothing can have changed that.
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
  bool zeros_ = false;       // ... whose parameters are all 0
  bool font_ = false;        // ... with a parameter by which SGR selects a font
  bool screen_ = false;      // ... with a parameter that, as a private mode, selects a screen
  unsigned parameter_ = 0;   // the parameter that is being read
  bool attributes_ = false;  // text attributes are set
  bool alternate_ = false;   // the alternate screen is selected
  bool other_ = false;       // something else has changed, or may have on some terminal
};

// Sends the terminal a query of ours and drops its input up to the answer: a terminal answers in order. Waits
// at most half a second; does nothing if another job is in the foreground.
void DiscardAnswers(int borrowed_terminal);
// The same at the end of a run, with the controlling terminal.
void DiscardAnswersOfRun();
// Whether the answers of the terminal `shown` are ours to read and to drop: standard input and output are
// that terminal, it is the controlling one, and our job is in its foreground. Otherwise somebody else may
// read them: the shell, another program of the job, or whoever has the terminal as the controlling one.
[[nodiscard]] bool TakesAnswers(int shown);

}  // namespace mxc
