// Looks for lines in an opening that is not of lines. A server of another protocol that reads over what it
// does not understand would take them for commands of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "gateway/net/bytes.h"

namespace mxc::egress {

// Whether a line begins a request, of whatever version, or is FTP's HOST (RFC 7151). For openings with little
// in them that is random.
[[nodiscard]] bool HidesRequest(std::string_view text);

// For random bytes too: they contain such a line once in 2^38 bytes, so that one ClientHello in 2^27 with 2
// KiB of keys and tickets is refused.
class HiddenLines {
 public:
  // To be called with the next bytes, in any pieces. True: a line begins with FTP's HOST or "Host:", or asks
  // for a URL, with whatever blanks and commands of Telnet.
  [[nodiscard]] bool Feed(ByteView bytes);

 private:
  // What the line has been so far. Nothing of it is kept: it costs each byte once, in whatever pieces.
  class Line {
   public:
    // Whether it is one of those with this byte.
    [[nodiscard]] bool Add(std::uint8_t byte);

   private:
    static constexpr std::size_t kElsewhere = static_cast<std::size_t>(-1);
    enum class Telnet { kText, kCommand, kOption };
    // A word, blanks, letters, "://", the beginning of a name.
    enum class Url { kBefore, kMethod, kBehind, kScheme, kColon, kSlash, kName, kNone };
    [[nodiscard]] bool IsHost(char c);
    [[nodiscard]] bool IsUrl(char c);

    Telnet telnet_ = Telnet::kText;
    std::size_t host_ = 0;  // matched letters of "host"
    Url url_ = Url::kBefore;
  } line_ = {};
};

}  // namespace mxc::egress
