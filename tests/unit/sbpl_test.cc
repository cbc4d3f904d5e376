// The evaluator of profiles itself.
#include "tests/support/sbpl.h"

#include <gtest/gtest.h>

namespace mxc::sbpl_test {
namespace {

SbplProfile Parsed(const std::string& rules, std::vector<SeatbeltParameter> parameters = {}) {
  const Result<SbplProfile> profile = SbplProfile::Parse(
      {.profile = "(version 1)\n(deny default)\n" + rules, .parameters = std::move(parameters)});
  EXPECT_TRUE(profile) << (profile ? "" : profile.error().message);
  return profile ? *profile : SbplProfile{};
}

std::string Problem(const std::string& text) {
  const Result<SbplProfile> profile = SbplProfile::Parse({.profile = text});
  return profile ? "" : profile.error().message;
}

bool Reads(const SbplProfile& profile, const std::string& path) {
  return profile.Allows({.operation = "file-read-data", .subject = path});
}

TEST(Sbpl, NothingIsAllowedByDefault) { EXPECT_FALSE(Reads(Parsed(""), "/x")); }

TEST(Sbpl, TheLastMatchDecides) {
  const SbplProfile profile = Parsed(
      "(allow file-read* (subpath \"/a\"))\n(deny file-read* (subpath \"/a/b\"))\n"
      "(allow file-read-data (literal \"/a/b/c\"))");
  EXPECT_TRUE(Reads(profile, "/a"));
  EXPECT_TRUE(Reads(profile, "/a/x"));
  EXPECT_FALSE(Reads(profile, "/ab"));
  EXPECT_FALSE(Reads(profile, "/a/b"));
  EXPECT_FALSE(Reads(profile, "/a/b/x"));
  EXPECT_TRUE(Reads(profile, "/a/b/c"));
  EXPECT_FALSE(Reads(profile, "/a/b/c/d"));
}

TEST(Sbpl, ARuleWithoutAFilterYieldsToOneWith) {
  const SbplProfile profile = Parsed("(deny file-read* (literal \"/a\"))\n(allow file-read*)");
  EXPECT_FALSE(Reads(profile, "/a"));
  EXPECT_TRUE(Reads(profile, "/b"));
}

TEST(Sbpl, AStarStandsForOperationsThatBeginSo) {
  const SbplProfile profile = Parsed("(allow file-write* (subpath \"/a\"))");
  EXPECT_TRUE(profile.Allows({.operation = "file-write-unlink", .subject = "/a/x"}));
  EXPECT_FALSE(profile.Allows({.operation = "file-link", .subject = "/a/x"}));
}

TEST(Sbpl, Junctions) {
  const SbplProfile profile = Parsed(
      "(allow file-read* (require-all (subpath \"/a\") (require-not (subpath \"/a/b\"))))\n"
      "(allow file-read* (require-any (literal \"/c\") (regex #\"^/d[0-9]+$\")))");
  EXPECT_TRUE(Reads(profile, "/a/x"));
  EXPECT_FALSE(Reads(profile, "/a/b/x"));
  EXPECT_TRUE(Reads(profile, "/c"));
  EXPECT_TRUE(Reads(profile, "/d12"));
  EXPECT_FALSE(Reads(profile, "/d12x"));
}

TEST(Sbpl, Addresses) {
  const SbplProfile profile = Parsed(
      "(allow network-outbound (remote ip \"*:*\"))\n(deny network-outbound (remote ip \"localhost:*\"))\n"
      "(allow network-outbound (remote ip \"localhost:80\"))\n(allow network-outbound (literal \"/run/s\"))");
  const auto connects = [&](const std::string& to) {
    return profile.Allows({.operation = "network-outbound", .subject = to});
  };
  EXPECT_TRUE(connects("192.0.2.1:443"));
  EXPECT_FALSE(connects("localhost:443"));
  EXPECT_TRUE(connects("localhost:80"));
  EXPECT_TRUE(connects("/run/s"));
  EXPECT_FALSE(connects("/run/t"));
}

TEST(Sbpl, Protocols) {
  const SbplProfile profile = Parsed("(allow network-outbound (remote tcp \"localhost:80\"))");
  SbplQuestion question{.operation = "network-outbound", .subject = "localhost:80"};
  EXPECT_TRUE(profile.Allows(question));
  question.protocol = "udp";
  EXPECT_FALSE(profile.Allows(question));
}

TEST(Sbpl, ParametersAreNeverReadAsRules) {
  const SbplProfile profile =
      Parsed("(allow file-read* (subpath (param \"P\")))", {{.name = "P", .value = "/a\") (subpath \"/"}});
  EXPECT_FALSE(Reads(profile, "/etc"));
  EXPECT_TRUE(Reads(profile, "/a\") (subpath \"//x"));
}

TEST(Sbpl, WhatTheKernelWouldRefuseIsAnError) {
  EXPECT_EQ(Problem("(deny default)"), "(version 1) is missing");
  EXPECT_EQ(Problem("(version 1)(allow file-raed*)"), "no operation is called file-raed*");
  EXPECT_EQ(Problem("(version 1)(allow file-read* (subpaht \"/\"))"), "no filter is called subpaht");
  EXPECT_EQ(Problem("(version 1)(allow file-read* (subpath \"/\")"), "a bracket is missing");
  EXPECT_EQ(Problem("(version 1)(allow file-read* (subpath \"/))"), "a quotation mark is missing");
  EXPECT_EQ(Problem("(version 1)(allow file-read* (subpath (param \"X\")))"), "a parameter has no value");
  EXPECT_EQ(Problem("(version 1)(allow file-read* (regex \"/x\"))"),
            "the filter regex has another kind of value");
  EXPECT_EQ(Problem("(version 1)(permit default)"), "neither allow nor deny");
}

}  // namespace
}  // namespace mxc::sbpl_test
