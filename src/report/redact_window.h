// The bytes of a stream that have come and are not written yet, and which of them are to be replaced. Several
// recognisers mark them, each for itself; what is replaced is the union of what they mark.
//
// A place in the stream is the number of bytes before it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mxc {

inline constexpr std::string_view kRedacted = "[REDACTED]";

class RedactWindow {
 public:
  void Append(std::string_view bytes);
  // Of what was written already nothing is changed.
  void Mark(std::uint64_t from, std::uint64_t to);
  // Marked bytes that follow each other become one kRedacted.
  void WriteUpTo(std::uint64_t place, std::string& out);
  [[nodiscard]] bool Empty() const { return bytes_.empty(); }

 private:
  std::string bytes_;
  std::string marks_;          // for each byte kMarked or kPlain
  std::uint64_t written_ = 0;  // place of the first byte
  bool in_mark_ = false;       // the last byte that was written was marked
};

}  // namespace mxc
