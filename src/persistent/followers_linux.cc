#include <sys/socket.h>

#include <utility>

#include "gateway/gateway.h"
#include "persistent/followers.h"
#include "persistent/message.h"
#include "persistent/reply.h"

namespace mxc::session {
namespace {

// Each costs the daemon a descriptor.
constexpr std::size_t kMostFollowers = 256;

}  // namespace

bool Followers::Begin(Follower& follower) {
  follower.begun = true;
  const Status sent = SendReply(follower.connection.Get(), std::exchange(follower.reply, {}));
  if (sent) return true;
  [[maybe_unused]] const Status told = SendReply(follower.connection.Get(), ErrorText(sent.error()));
  return false;
}

void Followers::Await(Follower& follower) {
  if (++last_mark_ == 0) last_mark_ = 1;
  follower.mark = ask_mark_(last_mark_) ? last_mark_ : 0;
}

bool Followers::Add(UniqueFd connection, std::string reply) {
  if (all_.size() >= kMostFollowers) return false;
  Follower follower{.connection = std::move(connection), .reply = std::move(reply)};
  Await(follower);
  if (follower.mark != 0 || Begin(follower)) all_.push_back(std::move(follower));
  return true;
}

void Followers::OnRecord(const GatewayRecord& record) {
  for (Follower& follower : all_) {
    if (!follower.begun) continue;
    GatewayRecord told = record;
    told.lost += follower.lost;
    const bool sent = SendRecord(follower.connection.Get(), told);
    follower.lost = sent ? 0 : told.lost + 1;
  }
}

void Followers::OnMark(std::uint32_t mark) {
  std::erase_if(all_, [mark](Follower& follower) {
    if (follower.mark != mark) return false;
    follower.mark = 0;
    return follower.begun || !Begin(follower);
  });
}

void Followers::OnGatewayEnd() {
  std::erase_if(all_, [](Follower& follower) {
    const bool waits = std::exchange(follower.mark, 0) != 0;
    return follower.begun ? waits : !Begin(follower);
  });
}

void Followers::End() { all_.clear(); }

std::vector<int> Followers::Descriptors() const {
  std::vector<int> descriptors;
  for (const Follower& follower : all_) {
    // A follower that has ended its direction only waits for its last records.
    descriptors.push_back(follower.begun && follower.mark != 0 ? -1 : follower.connection.Get());
  }
  return descriptors;
}

void Followers::OnEvent(std::size_t index) {
  Follower& follower = all_.at(index);
  if (follower.begun) Await(follower);
  if (follower.mark == 0 || !follower.begun) all_.erase(all_.begin() + static_cast<std::ptrdiff_t>(index));
}

}  // namespace mxc::session
