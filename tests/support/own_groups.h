// Control groups of version 1 for a test: root gives the caller a part of its own, as a delegating system
// would, and the launcher starts in there.
//
//   OwnGroups groups(uid);
//   if (!groups.Missing().empty()) GTEST_SKIP() << groups.Missing();
//   launch.before_exec = [&] { groups.Enter(); };
//   EXPECT_THAT(groups.Left(), IsEmpty());
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace mxc::test {

class OwnGroups {
 public:
  explicit OwnGroups(uid_t owner);
  OwnGroups(const OwnGroups&) = delete;
  OwnGroups& operator=(const OwnGroups&) = delete;
  ~OwnGroups();

  // Why this machine cannot: empty when it can.
  [[nodiscard]] const std::string& Missing() const { return missing_; }
  void Enter() const;  // the calling process; as root
  // Groups below that are still there.
  [[nodiscard]] std::vector<std::string> Left() const;
  [[nodiscard]] std::string Directory(const std::string& controller) const;

 private:
  std::string missing_ = {};
  std::vector<std::string> directories_ = {};
};

}  // namespace mxc::test
