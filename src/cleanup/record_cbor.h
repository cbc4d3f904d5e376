// Records are in CBOR (RFC 8949), as nlohmann/json writes it. Its reader calls itself for each level, and for
// each string of indefinite length in another, so the text of a record is examined before it is parsed.
#pragma once

#include <cstddef>
#include <string_view>

namespace mxc {

// Arrays and maps in each other. A directory that is kept takes three levels (KeepRoom::levels).
inline constexpr std::size_t kMaxRecordLevels = 1000;

// Whether `text` is one item without tags and lengths that are indefinite, within these levels.
[[nodiscard]] bool IsRecordCbor(std::string_view text);

}  // namespace mxc
