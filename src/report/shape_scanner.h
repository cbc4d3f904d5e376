// Finds what shapes.h recognises in a stream. What may be the start of a match is held until more arrives: at
// most kMaxHeldBytes, and behind a private key what KeyBlock holds. A match is marked as soon as its shortest
// form is complete, and the rest of it without being held.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/key_block.h"
#include "report/redact_window.h"

namespace mxc {

class ShapeScanner {
 public:
  static constexpr std::size_t kMaxHeldBytes = 4096;
  using Mode = KeyBlock::Mode;

  ShapeScanner(bool secrets, bool pii);

  void Feed(std::string_view bytes, Mode mode, RedactWindow& window);
  // What stands before this place is judged.
  [[nodiscard]] std::uint64_t Settled() const { return place_; }

 private:
  std::size_t Step(std::string_view rest, Mode mode, RedactWindow& window);
  [[nodiscard]] std::size_t PlainRun(std::string_view rest) const;
  std::size_t Swallow(std::string_view rest, Mode mode);

  bool secrets_;
  bool pii_;
  std::vector<bool> may_start_;  // by byte: can a match begin with it?
  std::string held_;
  std::uint64_t place_ = 0;                 // of the first byte of held_
  unsigned char previous_ = '\n';           // byte before it: matches begin at the edge of a word
  const bool* swallowing_ = nullptr;        // set of bytes that still belong to the last match
  std::optional<KeyBlock> key_block_ = {};  // behind the first line of a private key
};

}  // namespace mxc
