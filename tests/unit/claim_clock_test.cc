// How far the API server's clock is ahead, from what it writes.
#include "kubernetes/claim_clock.h"

#include <gtest/gtest.h>

#include <ctime>

#include "kubernetes/cluster_objects.h"

namespace mxc::claim_clock_test {
namespace {

using kubernetes::ServerClock;

// As a server whose clock is so far ahead has written it so long ago.
std::string Stamp(std::int64_t ahead_s, std::int64_t ago_s = 0) {
  return kubernetes::TimeText(static_cast<std::int64_t>(std::time(nullptr)) + ahead_s - ago_s);
}

TEST(ServerClock, IsWhatItWrites) {
  ServerClock clock;
  EXPECT_FALSE(clock.Learn(Stamp(1), 0));
  EXPECT_EQ(clock.AheadSeconds(), 0);
  for (const std::int64_t ahead : {30, -30, 100000}) {
    EXPECT_TRUE(clock.Learn(Stamp(ahead), 0));
    EXPECT_NEAR(static_cast<double>(clock.AheadSeconds()), static_cast<double>(ahead), 1.0);
    EXPECT_NEAR(static_cast<double>(clock.Now() - std::time(nullptr)), static_cast<double>(ahead), 2.0);
  }
  EXPECT_FALSE(clock.Learn("", 0));
  EXPECT_FALSE(clock.Learn("yesterday", 0));
  EXPECT_NEAR(static_cast<double>(clock.AheadSeconds()), 100000.0, 1.0);
}

// An answer that was long under way says no more than that.
TEST(ServerClock, ASlowAnswerIsNoOtherClock) {
  ServerClock clock;
  EXPECT_FALSE(clock.Learn(Stamp(0, 14), 15000));
  EXPECT_EQ(clock.AheadSeconds(), 0);
  EXPECT_TRUE(clock.Learn(Stamp(60, 14), 15000));
  EXPECT_NEAR(static_cast<double>(clock.AheadSeconds()), 46.0, 1.0);
  EXPECT_TRUE(clock.Learn(Stamp(60), 0));
  EXPECT_NEAR(static_cast<double>(clock.AheadSeconds()), 60.0, 1.0);
}

}  // namespace
}  // namespace mxc::claim_clock_test
