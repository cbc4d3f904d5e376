#include "base/suggest.h"

#include <gtest/gtest.h>

namespace mxc::suggest_test {
namespace {

TEST(Suggest, FindsTheNearestWord) {
  EXPECT_EQ(Nearest("readOnlyPaths", {"readwritePaths", "readonlyPaths", "deniedPaths"}), "readonlyPaths");
  EXPECT_EQ(Nearest("denyPaths", {"readwritePaths", "readonlyPaths", "deniedPaths"}), "deniedPaths");
  EXPECT_EQ(Nearest("tiemout", {"timeout", "cwd"}), "timeout");
}

TEST(Suggest, KeepsSilentWhenNothingIsNear) {
  EXPECT_EQ(Nearest("zzz", {"timeout", "cwd"}), "");
  EXPECT_EQ(Nearest("", {"cwd"}), "");
  EXPECT_EQ(Nearest(std::string(100000, 'a'), {"cwd"}), "");
}

}  // namespace
}  // namespace mxc::suggest_test
