// How the gateway shares its descriptors out.
#include "gateway/relay/shares.h"

#include <gtest/gtest.h>

namespace mxc::shares_test {
namespace {

using egress::Shares;
using egress::SharesOf;

TEST(GatewayShares, LeaveRoomForEachOther) {
  for (const std::size_t files : {512UL, 1024UL, 4096UL, 16384UL, 1048576UL}) {
    const Shares shares = SharesOf(files);
    EXPECT_LE(6 * shares.connections + shares.flows + 2 * shares.lookups + 256, files);
    EXPECT_GE(shares.flows, 32U);
    EXPECT_GE(shares.connections, 32U);
    EXPECT_GE(shares.lookups, 16U);
  }
  const Shares most = SharesOf(1048576);
  EXPECT_EQ(most.connections, 4096U);
  EXPECT_EQ(most.flows, 2048U);
  EXPECT_EQ(most.lookups, 256U);
}

}  // namespace
}  // namespace mxc::shares_test
