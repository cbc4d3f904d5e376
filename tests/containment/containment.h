// A guest program under a policy, judged from outside.
//
//   TEST_P(Reading, DeniedFile) {
//     const std::string secret = Secret("ro/secret");
//     EXPECT_THAT(Try({.read_only = {workspace.Path("ro")}, .denied = {secret}}, {{"read", secret}}),
//                 ElementsAre("EACCES"));
//   }
#pragma once

#include <gmock/gmock.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/engines.h"
#include "tests/support/launcher_test.h"

namespace mxc::test {

using Words = std::vector<std::string>;

constexpr const char* kNoFlags = "chattr is missing, or the file system has no flags";

class ContainmentTest : public LauncherTest {
 protected:
  ContainmentTest();
  void TearDown() override;

  // Runs the operations of tests/containment/guest.cc and returns their answers. The sandbox must stand.
  [[nodiscard]] std::vector<std::string> Try(Parts policy, const std::vector<Words>& operations,
                                             const std::function<void()>& before_exec = {});
  // The same, started but not waited for.
  [[nodiscard]] Launch PrepareGuest(Parts policy, const std::vector<Words>& operations) const;
  // A file that the command has made immutable or append-only would outlast the run that made it. Nothing: no
  // flag can be set here at all.
  [[nodiscard]] std::optional<int> FlagsThatCanBeSet(const std::string& containment) const;
  // A file whose text must not show in any output of this test.
  std::string Secret(const std::string& name, mode_t mode = 0644) const;

  const std::string token = Token();  // what Secret() writes
  const std::string guest;
  Ended last;  // of the last Try

 private:
  std::string seen_;  // all output so far
};

// One that comes as a lock on a file: held by a process that should be gone.
[[nodiscard]] bool IsLocked(const std::string& file);

}  // namespace mxc::test
