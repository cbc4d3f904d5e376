// Runs a plan in a forked launcher with streams of its own, so that a test can look at everything a launcher
// does to itself and to its child, kill it, and see how it ended.
//
//   RunReport report = RunInChild(ShellPlan("echo hello; exit 3"));
//   EXPECT_EQ(report.outcome.exit_code, 3);
//   EXPECT_EQ(report.out, "hello\n");
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "mxc/error.h"
#include "mxc/outcome.h"
#include "mxc/plan.h"

namespace mxc::test {

// A plan that executes /bin/sh -c `script` without any containment.
[[nodiscard]] Plan ShellPlan(const std::string& script);
[[nodiscard]] Exec& ExecOf(Plan& plan);

struct RunReport {
  int wait_status = 0;    // of the launcher: 0 unless it died
  bool finished = false;  // RunPlan returned
  bool ok = false;        // with an Outcome
  Outcome outcome = {};
  ErrorCode code = ErrorCode::kInternal;
  std::string message = {};
  std::string hint = {};
  bool outdated = false;
  std::string warning = {};  // the last one
  long started = 0;          // what OnStarted was given; 0: not called
  std::string out = {};
  std::string err = {};
};

struct RunSetup {
  std::string input = {};
  std::function<void()> before = {};  // in the launcher, streams in place, before RunPlan
  int standard_output = -1;           // borrowed; -1: collected in RunReport::out
};

class RunningPlan {
 public:
  RunningPlan(const Plan& plan, const RunSetup& setup);
  RunningPlan(const RunningPlan&) = delete;
  RunningPlan& operator=(const RunningPlan&) = delete;
  ~RunningPlan();

  [[nodiscard]] pid_t Launcher() const { return launcher_; }
  void Signal(int number) const;
  [[nodiscard]] long Started() const;  // what OnStarted was given; 0: not called yet
  // Waits for the launcher to end.
  [[nodiscard]] RunReport Finish();

 private:
  struct Shared;
  void Launch(const Plan& plan, const RunSetup& setup);
  Shared* shared_ = nullptr;
  UniqueFd input_;
  UniqueFd out_;
  UniqueFd err_;
  pid_t launcher_ = -1;
};

[[nodiscard]] RunReport RunInChild(const Plan& plan, const RunSetup& setup = {});

[[nodiscard]] std::string ReadText(const std::string& path);
void WriteText(const std::string& path, const std::string& text);

// A directory that is removed with everything in it.
class ScratchDirectory {
 public:
  ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  ~ScratchDirectory();
  [[nodiscard]] std::string Path(const std::string& name = "") const;

 private:
  std::string path_;
};

}  // namespace mxc::test
