// What stands in the way is renamed, whatever the command has put beside it.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "cleanup/deferred_deletion.h"
#include "tests/support/run_in_child.h"

namespace mxc::test::set_aside_test {
namespace {

TEST(SetAside, NoNameBesideItHoldsItBack) {
  const ScratchDirectory scratch;
  WriteText(scratch.Path("HEAD"), "x");
  WriteText(scratch.Path("HEAD.untrusted"), "y");
  for (int i = 2; i < 1100; ++i) WriteText(scratch.Path("HEAD.untrusted-" + std::to_string(i)), "y");
  const Result<std::string> aside = SetAside(scratch.Path("HEAD"), "");
  ASSERT_TRUE(aside) << aside.error().message;
  EXPECT_NE(::access(scratch.Path("HEAD").c_str(), F_OK), 0);
  EXPECT_EQ(::access(aside->c_str(), F_OK), 0);
}

TEST(SetAside, NoLengthHoldsItBack) {
  const ScratchDirectory scratch;
  const std::string path = scratch.Path(std::string(255, 'z'));
  for (int i = 0; i < 2; ++i) {
    WriteText(path, "x");
    const Result<std::string> aside = SetAside(path, "");
    ASSERT_TRUE(aside) << aside.error().message;
    EXPECT_NE(::access(path.c_str(), F_OK), 0);
    EXPECT_NE(aside->find(".untrusted"), std::string::npos);
  }
}

TEST(RestoreListing, OfTheCallersDirectoriesAlone) {
  const ScratchDirectory scratch;
  const std::string directory = scratch.Path("d");
  ::mkdir(directory.c_str(), 0);
  WriteText(scratch.Path("f"), "x");
  ::chmod(scratch.Path("f").c_str(), 0);
  EXPECT_EQ(::symlink("d", scratch.Path("l").c_str()), 0);
  EXPECT_FALSE(RestoreListing(scratch.Path("f")));
  EXPECT_FALSE(RestoreListing(scratch.Path("l")));
  EXPECT_TRUE(RestoreListing(directory));
  EXPECT_FALSE(RestoreListing(directory));
  struct stat status {};
  ASSERT_EQ(::stat(directory.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0700U);
}

}  // namespace
}  // namespace mxc::test::set_aside_test
