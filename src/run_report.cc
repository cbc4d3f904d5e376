#include "run_report.h"

#include <fmt/core.h>

#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/own_files.h"
#include "base/quoted.h"
#include "base/terminal.h"
#include "ceiling/written_files.h"
#include "cleanup/recover.h"
#include "isolation_fallback.h"
#include "policy/records.h"
#include "repositories.h"

namespace mxc {
namespace {

// Empty: not known, or removed.
std::string CurrentPath() {
  std::error_code unknown;
  return std::filesystem::current_path(unknown).string();
}

// The command moved the caller's current directory, which was `before` when the run began: relative paths
// that step up lead elsewhere now.
std::optional<Warning> MovedDirectoryWarning(const std::string& before) {
  const std::string here = CurrentPath();
  if (before.empty() || here.empty() || here == before) return std::nullopt;
  return Warning{.category = "directory-moved",
                 .message = "the current directory " + Quoted(before) + " was moved to " + Quoted(here) +
                            ": relative paths with '..' mean other places now; cd to where you want to be"};
}

// False for a policy whose paths belong to a Linux guest or to another operating system.
bool HasHostPaths(const Policy& policy) {
  const bool guest = policy.system == OperatingSystem::kLinux && TraitsOf(policy.containment).linux_guest;
  return !policy.as_written && !guest;
}

Error TimedOut(const Plan& plan) {
  return {.code = ErrorCode::kTimeout,
          .message = fmt::format("script timed out after {}ms", plan.timeout_ms),
          .pointer = "/process/timeout"};
}

Error OtherNames(int number) {
  return Conflict(fmt::format("the file behind --status-fd {} has more than one name", number), {},
                  "open a file that has no other: a command may know it by that one");
}

// Of two in one file, one would be written over the other, or be read for it.
Status InFilesOfTheirOwn(const std::vector<Record>& records) {
  for (auto one = records.begin(); one != records.end(); ++one) {
    for (auto other = std::next(one); other != records.end(); ++other) {
      if (one->path.empty() || other->path.empty() || !LeadToOneFile(one->path, other->path)) continue;
      return Conflict(fmt::format("{} {} and {} {} are one file", one->name, Quoted(one->path), other->name,
                                  Quoted(other->path)),
                      {}, "give each a file of its own");
    }
  }
  return Done{};
}

// The command reads and writes the file behind each of its standard streams. -1: it does not.
int StreamOnFile(const std::string& path) {
  for (int stream = 0; stream < 3; ++stream) {
    if (!path.empty() && LeadsToFileOf(path, stream)) return stream;
  }
  return -1;
}

std::string OnStream(const std::string& record, int stream) {
  constexpr const char* kNames[] = {"standard input", "standard output", "standard error"};
  return fmt::format("{} is the command's {}", record, kNames[stream]);
}

Error OnOneStream(const std::string& record, int stream) {
  return Conflict(OnStream(record, stream), {}, "give the record a file of its own");
}

Status ApartFromStreams(const std::vector<Record>& records) {
  for (const Record& record : records) {
    const int stream = StreamOnFile(record.path);
    if (stream >= 0) return OnOneStream(record.name + " " + Quoted(record.path), stream);
  }
  return Done{};
}

Status StatusApartFromStreams(std::optional<int> number) {
  for (int stream = 0; number && stream < 3; ++stream) {
    if (AreOfOneFile(*number, stream))
      return OnOneStream(fmt::format("what is behind --status-fd {}", *number), stream);
  }
  return Done{};
}

// A log decides nothing: it is left out where the command has it, and where a link may have been put.
std::string PlaceOfLog(const Policy& policy, const Host& host, const std::string& path,
                       std::string& problem) {
  const Record log{.name = "log file", .path = path};
  Result<std::string> place = CheckRecord(log, host, policy);
  const int stream = StreamOnFile(path);
  if (!place) problem = place.error().message;
  if (stream >= 0) problem = OnStream(log.name + " " + Quoted(path), stream);
  if (problem.empty()) return std::move(*place);
  problem += "; no log is written";
  return "";
}

void RecordFailure(const Error& error, int exit_status, Log& log, StatusReport& status) {
  log.Line("Error: " + error.message);
  status.ReportFailure(error, exit_status);
}

}  // namespace

RunReporter::RunReporter(StatusReport& status, Log& log, RunSummary* summary, Review review, RunGuards guards)
    : status_(status),
      log_(log),
      summary_(summary),
      review_(std::move(review)),
      guards_(std::move(guards)),
      directory_(CurrentPath()) {}

void RunReporter::OnStarted(std::int64_t process_id) {
  started_ = true;
  status_.ReportStart(process_id);
}

bool RunReporter::OnEnded() {
  PrintHeld();
  if (summary_ != nullptr && summary_->files.LeftOut() != 0) status_.ReportLost(summary_->files.LeftOut());
  if (!started_ || !review_) return false;
  const RepositoryReview review = review_(asides_);
  for (const Warning& left : review.warnings) OnWarning(left);
  if (const std::optional<Warning> moved = MovedDirectoryWarning(directory_)) OnWarning(*moved);
  return review.settled;
}

void RunReporter::OnPutBack(const std::vector<PutBackPath>& paths) {
  for (const PutBackPath& each : paths) asides_.insert(each.aside);
  for (const Warning& warning : PutBackWarnings(paths)) OnWarning(warning);
}

// Some programs try again for long without a word, and look as if they hung. Nothing waits for a reader: the
// launcher keeps time-outs.
void RunReporter::PrintRefusedName(const GatewayRecord& record) {
  constexpr int kStandardError = 2;
  constexpr std::size_t kMaxTold = 20;
  const bool refused = record.event == GatewayEvent::kName && record.verdict == RuleAction::kDeny;
  // apt asks for a service first, and goes on without.
  const bool passing = record.name.starts_with('_') || record.name == kSandboxName;
  if (!refused || record.name.empty() || passing || refused_names_.size() >= kMaxTold) return;
  const bool terminal = IsTerminal(kStandardError);
  const bool reported = summary_ != nullptr && !summary_->brief;
  if ((!reported && !terminal) || !TakesText(kStandardError)) return;
  if (!refused_names_.insert(record.name).second) return;
  // The command may have a terminal of its own, and ours is raw then.
  held_ += fmt::format("{}mxc-exec: network: the name {} is refused: {}{}\n", terminal ? "\r" : "",
                       Escaped(record.name), Escaped(record.reason), terminal ? "\r" : "");
  if (!IsDrawnOn()) PrintHeld();
}

void RunReporter::PrintHeld() {
  PrintMessage(held_);
  held_.clear();
}

void RunReporter::OnNetwork(const GatewayRecord& record) {
  status_.ReportNetwork(record);
  PrintRefusedName(record);
  if (summary_ != nullptr) summary_->network.Add(record);
}

void RunReporter::OnMissedLoopback(std::uint16_t port) {
  const std::optional<GatewayRecord> record =
      summary_ != nullptr ? summary_->loopback(port) : std::optional<GatewayRecord>();
  if (!record) return;
  status_.ReportNetwork(*record);
  summary_->network.Add(*record);
}

void RunReporter::OnFile(const FileCall& call) {
  const FileDenial* denial = summary_ != nullptr ? summary_->files.Take(call) : nullptr;
  if (denial != nullptr) status_.ReportFile(*denial);
}

void RunReporter::OnWarning(const Warning& warning) {
  const ReportAsked asked = summary_ == nullptr ? ReportAsked::kNone
                            : summary_->brief   ? ReportAsked::kShort
                                                : ReportAsked::kWhole;
  const bool told = IsPrintedOfRun(warning, asked);
  status_.ReportWarning(warning, told);
  log_.Line(fmt::format("Warning: {} ({})", warning.message, warning.category));
  if (told) PrintWarning(warning.message);
}

void PrintWarnings(const Plan& plan, Log& log, std::string_view only) {
  for (const Warning& warning : plan.warnings) {
    if (!only.empty() && warning.category != only) continue;
    // Nothing is said of root on the stream that programs read: they compare its lines.
    if (warning.category == "running-as-root" && log.OnStandardOutput()) continue;
    log.Line(fmt::format("Warning: {} ({})", warning.message, warning.category));
    if (IsPrinted(warning)) PrintWarning(warning.message);
  }
}

void WarnOfOverruledFlags(const Plan& plan, const std::vector<FlagPlace>& flags) {
  for (const FlagPlace& place : flags) {
    if (!place.overruled.empty()) PrintWarning(place.flag + ": " + place.overruled);
  }
  for (const Warning& warning : plan.warnings) {
    const std::string_view flag = FlagAt(flags, warning.pointer);
    if (warning.category == "tightened" && !flag.empty())
      PrintWarning(std::string(flag) + ": " + warning.message);
  }
}

int Finish(const Plan& plan, const Result<Outcome>& outcome, const RunSummary* summary, Log& log,
           StatusReport& status) {
  const int exit_status = outcome ? ExitStatusOf(*outcome) : ExitStatus(outcome.error().code);
  if (outcome) {
    log.Line(fmt::format("Runner completed in {}ms", outcome->duration_ms));
    log.Line(fmt::format("Exit code: {} (0x{:08X})", exit_status, exit_status));
    status.ReportEnd(plan, *outcome, exit_status);
  } else {
    RecordFailure(outcome.error(), exit_status, log, status);
  }
  if (summary != nullptr) {
    summary->Print(plan, exit_status != 0);
  } else if (outcome && CanWatchFiles(plan)) {
    PrintReportHint(*outcome);
  }
  if (!outcome) PrintError(outcome.error());
  if (outcome && outcome->timed_out) PrintError(TimedOut(plan));
  return exit_status;
}

int Fail(const Error& error, Log& log, StatusReport& status) {
  const int exit_status = ExitStatus(error.code);
  RecordFailure(error, exit_status, log, status);
  PrintError(error);
  return exit_status;
}

Status KeepRecordsApart(const Policy& policy, const Host& host, Options& options, std::string& problem) {
  if (Status shell = CheckUnwritable({.name = "the policy", .path = options.policy_file}, host, policy);
      !shell)
    return shell.error();
  const std::string descriptor = options.status_fd ? PathOfDescriptor(*options.status_fd, host) : "";
  const std::string head = policy.audit.path.empty() ? "" : AuditHeadPath(policy.audit.path);
  if (Status own = InFilesOfTheirOwn({{.name = "--result", .path = options.result_file},
                                      {.name = "--log-file", .path = options.log_file},
                                      {.name = "--status-fd", .path = descriptor},
                                      {.name = "audit.path", .path = policy.audit.path},
                                      {.name = "the head of audit.path", .path = head}});
      !own)
    return own;
  if (Status apart = ApartFromStreams({{.name = "--result", .path = options.result_file},
                                       {.name = "audit.path", .path = policy.audit.path}});
      !apart)
    return apart;
  if (Status apart = StatusApartFromStreams(options.status_fd); !apart) return apart;
  const Result<std::string> beside =
      CheckRecord({.name = "head of the audit log", .path = head}, host, policy);
  if (!beside) return beside.error();
  options.log_file = PlaceOfLog(policy, host, options.log_file, problem);
  // Its other name may be in a grant: the command would read the log, or write it.
  if (!options.log_file.empty() && TraitsOf(policy.containment).isolates) {
    Status file = CheckOwnFile("log file", options.log_file, OwnFile::kLog);
    if (!file) return file;
  }
  Result<std::string> result = CheckRecord({.name = "--result", .path = options.result_file}, host, policy);
  if (!result) return result.error();
  options.result_file = std::move(*result);
  if (!options.status_fd || !TraitsOf(policy.containment).isolates) return Done{};
  if (HasOtherNames(*options.status_fd)) return OtherNames(*options.status_fd);
  const Result<std::string> status = CheckRecord({.name = "--status-fd", .path = descriptor}, host, policy);
  return status ? Status(Done{}) : status.error();
}

Status CheckRecordsOfCaller(const Host& host, const Options& options) {
  if (options.log_file.empty() && options.result_file.empty()) return Done{};
  const Result<std::optional<Ceiling>> ceiling = ReadCeiling(host, CallersGroups());
  if (!ceiling) return ceiling.error();
  return CheckFilesWithin(
      *ceiling,
      {{.name = "--result", .path = options.result_file}, {.name = "--log-file", .path = options.log_file}},
      host);
}

// Only into a pipe: what is wrong may be the descriptor itself.
int FailWithoutRecords(const Error& error, const Host& host, const Options& options) {
  const bool pipe = options.status_fd && PathOfDescriptor(*options.status_fd, host).empty();
  Result<StatusReport> status = StatusReport::Open(pipe ? options.status_fd : std::nullopt, "");
  if (status) status->ReportFailure(error, ExitStatus(error.code));
  PrintError(error);
  return ExitStatus(error.code);
}

Result<Records> OpenRecords(const Policy* policy, const Host& host, Options options) {
  std::string problem;
  if (policy != nullptr && HasHostPaths(*policy)) {
    if (Status apart = KeepRecordsApart(*policy, host, options, problem); !apart) return apart.error();
  }
  Log log{options.debug || options.mode == Mode::kDryRun, options.log_file, problem};
  if (!problem.empty()) PrintWarning(problem);
  Result<StatusReport> status = StatusReport::Open(options.status_fd, options.result_file);
  if (!status) return status.error();
  return Records{.log = std::move(log), .status = std::move(*status)};
}

void RecoverAndReport(bool asked) {
  const Recovery recovery = RecoverRuns(asked, [](std::string_view what, const RecoveryResult& found) {
    return IsDelivered([&] {
             for (const std::string& problem : found.problems) PrintWarning(problem);
             if (found.restored > 0)
               PrintMessage(fmt::format("mxc-exec: {} put back: {}\n", what, found.restored));
           }) &&
           !IsQuiet();
  });
  if (asked && recovery.found.Empty()) PrintMessage("mxc-exec: nothing to recover\n");
}

}  // namespace mxc
