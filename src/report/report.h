// What we say to people and programs: errors on standard error, status as JSON lines.
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

// Writes to standard error, without hidden values. That it is full or gone changes nothing: the exit status
// still tells.
void Tell(std::string_view text);

// From now on nothing is written there: it is the command's alone.
void KeepQuiet();
[[nodiscard]] bool IsQuiet();
// Standard error was closed when this process began: what is told reaches nobody.
void TellNobody();
// Whether all that `tell` tells has been written; of somebody who wants it quiet, that is nothing.
[[nodiscard]] bool IsHeard(const std::function<void()>& tell);
// ... a line of "mxc-exec: warning: ".
void TellWarning(std::string_view message);
// ... of each. Whether they have been heard.
[[nodiscard]] bool TellWarnings(const std::vector<Warning>& warnings);

// ... that there is neither a configuration nor a command.
void ReportNothingToRun();
// ... of a command that failed by itself, to people, that --report may explain it.
void TellOfReports(const Outcome& outcome);
// ... the error: for people where standard error is a terminal, else RenderText, and the envelope alone on
// its line.
void TellError(const Error& error);
// ... the same without the envelope, which is elsewhere.
void TellErrorText(const Error& error);
// From now on a terminal gets what a pipe would.
void TellErrorsToPrograms();
// From now on an error is one line of `program`'s, whoever reads it: "mxc-sh: MESSAGE: HINT".
void TellErrorsInALine(std::string_view program);
// The same line.
[[nodiscard]] std::string RenderLine(std::string_view program, const Error& error);

// A grant that is not there, or that root cannot use, explains most failures of the command, and so does a
// directory that it cannot see: such a warning is said where the user looks, and not only in the records. So
// is weaker isolation, which nobody asked for by name.
[[nodiscard]] bool IsTold(const Warning& warning);
// The same of what happens during a run. `asked`: for a report of that run.
enum class ReportAsked : std::uint8_t { kNone, kShort, kWhole };
[[nodiscard]] bool IsToldOfRun(const Warning& warning, ReportAsked asked);

// {"error":{"code":...,"message":...}} on one line, without newline (contract 2.2; docs/errors.md).
[[nodiscard]] std::string Envelope(const Error& error);

// Where --status-fd and --result go. Every event is one line, written at once to both.
class StatusReport {
 public:
  // Errors: kUsage for a descriptor that is not open, kSetupFailed for a file that cannot be made. Neither
  // given: a report that says nothing.
  [[nodiscard]] static Result<StatusReport> Open(std::optional<int> fd, const std::string& file);

  // The backend chosen and why; then the plan's warnings.
  void ReportBackend(const Plan& plan, const std::string& reason);
  void ReportWarning(const Warning& warning) { ReportWarning(warning, IsTold(warning)); }
  void ReportWarning(const Warning& warning, bool told);
  void ReportStart(std::int64_t process_id);
  void ReportNetwork(const GatewayRecord& record);
  void ReportFile(const FileDenial& denial);
  // So many of these lines are missing, from a file as well.
  void ReportLost(std::uint64_t records);
  void ReportEnd(const Plan& plan, const Outcome& outcome, int exit_status);
  void ReportFailure(const Error& error, int exit_status);

 private:
  [[nodiscard]] bool Silent() const { return fd_ < 0 && !file_; }
  void Write(const std::string& line);
  // Of what the command causes, as often as it likes: the reader of the descriptor may be one that waits for
  // our end, and nothing may keep us from bringing that about.
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
