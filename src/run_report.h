// What a call reports about a run, during the run and at its end.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cli.h"
#include "flag_places.h"
#include "mxc/error.h"
#include "mxc/host.h"
#include "mxc/outcome.h"
#include "mxc/plan.h"
#include "report/log.h"
#include "report/report.h"
#include "repositories.h"
#include "run/run.h"
#include "run_summary.h"

namespace mxc {

// What is restored after the run of a plan.
struct RunGuards {
  std::vector<GuardedConfig> configs = {};
  std::function<std::vector<GuardedPath>()> paths = {};
};

// Passes on what happens during a run.
class RunReporter final : public RunObserver {
 public:
  using Review = std::function<RepositoryReview(const std::set<std::string>& asides)>;

  // `review` finds what the command has left in repositories; `asides` are the new names of what it had put
  // in the place of protected files, which are already reported. A move of the caller's current directory is
  // reported as well.
  RunReporter(StatusReport& status, Log& log, RunSummary* summary, Review review = {}, RunGuards guards = {});
  void OnStarted(std::int64_t process_id) override;
  [[nodiscard]] std::vector<GuardedConfig> Configs() const override { return guards_.configs; }
  [[nodiscard]] std::vector<GuardedPath> Paths() const override {
    return guards_.paths ? guards_.paths() : std::vector<GuardedPath>{};
  }
  void OnPutBack(const std::vector<PutBackPath>& paths) override;
  bool OnEnded() override;
  [[nodiscard]] bool WantsFiles() const override { return summary_ != nullptr; }
  [[nodiscard]] bool SpeaksOnStandardOutput() const override { return log_.OnStandardOutput(); }
  void OnFile(const FileCall& call) override;
  void OnNetwork(const GatewayRecord& record) override;
  void OnMissedLoopback(std::uint16_t port) override;
  void OnWarning(const Warning& warning) override;
  [[nodiscard]] bool Started() const { return started_; }

 private:
  void PrintRefusedName(const GatewayRecord& record);
  void PrintHeld();

  StatusReport& status_;
  Log& log_;
  RunSummary* summary_;  // nullptr: not asked for
  Review review_;
  std::set<std::string> asides_ = {};
  std::set<std::string> refused_names_ = {};  // already reported
  std::string held_ = {};                     // lines for which the terminal is not free
  RunGuards guards_;
  std::string directory_;  // the caller's current one when the run began
  bool started_ = false;
};

// Prints and logs the warnings of a plan: all of them, or those of category `only`.
void PrintWarnings(const Plan& plan, Log& log, std::string_view only = "");

// Warns of each flag that an entry of the file overrules, because it has no effect.
void WarnOfOverruledFlags(const Plan& plan, const std::vector<FlagPlace>& flags);

// Both return the exit status. They write the records before standard error, which may be a pipe without a
// reader. `summary`: nullptr: not asked for.
[[nodiscard]] int Finish(const Plan& plan, const Result<Outcome>& outcome, const RunSummary* summary,
                         Log& log, StatusReport& status);
[[nodiscard]] int Fail(const Error& error, Log& log, StatusReport& status);

// Refuses a run whose records the command could read or change: a result file or an audit log in a grant,
// behind a link, with a second name, of another user, in the file of a standard stream, or two records in one
// file. A log file in a grant, behind a link or in the file of a stream is only left out, and `problem` says
// why, because no program relies on it. The policy of a shell is checked in the same way: its command must
// not write it.
[[nodiscard]] Status KeepRecordsApart(const Policy& policy, const Host& host, Options& options,
                                      std::string& problem);

// Where a call records what happens.
struct Records {
  Log log;
  StatusReport status;
};
// Opens them, once it is known where the command may write. `policy`: nullptr where nothing will be run.
// Errors: those of KeepRecordsApart and StatusReport::Open.
[[nodiscard]] Result<Records> OpenRecords(const Policy* policy, const Host& host, Options options);
// `--log-file` and `--result` are not where the ceiling denies. Errors: those of ReadCeiling and
// CheckFilesWithin.
[[nodiscard]] Status CheckRecordsOfCaller(const Host& host, const Options& options);
// Reports an error where no record is open. Returns the exit status.
[[nodiscard]] int FailWithoutRecords(const Error& error, const Host& host, const Options& options);

// Undoes what an interrupted run left on the host, and reports it. `asked`: also if there was nothing to
// undo. A failure is only a warning.
void RecoverAndReport(bool asked);

}  // namespace mxc
