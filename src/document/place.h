// Where a value stands in a document, in both spellings: "/network/egress/allow/0" for machines,
// `network.egress.allow[0]` for people. And the one form of message that names a place.
//
//   errors.push_back(ErrorAt(Place{}.Key("process").Key("cwd"), value.position, "must be absolute"));
#pragma once

#include <string>
#include <string_view>

#include "mxc/error.h"

namespace mxc {

struct Place {
  std::string pointer = {};  // RFC 6901
  std::string dotted = {};

  [[nodiscard]] Place Key(std::string_view key) const;
  [[nodiscard]] Place Item(std::size_t index) const;
};

// `text` between backticks, fit for a terminal: control characters escaped, cut after 64 bytes.
[[nodiscard]] std::string Ticked(std::string_view text);

// " at line 3 column 7", or nothing for an unknown position.
[[nodiscard]] std::string AtPosition(Position position);

// kSchema: "Invalid configuration at `process.cwd`: <text> at line 3 column 7".
[[nodiscard]] Error ErrorAt(const Place& place, Position position, std::string_view text,
                            std::string_view hint = {});

}  // namespace mxc
