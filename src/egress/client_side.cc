#include "egress/client_side.h"

namespace mxc::egress {

ClientSide::Heard ClientSide::Hear(ByteView chunk) {
  if (free_) return {State::kMore, chunk.size()};
  return body_ ? HearBody(chunk) : HearHead(chunk);
}

void ClientSide::EndBody() {
  if (body_ && body_->Done()) body_.reset();
}

void ClientSide::Skip(std::uint64_t count) {
  if (body_) body_->Skip(count);
  EndBody();
}

ClientSide::Heard ClientSide::HearBody(ByteView chunk) {
  const std::optional<std::size_t> used = body_->Feed(chunk);
  if (!used) {
    problem_ = "the body of its HTTP request is malformed";
    return {State::kBroken, 0};
  }
  EndBody();
  return {State::kMore, *used};
}

// What follows a request is another one, or what the server has agreed to speak instead (CONNECT, Upgrade):
// an opening again.
ClientSide::Heard ClientSide::HearHead(ByteView chunk) {
  if (complete_) {
    head_ = Opening(Opening::When::kLater);
    fed_ = 0;
    first_ = complete_ = false;
  }
  switch (head_.Feed(chunk)) {
    case Opening::State::kMore:
      fed_ += chunk.size();
      return {State::kMore, chunk.size()};
    case Opening::State::kBroken:
      problem_ = head_.Problem();
      return {State::kBroken, 0};
    case Opening::State::kDone:
      break;
  }
  complete_ = true;
  free_ = head_.Is() != Opening::Kind::kHttp;
  if (free_) return {State::kHead, chunk.size()};
  body_.emplace(head_.Body());
  EndBody();
  return {State::kHead, head_.Size() - fed_};
}

}  // namespace mxc::egress
