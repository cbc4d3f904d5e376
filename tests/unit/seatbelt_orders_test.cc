#include "run/seatbelt_orders.h"

#include <gtest/gtest.h>

namespace mxc::seatbelt_orders_test {
namespace {

SeatbeltOrders Example() {
  return {.profile = "(version 1)\n",
          .parameters = {{.name = "PATH0", .value = "/a:b\n"}, {.name = "PATH1", .value = ""}},
          .argv = {"/bin/sh", "-c", "echo 3:x"},
          .environment = {"A=1", "EMPTY="},
          .cwd = "/a",
          .limits = {.core_bytes = 1, .open_files = 64},
          .take_terminal = true};
}

TEST(SeatbeltOrders, ComeOutAsTheyWentIn) {
  const SeatbeltOrders before = Example();
  const Result<SeatbeltOrders> after = Unpack(Pack(before));
  ASSERT_TRUE(after);
  EXPECT_EQ(after->profile, before.profile);
  ASSERT_EQ(after->parameters.size(), 2U);
  EXPECT_EQ(after->parameters[0].value, "/a:b\n");
  EXPECT_EQ(after->parameters[1].name, "PATH1");
  EXPECT_EQ(after->argv, before.argv);
  EXPECT_EQ(after->environment, before.environment);
  EXPECT_EQ(after->cwd, "/a");
  EXPECT_EQ(after->limits.core_bytes, 1U);
  EXPECT_EQ(after->limits.open_files, 64U);
  EXPECT_FALSE(after->limits.file_bytes);
  EXPECT_TRUE(after->take_terminal);
}

TEST(SeatbeltOrders, NoPartOfThemIsTaken) {
  const std::string whole = Pack(Example());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(Unpack(whole.substr(0, size))) << size;
  }
  EXPECT_FALSE(Unpack(whole + "x"));
  EXPECT_FALSE(Unpack("99999999999999999999:x"));
  EXPECT_FALSE(Unpack("-1:x"));
}

TEST(SeatbeltOrders, TheTemporaryDirectoryStandsForTmp) {
  EXPECT_EQ(MovedTemp("/tmp", "/t/x"), "/t/x");
  EXPECT_EQ(MovedTemp("/tmp/home", "/t/x"), "/t/x/home");
  EXPECT_EQ(MovedTemp("/tmpfiles", "/t/x"), "/tmpfiles");
  EXPECT_EQ(MovedTemp("see /tmp", "/t/x"), "see /tmp");
}

}  // namespace
}  // namespace mxc::seatbelt_orders_test
