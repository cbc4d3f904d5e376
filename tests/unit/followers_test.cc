#include "persistent/followers.h"

#include <gmock/gmock.h>
#include <sys/socket.h>

#include <optional>

#include "gateway/gateway.h"
#include "persistent/message.h"
#include "persistent/reply.h"

namespace mxc::session::followers_test {
namespace {

struct Pair {
  UniqueFd launcher = {};
  UniqueFd daemon = {};
};

Pair MakePair() {
  int ends[2] = {-1, -1};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), 0);
  return {UniqueFd{ends[0]}, UniqueFd{ends[1]}};
}

bool HasEnded(const Pair& pair) {
  char byte = 0;
  return ::recv(pair.launcher.Get(), &byte, 1, MSG_DONTWAIT) == 0;
}

std::optional<std::string> AddressOfNext(const Pair& pair) {
  const std::optional<GatewayRecord> record = ReadRecord(pair.launcher.Get());
  return record ? std::optional(record->address) : std::nullopt;
}

class FollowersTest : public testing::Test {
 protected:
  bool stands = true;
  std::uint32_t asked = 0;
  Followers followers{[this](std::uint32_t mark) {
    asked = mark;
    return stands;
  }};
  Pair pair = MakePair();

  void Begin() {
    ASSERT_TRUE(followers.Add(std::move(pair.daemon), BasisText("rules")));
    followers.OnMark(asked);
    const Result<std::string> reply = ReceiveReply(pair.launcher.Get());
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(ParseBasis(*reply).value(), "rules");
  }
};

TEST_F(FollowersTest, AreToldFromTheirMarkToTheNext) {
  const std::uint32_t before = asked;
  ASSERT_TRUE(followers.Add(UniqueFd{::dup(pair.daemon.Get())}, BasisText("rules")));
  pair.daemon.Reset();
  followers.OnRecord({.address = "192.0.2.1"});
  followers.OnMark(before);  // of another
  EXPECT_EQ(AddressOfNext(pair), std::nullopt);
  followers.OnMark(asked);
  EXPECT_TRUE(ReceiveReply(pair.launcher.Get()));
  followers.OnRecord({.address = "192.0.2.2"});
  EXPECT_EQ(AddressOfNext(pair), "192.0.2.2");
  ::shutdown(pair.launcher.Get(), SHUT_WR);
  followers.OnEvent(0);
  EXPECT_EQ(followers.Descriptors(), std::vector<int>{-1});
  followers.OnRecord({.address = "192.0.2.3"});
  followers.OnMark(asked);
  EXPECT_EQ(AddressOfNext(pair), "192.0.2.3");
  EXPECT_TRUE(HasEnded(pair));
}

// Nobody waits for one that does not read; it learns how much it has missed.
TEST_F(FollowersTest, ThatDoNotReadAreToldHowMuchIsLost) {
  Begin();
  std::uint64_t sent = 0;
  for (; sent < 5000; ++sent) followers.OnRecord({.address = "192.0.2.1"});
  std::uint64_t told = 0;
  while (AddressOfNext(pair)) ++told;
  EXPECT_LT(told, sent);
  followers.OnRecord({.address = "192.0.2.9"});
  const std::optional<GatewayRecord> last = ReadRecord(pair.launcher.Get());
  ASSERT_TRUE(last);
  EXPECT_EQ(last->lost, sent - told);
}

TEST_F(FollowersTest, WithoutAGatewayBeginAndEndAtOnce) {
  stands = false;
  ASSERT_TRUE(followers.Add(std::move(pair.daemon), BasisText("rules")));
  EXPECT_TRUE(ReceiveReply(pair.launcher.Get()));
  EXPECT_FALSE(HasEnded(pair));
  followers.OnEvent(0);
  EXPECT_TRUE(HasEnded(pair));
}

TEST_F(FollowersTest, WaitForNoGatewayThatIsGone) {
  ASSERT_TRUE(followers.Add(std::move(pair.daemon), BasisText("rules")));
  stands = false;
  followers.OnGatewayEnd();
  EXPECT_TRUE(ReceiveReply(pair.launcher.Get()));
  followers.OnEvent(0);
  EXPECT_TRUE(HasEnded(pair));
}

TEST_F(FollowersTest, AreNoMoreThanTheDaemonHasRoomFor) {
  for (int i = 0; i < 256; ++i) ASSERT_TRUE(followers.Add(MakePair().daemon, ""));
  EXPECT_FALSE(followers.Add(std::move(pair.daemon), ""));
}

}  // namespace
}  // namespace mxc::session::followers_test
