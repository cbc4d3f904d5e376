// Where the value ends that is assigned to the name of a secret: token='it''s', "token": "a\"b", token=a\ b.
//
// JSON and most languages put a backslash before a quote that belongs to the value; a document in a string of
// another has its quotes and backslashes escaped once more; YAML and SQL write such a quote twice; a shell
// joins 'it'\''s' and 'it'"'"'s'. A quote that may belong to the value does. A line ends every value, unless
// its end is escaped inside quotes.
#pragma once

#include <cstddef>
#include <string_view>

namespace mxc {

// What the value stands in.
struct Quotation {
  static constexpr std::size_t kMaxEscapes = 15;  // a document in a document, four times over

  char mark = '\0';         // one of "'`; '\0': none, it ends with the word
  std::size_t escapes = 0;  // backslashes before the opening quote: 1, 3, 7 in a document inside of a string
};

class SecretValue {
 public:
  explicit SecretValue(Quotation quotation) : quotation_(quotation) {}

  struct Taken {
    std::size_t bytes = 0;  // of the value, from the start of the text
    bool over = false;      // what follows is not of the value
  };
  // `rest` begins behind what was taken before. Not taken, and not over: what may end the value is all there
  // is, at most kMaxEscapes bytes.
  [[nodiscard]] Taken Take(std::string_view rest, bool at_end);

 private:
  Quotation quotation_;
  std::size_t backslashes_ = 0;  // directly before `rest`
};

}  // namespace mxc
