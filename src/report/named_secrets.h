// What is assigned to the name of a secret: password=…, "token": "…", secret => '…', Authorization: ….
//
// Reads byte by byte, and holds nothing but what may turn out to be of a value: its first bytes, and a quote,
// a control sequence or backslashes that perhaps end it. Control sequences (colours) are not in the way.
//
// Where a value ends depends on what it stands in. JSON and most languages put a backslash before a quote
// that belongs to the value; a document in a string of another has its quotes and backslashes escaped once
// more; YAML and SQL write such a quote twice; a shell joins 'it'\''s' and 'a'"b"c. In a query '&' ends a
// value, in JSON a comma. What may belong to the value does. A line ends every value, unless its end is
// escaped inside quotes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "report/redact_window.h"

namespace mxc {

class NamedSecrets {
 public:
  static constexpr std::size_t kMaxHeldBytes = 64;

  void Feed(std::string_view bytes, RedactWindow& window);
  // Nothing follows.
  void Finish(RedactWindow& window);
  // What stands before this place is judged.
  [[nodiscard]] std::uint64_t Settled() const { return InValue() ? undecided_ : place_; }

 private:
  enum class State {
    kText,
    kName,
    kBehindName,
    kBehindSign,
    kBeforeValue,
    kScheme,  // "Bearer ", before a value
    kValue,
    kBehindQuote,    // that closes the value, unless it goes on
    kBehindElement,  // of a list
  };
  enum class Header { kNo, kAnyScheme, kOneWord };
  struct Quote {
    char mark = '\0';         // one of "'`; '\0': none
    std::size_t escapes = 0;  // backslashes before it: 1, 3, 7 in a document inside of a string
  };

  [[nodiscard]] bool InValue() const {
    return state_ >= State::kBeforeValue && state_ <= State::kBehindQuote;
  }
  [[nodiscard]] bool InControlSequence(char c);
  [[nodiscard]] bool IsInQuery() const;
  [[nodiscard]] bool IsSignature() const;
  [[nodiscard]] bool IsPwd() const;
  [[nodiscard]] bool IsNamed();
  [[nodiscard]] bool EndsWord(char c) const;
  [[nodiscard]] bool EndsPart(char c) const;
  void SkipInSequence();
  void Take(char c);
  void Text(char c);
  void Name(char c);
  void AddToName(char c);
  void BehindName(char c);
  void BehindSign(char c);
  void BeforeValue(char c);
  void Open(char c);
  [[nodiscard]] bool BeginsArchitecture(std::string_view word) const;
  void Scheme(char c);
  void Value(char c);
  void BehindQuote(char c);
  void BehindElement(char c);
  void BeginUnquoted(char c);
  void End(char c);
  void Decide(std::uint64_t to);

  RedactWindow* window_ = nullptr;  // while it is fed
  State state_ = State::kText;
  std::uint64_t place_ = 0;      // of the byte that is taken
  std::uint64_t undecided_ = 0;  // in a value: the first byte that may belong to it or not
  std::size_t backslashes_ = 0;  // directly before `place_`
  char sequence_ = '\0';         // last byte of an open control sequence

  Quote last_ = {};           // the byte before `place_`, whatever it is
  Quote before_ = {};         // ... before the name
  std::string letters_ = {};  // last ones of the name, in lower case
  bool begins_capital_ = false;
  bool capitals_ = false;      // the name has no other letters
  bool named_inside_ = false;  // a word within the name is one of a secret

  bool name_quoted_ = false;
  bool blank_ = false;  // behind the name, or behind the sign
  char sign_ = '\0';    // = or :
  bool list_ = false;
  Header header_ = Header::kNo;
  std::string opening_ = {};  // of a value: what may stand before its quote, or its scheme
  Quote quote_ = {};          // that the value stands in now
  bool begins_quoted_ = false;
  std::string_view ends_ = {};  // besides blanks, of a value without quotes
};

}  // namespace mxc
