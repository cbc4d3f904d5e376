// Finds given texts in a stream: each one, wherever it stands, also inside of another or overlapping it. The
// automaton of Aho and Corasick: time linear in the stream, memory linear in the texts.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/redact_window.h"

namespace mxc {

class KnownValues {
 public:
  // A text is also found with \r\n where it has \n, as a terminal prints it (ONLCR).
  explicit KnownValues(const std::vector<std::string>& values);

  // Marks the values that end in `bytes`.
  void Feed(std::string_view bytes, RedactWindow& window);
  // What stands before this place is of no value that goes on.
  [[nodiscard]] std::uint64_t Settled() const { return place_ - nodes_[state_].depth; }

 private:
  using Index = std::uint32_t;
  static constexpr Index kNone = 0;  // the root is nobody's child

  // What has been read of one value or more: the longest end of the stream that a value begins with.
  struct Node {
    Index child = kNone;
    Index sibling = kNone;
    Index fallback = kNone;      // the next shorter end of this that a value begins with
    std::uint32_t depth = 0;     // bytes from the root
    std::uint32_t complete = 0;  // bytes of the longest value that ends here; 0: none
    char byte = '\0';            // that leads here
  };

  void Add(std::string_view value);
  void LinkFallbacks();
  [[nodiscard]] Index Child(Index node, char byte) const;
  [[nodiscard]] Index Next(Index node, char byte) const;
  void Mark(std::uint64_t from, std::uint64_t to, RedactWindow& window);

  std::vector<Node> nodes_ = std::vector<Node>(1);
  std::array<Index, 256> first_ = {};  // the children of the root
  Index state_ = 0;
  std::uint64_t place_ = 0;
  std::uint64_t marked_from_ = 0;  // the last marked run, which matches that overlap it extend
  std::uint64_t marked_to_ = 0;
};

}  // namespace mxc
