// What a client says on a connection whose host matters: its opening, and with HTTP/1 every later request,
// for each may name another host.
//
//   ClientSide client;
//   for (each chunk the client sends) {
//     while (!chunk.empty()) {
//       const ClientSide::Heard heard = client.Hear(chunk);
//       kMore:   the first heard.size bytes may be forwarded
//       kHead:   judge client.Head().Hosts(), then forward them
//       kBroken: refuse: client.Problem(). They were not forwarded
//       chunk = chunk.subspan(heard.size);
//     }
//   }
//   client.Free(): nothing more has to be looked at.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "egress/http_body.h"
#include "egress/opening.h"

namespace mxc::egress {

class ClientSide {
 public:
  enum class State { kMore, kHead, kBroken };
  struct Heard {
    State state = State::kMore;
    std::size_t size = 0;
  };
  [[nodiscard]] Heard Hear(ByteView chunk);

  [[nodiscard]] const Opening& Head() const { return head_; }
  [[nodiscard]] bool First() const { return first_; }  // is it the first thing said?
  [[nodiscard]] std::string_view Problem() const { return problem_; }
  [[nodiscard]] bool Free() const { return free_; }

  // Bytes of a body that come next: they may be forwarded unseen. Tell by Skip.
  [[nodiscard]] std::uint64_t Unread() const { return body_ ? body_->Unread() : 0; }
  void Skip(std::uint64_t count);

 private:
  [[nodiscard]] Heard HearBody(ByteView chunk);
  [[nodiscard]] Heard HearHead(ByteView chunk);
  void EndBody();

  Opening head_;
  std::size_t fed_ = 0;  // of the head, before this chunk
  bool complete_ = false;
  std::optional<HttpBody> body_ = {};
  bool first_ = true;
  bool free_ = false;
  std::string_view problem_ = {};
};

}  // namespace mxc::egress
