// The text of a private key as it may arrive: of any length, with or without an end, in lines with numbers or
// names before them, quoted in source code, or all in one line.
//
// Lines are swallowed as long as they look like a key's. What does not is held, for the end of the key may
// still come; with too much of it, or where another key begins, the key is taken for one without an end, and
// what was held is let go.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "report/shapes.h"

namespace mxc {

// "-----BEGIN ... PRIVATE KEY" and its like of PGP, SSH2 and PuTTY; without what closes that line.
[[nodiscard]] Match MatchKeyBegin(std::string_view text, bool at_end);

class KeyBlock {
 public:
  static constexpr std::size_t kMaxHeldBytes = 2048;  // lines that are not swallowed, and not let go

  enum class Mode { kMore, kIdle, kEnd };  // more may come; nothing has come for a while; nothing will
  struct Taken {
    std::size_t bytes = 0;  // of the key, from the start of the text
    bool over = false;      // what follows is no key
  };
  // `rest` begins behind what was taken before, and behind the byte `previous`. Looks no further than it may
  // hold: call again where something was taken and it is not over.
  [[nodiscard]] Taken Take(std::string_view rest, char previous, Mode mode);

 private:
  enum class Kind { kKey, kOther };
  [[nodiscard]] Taken TakeLines(std::string_view rest, Mode mode);
  [[nodiscard]] bool IsOfKey(std::string_view line);
  // Bytes of a line before what may be the end of the key, and of one whose own end has not come.
  [[nodiscard]] std::size_t TakeBefore(std::string_view end);
  [[nodiscard]] std::size_t TakeOpenLine(std::string_view line, bool& prose);
  [[nodiscard]] Kind KindOf(std::string_view line);

  std::string lead_ = {};  // what stood before the last line of the key
  bool has_body_ = false;  // headers come before it
  int headers_ = 0;
  bool in_long_line_ = false;  // that has been judged already
};

}  // namespace mxc
