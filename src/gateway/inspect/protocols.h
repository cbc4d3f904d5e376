// Protocols without virtual hosts: whoever speaks one at an allowed name reaches that name's server and
// nobody else. Both sides are recognised, so that bytes which only look like one to us are not read as
// something else by the server: first by what the client opens with, or the server greets with, then by the
// other's answer.
#pragma once

#include <cstddef>
#include <string_view>

#include "gateway/net/bytes.h"

namespace mxc::egress {

enum class Match { kNo, kMaybe, kYes };

// How a client goes on once both sides are recognised.
enum class Sequel {
  kFree,      // nothing in it names a host
  kWatched,   // TLS may begin in it, at no place that is known
  kLines,     // of text; a command may ask for TLS, whose ClientHello then stands at the beginning of a line
  kMysql,     // its first packet says whether TLS follows
  kPostgres,  // TLS may be asked for before the session begins
};

struct FirstBytesMatch {
  Match match = Match::kNo;
  std::size_t size = 0;     // kYes: of what was recognised
  bool negotiates = false;  // kYes, PostgreSQL: it asks for encryption and does not begin a session yet
};

struct KnownProtocol {
  std::string_view name;
  // What the client opens with; nullptr: the server speaks first.
  FirstBytesMatch (*client)(ByteView);
  // Is this the beginning of what the server says? `opening`: of the client; empty where the server spoke
  // first.
  Match (*server)(ByteView said, ByteView first_bytes);
  Sequel sequel;
};

// The protocol that the client opens with; nullptr and kNo: none.
struct ClientProtocol {
  const KnownProtocol* protocol = nullptr;
  FirstBytesMatch found = {};
};
[[nodiscard]] ClientProtocol FindByFirstBytes(ByteView bytes);
// The protocol whose server greets so, before its client has said anything; nullptr: none, or not yet.
[[nodiscard]] const KnownProtocol* FindByGreeting(ByteView bytes);

}  // namespace mxc::egress
