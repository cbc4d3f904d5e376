// Runs of our own engine, for root and for an ordinary caller.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/support/needs.h"
#include "tests/unit/engine_sandboxes.h"

namespace mxc::test {

enum class Caller { kRoot, kOrdinary };

class EngineRun : public ::testing::TestWithParam<Caller> {
 protected:
  void SetUp() override {
    if (GetParam() == Caller::kRoot && ::getuid() != 0) GTEST_SKIP() << "the tests do not run as root";
    if (const char* missing = test::MissingNamespaces()) GTEST_SKIP() << missing;
    ::chmod(scratch_.Path().c_str(), 0777);
  }
  [[nodiscard]] RunReport Run(LinuxSandbox sandbox) const {
    RunSetup setup;
    if (GetParam() == Caller::kOrdinary) setup.before = BecomeOrdinary;
    return RunInChild(PlanOf(std::move(sandbox)), setup);
  }
  [[nodiscard]] RunReport RunScript(const std::string& script) const { return Run(ShellSandbox(script)); }
  std::string Directory(const std::string& name) const {
    const std::string path = scratch_.Path(name);
    ::mkdir(path.c_str(), 0777);
    ::chmod(path.c_str(), 0777);
    return path;
  }

  ScratchDirectory scratch_;
};

inline const auto kCallers = ::testing::Values(Caller::kRoot, Caller::kOrdinary);
inline std::string CallerName(const ::testing::TestParamInfo<Caller>& test) {
  return test.param == Caller::kRoot ? "Root" : "Ordinary";
}

}  // namespace mxc::test
