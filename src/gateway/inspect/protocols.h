// Protocols without virtual hosts: a client that speaks one at an allowed name reaches only that name's
// server. Both sides must be recognised, first the client's opening or the server's greeting, then the
// other's answer: else a server could read the client's bytes as another protocol.
#pragma once

#include <cstddef>
#include <string_view>

#include "gateway/net/bytes.h"

namespace mxc::egress {

enum class Match { kNo, kMaybe, kYes };

// How the stream continues once both sides are recognised.
enum class Sequel {
  kFree,      // nothing in it names a host
  kWatched,   // TLS may begin anywhere in it
  kLines,     // text lines; a command may ask for TLS, whose ClientHello then begins where a line would
  kFile,      // as kLines; unless the server greets as one of mail, a line may ask for another of its hosts
  kMysql,     // the client's first packet says whether TLS follows
  kPostgres,  // the client may ask for TLS before the session begins
};

struct FirstBytesMatch {
  Match match = Match::kNo;
  std::size_t size = 0;     // kYes: number of recognised bytes
  bool negotiates = false;  // kYes, PostgreSQL: a request for encryption, before the session begins
};

struct KnownProtocol {
  std::string_view name;
  // Matches the client's opening; nullptr: the server speaks first.
  FirstBytesMatch (*client)(ByteView);
  // Matches the server's first bytes `said`. `first_bytes`: the client's; empty if the server spoke first.
  Match (*server)(ByteView said, ByteView first_bytes);
  Sequel sequel;
};

// The protocol of the client's opening; nullptr and kNo: none.
struct ClientProtocol {
  const KnownProtocol* protocol = nullptr;
  FirstBytesMatch found = {};
};
[[nodiscard]] ClientProtocol FindByFirstBytes(ByteView bytes);
// The protocol whose server sends this greeting before its client; nullptr: none, or not yet.
[[nodiscard]] const KnownProtocol* FindByGreeting(ByteView bytes);

}  // namespace mxc::egress
