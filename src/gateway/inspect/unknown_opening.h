// The opening of a protocol that the gateway does not know: what it must not be.
#pragma once

#include <cstddef>
#include <string>

#include "gateway/inspect/protocols.h"
#include "gateway/net/bytes.h"

namespace mxc::egress {

// Whether the client opens SOCKS 4, 4A or 5 (RFC 1928), which asks the server for other hosts, by name or by
// address.
[[nodiscard]] Match OpensSocks(ByteView first_bytes);

// Reads the first line to its end: a request may have begun in it, behind bytes that no request has and that
// some server reads over.
class UnknownOpening {
 public:
  enum class State { kMore, kEnded, kRequest };  // kRequest: a server could read a request in the line

  // To be called with the client's next bytes, in any pieces.
  [[nodiscard]] State Feed(ByteView text);
  [[nodiscard]] bool Begun() const { return size_ > 0; }

 private:
  std::string line_ = {};  // its last bytes, without those that servers skip at the beginning
  std::size_t size_ = 0;
  bool ended_in_half_ = false;  // it contained a lone LF, which some servers do not take for an end
};

}  // namespace mxc::egress
