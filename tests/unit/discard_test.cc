#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <optional>
#include <vector>

#include "engine/child.h"
#include "engine/namespace_discard.h"

namespace mxc::engine::discard_test {
namespace {

// What is thrown away here is the writing end of a pipe: its reader sees when it is closed.
class Discarded : public ::testing::Test {
 protected:
  Discarded() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    reader_.Reset(ends[0]);
    child_.locked_mounts = ends[1];
  }
  void Use(const Discard& discard) {
    program_.discard_sender = discard.sender.Get();
    program_.discard_queue = discard.queue.Get();
  }
  [[nodiscard]] bool ClosedWithin(int milliseconds) const {
    pollfd end{.fd = reader_.Get(), .events = 0, .revents = 0};
    return ::poll(&end, 1, milliseconds) == 1;
  }

  Program program_;
  std::vector<int> slots_;
  Child child_{.program = program_, .slots = slots_};
  UniqueFd reader_;
};

TEST_F(Discarded, IsKeptUntilTheLauncherEnds) {
  std::optional<Discard> discard = Discard::Make();
  Use(*discard);
  PutNamespacesAway(child_);
  EXPECT_EQ(::fcntl(child_.locked_mounts, F_GETFD), -1);
  SealDiscarded(child_);
  EXPECT_FALSE(ClosedWithin(100));
  discard.reset();
  EXPECT_TRUE(ClosedWithin(10000));
}

// Init was killed before it could say that all is over.
TEST_F(Discarded, IsFreedUnsealed) {
  std::optional<Discard> discard = Discard::Make();
  Use(*discard);
  PutNamespacesAway(child_);
  discard.reset();
  EXPECT_TRUE(ClosedWithin(10000));
}

TEST(Discard, TheKernelClosesTheQueueFirst) {
  const Discard discard = Discard::Make();
  EXPECT_LT(discard.queue.Get(), discard.sender.Get());
}

}  // namespace
}  // namespace mxc::engine::discard_test
