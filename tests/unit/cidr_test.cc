#include "base/cidr.h"

#include <gtest/gtest.h>

namespace mxc::cidr_test {
namespace {

std::string Canonical(std::string_view text, HostBits host_bits = HostBits::kRefuse) {
  const Result<Cidr> block = ParseCidr(text, host_bits);
  return block ? CidrText(*block) : "error: " + block.error().message;
}

TEST(Cidr, WritesCanonicalText) {
  EXPECT_EQ(Canonical("10.0.0.0/8"), "10.0.0.0/8");
  EXPECT_EQ(Canonical("10.0.0.1"), "10.0.0.1/32");
  EXPECT_EQ(Canonical("0.0.0.0/0"), "0.0.0.0/0");
  EXPECT_EQ(Canonical("::/0"), "::/0");
  EXPECT_EQ(Canonical("::1"), "::1/128");
  EXPECT_EQ(Canonical("2001:DB8:0:0:1:0:0:1"), "2001:db8::1:0:0:1/128");
  EXPECT_EQ(Canonical("2001:db8:0:1:1:1:1:1"), "2001:db8:0:1:1:1:1:1/128");
  EXPECT_EQ(Canonical("fe80::/10"), "fe80::/10");
  EXPECT_EQ(Canonical("::ffff:1.2.3.4"), "::ffff:102:304/128");
  EXPECT_EQ(Canonical("1::"), "1::/128");
}

TEST(Cidr, RefusesWhatIsNoStrictBlock) {
  for (const std::string_view text : {"",
                                      " 10.0.0.1",
                                      "10.0.0.1 ",
                                      "10/8",
                                      "10.0.0",
                                      "10.0.0.0.0",
                                      "010.0.0.1",
                                      "256.0.0.1",
                                      "1.2.3.4/",
                                      "1.2.3.4/08",
                                      "1.2.3.4/33",
                                      "1.2.3.4/-1",
                                      "[::1]",
                                      ":::",
                                      "1::2::3",
                                      "12345::",
                                      "::1/129",
                                      ":1::",
                                      "1:2:3:4:5:6:7",
                                      "1:2:3:4:5:6:7:8:9",
                                      "1:2:3:4:5:6:7::8",
                                      "::1.2.3",
                                      "1.2.3.4::",
                                      "example.com",
                                      "any",
                                      "fe80::1%eth0",
                                      "1.2.3.4/8/8"}) {
    EXPECT_FALSE(ParseCidr(text, HostBits::kMask).ok()) << text;
  }
}

TEST(Cidr, TreatsHostBitsAsAsked) {
  EXPECT_EQ(Canonical("10.1.2.3/8", HostBits::kMask), "10.0.0.0/8");
  EXPECT_EQ(Canonical("2001:db8::1/33", HostBits::kMask), "2001:db8::/33");
  EXPECT_EQ(Canonical("10.1.2.3/8"),
            "error: address bits behind the prefix are set; the block is 10.0.0.0/8");
}

bool Inside(std::string_view inner, std::string_view outer) {
  return Contains(*ParseCidr(outer, HostBits::kRefuse), *ParseCidr(inner, HostBits::kRefuse));
}

TEST(Cidr, Contains) {
  EXPECT_TRUE(Inside("10.1.0.0/16", "10.0.0.0/8"));
  EXPECT_TRUE(Inside("10.0.0.0/8", "10.0.0.0/8"));
  EXPECT_TRUE(Inside("10.0.0.0/8", "0.0.0.0/0"));
  EXPECT_FALSE(Inside("11.0.0.0/8", "10.0.0.0/8"));
  EXPECT_FALSE(Inside("10.0.0.0/7", "10.0.0.0/8"));
  EXPECT_FALSE(Inside("10.0.0.0/8", "::/0"));
  EXPECT_TRUE(Inside("2001:db8:1::/48", "2001:db8::/32"));
}

TEST(Cidr, UnmapsIpv4) {
  EXPECT_EQ(CidrText(Unmapped(*ParseCidr("::ffff:1.2.3.4", HostBits::kRefuse))), "1.2.3.4/32");
  EXPECT_EQ(CidrText(Unmapped(*ParseCidr("::ffff:10.0.0.0/104", HostBits::kRefuse))), "10.0.0.0/8");
  EXPECT_EQ(CidrText(Unmapped(*ParseCidr("::fffe:1.2.3.4", HostBits::kRefuse))), "::fffe:102:304/128");
  EXPECT_EQ(CidrText(Unmapped(*ParseCidr("::/0", HostBits::kRefuse))), "::/0");
}

}  // namespace
}  // namespace mxc::cidr_test
