// What every end-to-end test stands on: mxc-exec started by root and by an ordinary user, on a workspace that
// belongs to the caller.
//
//   TEST_P(Streams, StatusOfTheCommandIsOurs) {
//     EXPECT_EQ(RunConfig({.command = "exit 7"}).status, 7);
//   }
//   MXC_FOR_EACH_CALLER(Streams);
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/support/json_text.h"
#include "tests/support/program.h"
#include "tests/support/workspace.h"

namespace mxc::test {

enum class Caller { kRoot, kUser };

// Who starts the program, and where a configuration that names no containment runs.
struct Setting {
  Caller caller = Caller::kRoot;
  std::string containment = "bubblewrap";
};
void PrintTo(const Setting& setting, std::ostream* stream);

// The parts of a configuration; what is not set is not written.
struct Parts {
  std::string version = "1.0.0";
  std::string containment = {};  // of the setting
  std::string command = "true";
  std::vector<std::string> read_only = {};
  std::vector<std::string> read_write = {};
  std::vector<std::string> denied = {};
  std::string filesystem = {};  // further members of that section: R"("protect":[])"
  std::optional<std::vector<std::string>> environment = {};
  std::string cwd = {};
  int timeout_ms = 0;
  std::string network = R"({"egress":{"default":"deny"}})";
  std::string more = {};  // further members: R"("output":{"maxBytes":10})"
};

[[nodiscard]] std::string ConfigText(const Parts& parts,
                                     const std::string& containment = Setting{}.containment);

class LauncherTest : public testing::TestWithParam<Setting> {
 protected:
  LauncherTest();
  void SetUp() override;

  [[nodiscard]] Launch Prepare(std::vector<std::string> arguments) const;
  // Runs mxc-exec with a file that holds the configuration.
  [[nodiscard]] Ended RunConfig(const Parts& parts) const { return Execute(PrepareConfig(parts)); }
  [[nodiscard]] Launch PrepareConfig(const Parts& parts, std::vector<std::string> flags = {}) const;
  [[nodiscard]] std::string ConfigFile(const Parts& parts) const;

  uid_t uid;  // of the caller
  Workspace workspace;

 private:
  std::string program_;
};

// The error envelope: the last line of standard error.
[[nodiscard]] std::string EnvelopeCode(const Ended& ended);
[[nodiscard]] std::string EnvelopeMessage(const Ended& ended);

[[nodiscard]] std::string CallerOf(const testing::TestParamInfo<Setting>& info);
[[nodiscard]] std::string CallerAndContainmentOf(const testing::TestParamInfo<Setting>& info);

}  // namespace mxc::test

#define MXC_FOR_EACH_CALLER(fixture)                                                                \
  INSTANTIATE_TEST_SUITE_P(As, fixture,                                                             \
                           testing::Values(mxc::test::Setting{.caller = mxc::test::Caller::kRoot},  \
                                           mxc::test::Setting{.caller = mxc::test::Caller::kUser}), \
                           mxc::test::CallerOf)

// The same promise of every Linux engine that has namespaces.
#define MXC_FOR_EACH_CALLER_AND_ENGINE(fixture)                                                        \
  INSTANTIATE_TEST_SUITE_P(As, fixture,                                                                \
                           testing::Values(mxc::test::Setting{mxc::test::Caller::kRoot, "namespaces"}, \
                                           mxc::test::Setting{mxc::test::Caller::kUser, "namespaces"}, \
                                           mxc::test::Setting{mxc::test::Caller::kRoot, "bubblewrap"}, \
                                           mxc::test::Setting{mxc::test::Caller::kUser, "bubblewrap"}, \
                                           mxc::test::Setting{mxc::test::Caller::kRoot, "lxc"},        \
                                           mxc::test::Setting{mxc::test::Caller::kUser, "lxc"}),       \
                           mxc::test::CallerAndContainmentOf)
