// A directory that stands under another path inside: names there and back.
#include <gtest/gtest.h>

#include "mxc/sandbox/workspace.h"

namespace mxc::workspace_path_test {
namespace {

TEST(WorkspaceNames, ThereAndBack) {
  const Workspace workspace{.host = "/home/me/app", .guest = "/workspace"};
  EXPECT_EQ(workspace.Inside("/home/me/app"), "/workspace");
  EXPECT_EQ(workspace.Inside("/home/me/app/a/b"), "/workspace/a/b");
  EXPECT_EQ(workspace.Inside("/home/me/apple"), "/home/me/apple");
  EXPECT_EQ(workspace.Inside("/home/me"), "/home/me");
  EXPECT_EQ(workspace.OnHost("/workspace/**/.env"), "/home/me/app/**/.env");
  EXPECT_EQ(workspace.OnHost("/workspaces"), "/workspaces");
  EXPECT_EQ(workspace.OnHost(""), "");
  EXPECT_EQ(Workspace{}.Inside("/a"), "/a");
  EXPECT_EQ(Workspace{}.OnHost("/"), "/");
}

}  // namespace
}  // namespace mxc::workspace_path_test
