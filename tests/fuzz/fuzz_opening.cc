// The first bytes of a connection. Properties:
//   how the bytes are cut into pieces changes nothing about what is passed and under which names;
//   every name that comes out is in its one form.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "egress/opening.h"
#include "egress/rules.h"

namespace mxc::egress {
namespace {

void Require(bool holds, std::string_view property) {
  if (holds) return;
  std::cerr << "violated: " << property << "\n";
  std::abort();
}

Opening::State FeedInPieces(Opening& opening, ByteView bytes, std::size_t piece) {
  Opening::State state = Opening::State::kMore;
  while (!bytes.empty() && state == Opening::State::kMore) {
    const ByteView chunk = bytes.first(std::min(piece, bytes.size()));
    bytes = bytes.subspan(chunk.size());
    state = opening.Feed(chunk);
  }
  return state;
}

}  // namespace
}  // namespace mxc::egress

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mxc::egress;  // NOLINT(google-build-using-namespace)
  const ByteView bytes(data, size);
  Opening whole;
  const Opening::State state = FeedInPieces(whole, bytes, size + 1);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}}) {
    Opening pieces;
    const Opening::State same = FeedInPieces(pieces, bytes, piece);
    Require((same == Opening::State::kDone) == (state == Opening::State::kDone),
            "passed in pieces as a whole");
    if (same != Opening::State::kDone) continue;
    Require(pieces.Is() == whole.Is() && pieces.Hosts() == whole.Hosts(), "the same names");
    Require(pieces.Encrypted() == whole.Encrypted(), "the same secrecy");
  }
  for (const std::string& host : whole.Hosts()) Require(ValidName(host) == host, "one form of a name");
  return 0;
}
