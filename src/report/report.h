// Messages for people and programs: errors on standard error, status as JSON lines.
//
// Standard output belongs to the command; only --dry-run, --debug and the questions of the command line print
// there.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_fd.h"
#include "mxc/error.h"
#include "mxc/file_call.h"
#include "mxc/outcome.h"
#include "mxc/plan.h"

namespace mxc {

// The text for people, in whole lines.
//   parse errors      "Request error", "Configuration parse error: ..." and a line per further error
//   selection errors  "error: ..."
//   all others        the message
//   time-out          none, as the reference prints nothing but the envelope
[[nodiscard]] std::string RenderText(const Error& error);

// For people at a terminal: "error: " and the message, "hint: " and the hint, for each error a line or two.
[[nodiscard]] std::string RenderProse(const Error& error, bool colours);

// Writes to standard error, without hidden values. A failure to write is ignored: the exit status is still
// right.
void PrintMessage(std::string_view text);

// From now on nothing is written to standard error: it is the command's alone.
void KeepQuiet();
[[nodiscard]] bool IsQuiet();
// To be called if standard error was closed when this process began: nothing written there is delivered.
void LoseStandardError();
// Calls `print`. Whether everything that it printed has been written; after KeepQuiet that is nothing.
[[nodiscard]] bool IsDelivered(const std::function<void()>& print);
// Prints the line "mxc-exec: warning: MESSAGE".
void PrintWarning(std::string_view message);
// Prints all of them. Whether they have been written.
[[nodiscard]] bool DeliverWarnings(const std::vector<Warning>& warnings);

// Prints that there is neither a configuration nor a command.
void ReportNothingToRun();
// Suggests --report to people at a terminal whose command failed by itself.
void PrintReportHint(const Outcome& outcome);
// Prints the error: RenderProse where standard error is a terminal, else RenderText and the envelope on a
// line of its own.
void PrintError(const Error& error);
// The same without the envelope, which the caller prints elsewhere.
void PrintErrorText(const Error& error);
// From now on a terminal gets what a pipe would.
void PrintErrorsForPrograms();
// From now on an error is one line of `program`, on a terminal too: "mxc-sh: MESSAGE: HINT".
void PrintErrorsInALine(std::string_view program);
// The same line.
[[nodiscard]] std::string RenderLine(std::string_view program, const Error& error);

// Whether a warning is printed on standard error, where the user looks, and not only in the records. That is
// so for what explains most failures of commands (a grant that is missing or that root cannot use, a
// directory that the command cannot see), and for weaker isolation that was not requested by name.
[[nodiscard]] bool IsPrinted(const Warning& warning);
// The same for a warning during a run. `asked`: which report of that run was requested.
enum class ReportAsked : std::uint8_t { kNone, kShort, kWhole };
[[nodiscard]] bool IsPrintedOfRun(const Warning& warning, ReportAsked asked);

// {"error":{"code":...,"message":...}} on one line, without newline (contract 2.2; docs/errors.md).
[[nodiscard]] std::string Envelope(const Error& error);

// Where --status-fd and --result go. Every event is one line, written at once to both.
class StatusReport {
 public:
  // Without both, nothing is written. Errors: kUsage for a descriptor that is not open, kSetupFailed for a
  // file that cannot be created.
  [[nodiscard]] static Result<StatusReport> Open(std::optional<int> fd, const std::string& file);

  // The backend chosen and why; then the plan's warnings.
  void ReportBackend(const Plan& plan, const std::string& reason);
  void ReportWarning(const Warning& warning) { ReportWarning(warning, IsPrinted(warning)); }
  void ReportWarning(const Warning& warning, bool printed);
  void ReportStart(std::int64_t process_id);
  void ReportNetwork(const GatewayRecord& record);
  void ReportFile(const FileDenial& denial);
  // Reports that so many of these lines are missing, from a file as well.
  void ReportLost(std::uint64_t records);
  void ReportEnd(const Plan& plan, const Outcome& outcome, int exit_status);
  void ReportFailure(const Error& error, int exit_status);

 private:
  [[nodiscard]] bool Silent() const { return fd_ < 0 && !file_; }
  void Write(const std::string& line);
  // For lines that the command can cause without limit. Never blocks: the reader of the descriptor may itself
  // wait for our end.
  void WriteRecord(const std::string& line);
  void WriteLeftOut();

  int fd_ = -1;  // borrowed, or own_fd_
  UniqueFd own_fd_ = {};
  std::uint64_t left_out_ = 0;
  UniqueFd file_ = {};
  std::string run_ = {};  // of the last Backend, as is the next
  std::string policy_hash_ = {};
};

}  // namespace mxc
