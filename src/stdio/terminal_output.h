// What a command writes to the caller's terminal, in whole sequences: what two runs write to one terminal
// never joins to a sequence that neither wrote. A sequence that the terminal may answer passes only while
// `may_ask`.
//
//   TerminalOutput output([] { return TakesAnswers(STDOUT_FILENO); });
//   output.Feed(bytes, out);  // as often as there is data; `out` is appended to
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace mxc {

class TerminalOutput {
 public:
  explicit TerminalOutput(std::function<bool()> may_ask) : may_ask_(std::move(may_ask)) {}

  void Feed(std::string_view bytes, std::string& out);
  // No more output follows: drops an unfinished sequence, which has no effect on a terminal.
  void Finish(std::string& out);
  // Whether the output so far ends within a sequence or a character, which is held.
  [[nodiscard]] bool Holding() const { return state_ != State::kText || need_ > 0; }
  // Whether a sequence has passed that a terminal may answer.
  [[nodiscard]] bool Asked() const { return asked_; }

 private:
  enum class State { kText, kEscape, kControl, kString, kStringEscape };
  // What becomes of the rest of a string that is too long to be held.
  enum class Rest { kNone, kPasses, kPassesIfItMayAsk, kIsDropped };

  void Next(std::uint8_t byte, std::string& out);
  void Character(char32_t character, std::string& out);
  void InText(char32_t character, std::string& out);
  void InEscape(char32_t character, std::string& out);
  void InControl(char32_t character, std::string& out);
  void InString(char32_t character, std::string& out);
  void EndBroken(std::string& out);
  void Restart(std::size_t begin, State state, std::string& out);
  void BeginString(char introducer);
  void Settle(bool asks, std::string& out);
  void MakeRoom(std::string& out);
  void Drop(std::string& out);
  [[nodiscard]] bool MayAsk();
  [[nodiscard]] std::string Body(std::size_t end) const;
  [[nodiscard]] bool IsSilentString() const;

  std::function<bool()> may_ask_;
  std::optional<bool> may_ask_now_ = {};  // asked for once in each piece of output
  State state_ = State::kText;
  Rest rest_ = Rest::kNone;
  std::string held_ = {};
  std::size_t begin_ = 0;      // in `held_`: of the last sequence; what is before it was cut off by it
  std::size_t character_ = 0;  // ... of the last character
  std::size_t body_ = 0;       // ... of what follows the introducer of a control sequence or a string
  char kind_ = 0;              // the introducer of a string: ']', 'P' or another
  std::string intermediates_ = {};
  bool doubtful_ = false;  // holds a control, for some terminals at least, that may ask
  unsigned need_ = 0;      // bytes of a character of UTF-8 that are missing
  char32_t code_ = 0;
  char32_t least_ = 0;  // a smaller code has a shorter form
  bool asked_ = false;
};

// The length of the longest beginning of `output` that cuts no sequence and has at most `most` bytes; `most`
// where the first sequence is longer.
[[nodiscard]] std::size_t WholeSequences(std::string_view output, std::size_t most);

}  // namespace mxc
