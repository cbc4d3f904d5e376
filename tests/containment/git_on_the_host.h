// The real git beside a sandbox: what it does on the host, as the caller.
#pragma once

#include <string>
#include <vector>

#include "tests/containment/containment.h"
#include "tests/support/engines.h"
#include "tests/support/own_records.h"

namespace mxc::test {

// A script that makes in `root` what `set_up` makes there, however often it is called: from the second time
// on by a copy in `kept`, for git takes half a second. Both belong to the caller.
[[nodiscard]] inline std::string Renewal(const std::string& set_up, const std::string& root,
                                         const std::string& kept) {
  return "set -e\nif test -d '" + kept + "/made'; then chmod -R u+rwX '" + root + "'; find '" + root +
         "' -mindepth 1 -delete; cp -a '" + kept + "/made/.' '" + root + "'\nelse (cd '" + root + "'\n" +
         set_up + "); cp -a '" + root + "' '" + kept + "/made'\nfi";
}

class GitOnTheHost : public ContainmentTest {
 protected:
  void SetUp() override {
    ContainmentTest::SetUp();
    if (IsSkipped()) return;
    if (!Exists("/usr/bin/git")) GTEST_SKIP() << "git is not installed";
    ASSERT_NO_FATAL_FAILURE(KeepRecordsApart(uid));
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

  // Engines, and the isolation level without mounts.
  [[nodiscard]] static std::vector<const char*> Everywhere() {
    std::vector<const char*> all = Engines();
    all.push_back("landlock");
    return all;
  }

  std::string root;  // NOLINT: the tests read it
};

}  // namespace mxc::test
