// What credentials and personal data look like: recognisers for shape_scanner.cc, which feeds them
// text as it arrives.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace mxc {

// A set of bytes.
using ByteSet = std::array<bool, 256>;

// What a recogniser found at the start of a text.
struct Match {
  enum class Kind {
    kNone,    // nothing, whatever follows
    kWeak,    // perhaps a match if the text goes on, but most words are like that
    kStrong,  // the start of something that is hardly anything else
    kFound,
  };
  Kind kind = Kind::kNone;
  std::size_t keep = 0;           // kFound: bytes of it that are printed (a "Bearer " or a user name)
  std::size_t length = 0;         // kFound: of the match, `keep` included
  const ByteSet* rest = nullptr;  // kFound: bytes that still belong to it where they follow directly
};

[[nodiscard]] bool IsWordByte(unsigned char byte);  // letter, digit, underscore
[[nodiscard]] bool IsMailByte(unsigned char byte);  // of the part before the @
[[nodiscard]] bool MayStartSecret(unsigned char byte);
[[nodiscard]] bool MayStartPersonal(unsigned char byte);

// `at_end`: the text is complete, so nothing is partial.
[[nodiscard]] Match MatchSecret(std::string_view text, bool at_end);
[[nodiscard]] Match MatchMail(std::string_view text, bool at_end);
[[nodiscard]] Match MatchNumber(std::string_view text, bool at_end);  // card, telephone, social security
[[nodiscard]] Match MatchAddress(std::string_view text, bool at_end);  // IPv4, IPv6
[[nodiscard]] Match MatchText(std::string_view text, std::string_view wanted, bool at_end);

}  // namespace mxc
