// The real git beside a sandbox: what it does on the host, as the caller.
#pragma once

#include <string>
#include <vector>

#include "tests/containment/containment.h"

namespace mxc::test {

class GitOnTheHost : public ContainmentTest {
 protected:
  void SetUp() override {
    ContainmentTest::SetUp();
    if (IsSkipped()) return;
    if (!Exists("/usr/bin/git")) GTEST_SKIP() << "git is not installed";
    root = workspace.Directory("root");
  }

  // In `root`, on the host, as the caller.
  [[nodiscard]] Ended Shell(const std::string& script) const {
    Launch launch{.program = "/bin/sh", .arguments = {"-c", script}, .cwd = root, .uid = uid};
    launch.environment = Environment();
    return Execute(launch);
  }
  [[nodiscard]] std::vector<std::string> Environment() const {
    return {"PATH=/usr/bin:/bin", "HOME=" + workspace.Root(), "GIT_CONFIG_NOSYSTEM=1"};
  }

  std::string root;  // NOLINT: the tests read it
};

}  // namespace mxc::test
