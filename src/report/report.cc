#include "report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/own_files.h"
#include "base/quoted.h"
#include "base/terminal.h"
#include "report/hidden_values.h"
#include "report/prose.h"

namespace mxc {
namespace {

using Object = nlohmann::ordered_json;

// Paths are bytes; JSON is UTF-8: what is not becomes U+FFFD.
std::string Line(const Object& object) {
  return RecordWithoutHiddenValues(
      EscapedJson(object.dump(-1, ' ', false, Object::error_handler_t::replace)));
}

Object Details(const Error& error) {
  Object details;
  details["kind"] = Name(error.code);
  if (!error.pointer.empty()) details["pointer"] = error.pointer;
  if (error.position.line != 0) {
    details["line"] = error.position.line;
    details["column"] = error.position.column;
  }
  if (!error.hint.empty()) details["hint"] = error.hint;
  return details;
}

Object ErrorObject(const Error& error) {
  Object object;
  object["code"] = WireCode(error.code);
  object["message"] = error.message;
  object.update(Details(error));
  if (!error.approval.id.empty()) {
    object["approval"] = {{"id", error.approval.id},
                          {"flag", "--approve"},
                          {"command", error.approval.command},
                          {"cwd", error.approval.directory}};
  }
  if (error.others.empty()) return object;
  Object others = Object::array();
  for (const Error& other : error.others) {
    Object entry;
    entry["message"] = other.message;
    entry.update(Details(other));
    others.push_back(std::move(entry));
  }
  object["others"] = std::move(others);
  return object;
}

Object LedgerArray(const std::vector<Enforcement>& ledger) {
  Object array = Object::array();
  for (const Enforcement& entry : ledger) {
    array.push_back(
        {{"pointer", entry.pointer}, {"strength", Name(entry.strength)}, {"mechanism", entry.mechanism}});
  }
  return array;
}

Object Names(const std::vector<Resource>& resources) {
  Object names = Object::array();
  for (const Resource resource : resources) names.push_back(Name(resource));
  return names;
}

std::string HintLine(const Error& error) {
  return error.hint.empty() ? "" : "  hint: " + Escaped(error.hint) + "\n";
}

std::string ParseErrorText(const Error& error) {
  std::string text =
      "Request error\nConfiguration parse error: " + Escaped(error.message) + "\n" + HintLine(error);
  for (const Error& other : error.others) {
    text += "Configuration parse error: " + Escaped(other.message) + "\n" + HintLine(other);
  }
  return text;
}

constexpr int kStandardError = 2;

bool& ForPrograms() {
  static bool asked_for = false;
  return asked_for;
}

// Whose lines errors are; empty: they are of the usual form.
std::string& LinesOf() {
  static std::string program;
  return program;
}

bool& Quiet() {
  static bool asked_for = false;
  return asked_for;
}

bool& LostStandardError() {
  static bool closed = false;
  return closed;
}

bool PeopleRead() { return !ForPrograms() && IsTerminal(kStandardError); }

Object OrNull(int number) { return number == 0 ? Object{} : Object(number); }

void AddIsolationLevel(const Plan& plan, Object& line) {
  if (plan.isolation_level == IsolationLevel::kNone) return;
  line["rung"] = Name(plan.isolation_level);
  line["notCovered"] = plan.not_covered;
}

void AddRun(const Plan& plan, Object& line) {
  if (!plan.run.empty()) line["run"] = plan.run;
  if (!plan.policy_hash.empty()) line["policyHash"] = plan.policy_hash;
}

Object InsideObject(const InnerEngine& inside) {
  Object object{{"engine", inside.name}, {"tier", inside.tier}};
  const auto add = [&object](const std::string& key, const std::string& text) {
    if (!text.empty()) object[key] = text;
  };
  add("rung", inside.isolation_level);
  if (!inside.not_covered.empty()) object["notCovered"] = inside.not_covered;
  for (const auto& [key, text] : inside.where) add(key, text);
  return object;
}

// More than a filter stands between the command and the host: namespaces, a container or a machine of its
// own.
bool IsIsolated(const Plan& plan) {
  return TraitsOf(plan.containment).isolates && plan.isolation_level != IsolationLevel::kLandlock;
}

// What stays free in a pipe for the last lines, which tell how it ended.
constexpr std::size_t kRoomForTheEnd = 16384;

void WriteLine(int fd, const std::string& line) {
  const std::string text = line + "\n";
  std::size_t written = 0;
  while (fd >= 0 && written < text.size()) {
    const std::int64_t count = WriteSome(fd, std::string_view(text).substr(written));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;  // a reader that went away does not concern the command
    written += static_cast<std::size_t>(count);
  }
}

std::string TextOf(const Error& error) {
  if (!LinesOf().empty()) return RenderLine(LinesOf(), error);
  return PeopleRead() ? RenderProse(error, TakesColours(kStandardError)) : RenderText(error);
}

void ToStandardError(std::string_view text) {
  if (!Quiet()) std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace

void PrintMessage(std::string_view text) { ToStandardError(WithoutHiddenValues(text)); }

void KeepQuiet() { Quiet() = true; }

bool IsQuiet() { return Quiet(); }

void LoseStandardError() { LostStandardError() = true; }

// Standard error has no buffer. An earlier error says nothing about what is printed now.
bool IsDelivered(const std::function<void()>& print) {
  std::clearerr(stderr);
  print();
  return !LostStandardError() && std::fflush(stderr) == 0 && std::ferror(stderr) == 0;
}

void PrintWarning(std::string_view message) {
  const bool colours = TakesColours(kStandardError);
  PrintMessage("mxc-exec: " + Styled("warning:", Style::kWarning, colours) + " " + Escaped(message) + "\n");
}

bool DeliverWarnings(const std::vector<Warning>& warnings) {
  return warnings.empty() || IsDelivered([&] {
           for (const Warning& warning : warnings) PrintWarning(warning.message);
         });
}

// Clients of Microsoft's lxc-exec look for these words.
void ReportNothingToRun() {
  PrintMessage("Error: No config provided. Use CONFIG_PATH, --config, --config-base64, or -- CMD ARGS...\n");
  if (!ForPrograms()) PrintMessage("  hint: mxc-exec --help shows how to call it\n");
}

void PrintReportHint(const Outcome& outcome) {
  constexpr int kOfSignals = 128;  // and above, as a shell reports them
  const bool by_itself = outcome.signal == 0 && outcome.interrupted_by == 0 && !outcome.timed_out &&
                         outcome.exit_code != 0 && outcome.exit_code < kOfSignals;
  if (by_itself && PeopleRead())
    PrintMessage("mxc-exec: the command failed; with --report, what the sandbox refused it is listed\n");
}

void PrintErrorText(const Error& error) { PrintMessage(TextOf(error)); }

// One write: a client that reads from a terminal may take what it gets after our end for all there is.
void PrintError(const Error& error) {
  std::string text = WithoutHiddenValues(TextOf(error));
  if (LinesOf().empty() && !PeopleRead()) text += Envelope(error) + "\n";
  ToStandardError(text);
}

void PrintErrorsInALine(std::string_view program) { LinesOf() = program; }

std::string RenderLine(std::string_view program, const Error& error) {
  // The hint of a gate is its flag, for which a program that is called as a shell has no place.
  const std::string hint = error.code == ErrorCode::kGated
                               ? "choose another containment, or give mxc-exec the flag for it"
                               : error.hint;
  return fmt::format("{}: {}{}\n", program, Escaped(error.message), hint.empty() ? "" : ": " + Escaped(hint));
}

void PrintErrorsForPrograms() { ForPrograms() = true; }

std::string Envelope(const Error& error) { return Line({{"error", ErrorObject(error)}}); }

std::string RenderText(const Error& error) {
  constexpr ErrorCode kOfTheCall[] = {ErrorCode::kUsage, ErrorCode::kUnsupported, ErrorCode::kGated};
  if (error.code == ErrorCode::kTimeout) return "";
  if (error.code == ErrorCode::kMalformed || error.code == ErrorCode::kSchema) return ParseErrorText(error);
  const bool of_the_call =
      std::find(std::begin(kOfTheCall), std::end(kOfTheCall), error.code) != std::end(kOfTheCall);
  return (of_the_call ? "error: " : "") + Escaped(error.message) + "\n" + HintLine(error);
}

// NOLINTNEXTLINE(misc-no-recursion): the same as for HumanText
std::string RenderProse(const Error& error, bool colours) {
  std::string text = Styled("error:", Style::kError, colours) + " " + Escaped(error.message) + "\n";
  if (!error.hint.empty())
    text += "  " + Styled("hint:", Style::kStrong, colours) + " " + Escaped(error.hint) + "\n";
  for (const Error& other : error.others) text += RenderProse(other, colours);
  return text;
}

bool IsPrinted(const Warning& warning) {
  constexpr std::string_view kTold[] = {
      "path-missing",     "foreign-owner",         "directory-hidden", "git-directory-hidden",
      "weaker-isolation", "protection-incomplete", "ceiling",          "git-lock-held"};
  return warning.told || std::find(std::begin(kTold), std::end(kTold), warning.category) != std::end(kTold);
}

// Many tools leave a server for the next call, which is no news where nobody asks for a report. A short one
// has its own lines.
bool IsPrintedOfRun(const Warning& warning, ReportAsked asked) {
  struct Least {
    std::string_view category;
    ReportAsked asked;
  };
  constexpr Least kLeast[] = {{"process-left", ReportAsked::kShort},
                              {"port-unpublished", ReportAsked::kWhole}};
  return std::none_of(std::begin(kLeast), std::end(kLeast), [&](const Least& least) {
    return least.category == warning.category && asked < least.asked;
  });
}

Result<StatusReport> StatusReport::Open(std::optional<int> fd, const std::string& file) {
  StatusReport report;
  if (fd) {
    if (!IsOpenDescriptor(*fd)) {
      return Error{.code = ErrorCode::kUsage,
                   .message = "--status-fd " + std::to_string(*fd) + " is not an open descriptor",
                   .hint = "open it for the call: mxc-exec --status-fd 3 ... 3>status.jsonl"};
    }
    // A standard stream is given up when the command has closed its own.
    if (*fd < 3) report.own_fd_ = Duplicate(*fd);
    report.fd_ = report.own_fd_ ? report.own_fd_.Get() : *fd;
  }
  if (!file.empty()) {
    Result<UniqueFd> opened = OpenOwnFile("--result", file, OwnFile::kResult);
    if (!opened) return opened.error();
    report.file_ = std::move(*opened);
  }
  return report;
}

void StatusReport::Write(const std::string& line) {
  WriteLine(fd_, line);
  WriteLine(file_.Get(), line);
}

void StatusReport::WriteRecord(const std::string& line) {
  WriteLine(file_.Get(), line);
  if (fd_ < 0) return;
  if (HasRoom(fd_, line.size() + 1, kRoomForTheEnd)) {
    WriteLine(fd_, line);
  } else {
    ++left_out_;
  }
}

void StatusReport::WriteLeftOut() {
  if (left_out_ != 0) WriteLine(fd_, Line({{"event", "lost"}, {"records", left_out_}}));
  left_out_ = 0;
}

void StatusReport::ReportLost(std::uint64_t records) {
  Write(Line({{"event", "lost"}, {"records", records}}));
}

void StatusReport::ReportBackend(const Plan& plan, const std::string& reason) {
  if (Silent()) return;
  Object line{{"event", "backend"}, {"backend", Name(plan.containment)}, {"tier", Name(plan.tier)}};
  AddIsolationLevel(plan, line);
  line["reason"] = reason;
  line["relaxations"] = plan.relaxations;
  line["realIsolation"] = IsIsolated(plan);
  AddRun(plan, line);
  run_ = plan.run;
  policy_hash_ = plan.policy_hash;
  Write(Line(line));
  for (const Warning& warning : plan.warnings) ReportWarning(warning);
}

void StatusReport::ReportWarning(const Warning& warning, bool told) {
  if (Silent()) return;
  Object line{{"event", "warning"}, {"category", warning.category}, {"message", warning.message}};
  if (told) line["told"] = true;
  if (!warning.pointer.empty()) line["pointer"] = warning.pointer;
  Write(Line(line));
}

void StatusReport::ReportStart(std::int64_t process_id) {
  if (!Silent()) Write(Line({{"event", "started"}, {"pid", process_id}}));
}

void StatusReport::ReportNetwork(const GatewayRecord& record) {
  if (Silent()) return;
  Object line{{"event", "network"}, {"timeMs", record.time_ms}, {"kind", Name(record.event)}};
  line["verdict"] = record.verdict == RuleAction::kAllow ? "allow" : "deny";
  if (record.event != GatewayEvent::kName)
    line["protocol"] = record.event == GatewayEvent::kFlow ? "udp" : "tcp";
  if (!record.name.empty()) line["name"] = record.name;
  if (!record.address.empty()) line["address"] = record.address;
  if (record.port != 0) line["port"] = record.port;
  if (!record.pointer.empty()) line["pointer"] = record.pointer;
  if (!record.reason.empty()) line["reason"] = record.reason;
  line["bytesOut"] = record.bytes_out;
  line["bytesIn"] = record.bytes_in;
  line["durationMs"] = record.duration_ms;
  if (record.lost != 0) line["lost"] = record.lost;
  WriteRecord(Line(line));
}

void StatusReport::ReportFile(const FileDenial& denial) {
  if (Silent()) return;
  Object line{{"event", "file"}, {"verdict", "deny"}, {"use", Name(denial.use)}, {"path", denial.path}};
  if (!denial.pointer.empty()) line["pointer"] = denial.pointer;
  line["reason"] = denial.reason;
  WriteRecord(Line(line));
}

void StatusReport::ReportEnd(const Plan& plan, const Outcome& outcome, int exit_status) {
  if (Silent()) return;
  Object line{{"event", "outcome"}, {"exitStatus", exit_status}};
  line["exitCode"] = EndedByLauncher(outcome) ? Object{} : Object(outcome.exit_code);
  line["signal"] = OrNull(outcome.signal);
  line["timedOut"] = outcome.timed_out;
  line["interruptedBy"] = OrNull(outcome.interrupted_by);
  line["limits"] = {{"stdoutTruncated", outcome.stdout_truncated},
                    {"stderrTruncated", outcome.stderr_truncated},
                    {"reached", Names(outcome.reached)}};
  line["durationMs"] = outcome.duration_ms;
  line["backend"] = Name(plan.containment);
  line["tier"] = Name(plan.tier);
  if (outcome.inside) line["inside"] = InsideObject(*outcome.inside);
  AddIsolationLevel(plan, line);
  // Where another mxc-exec holds the command, its word counts: without one nothing is claimed.
  const bool inside =
      outcome.inside ? outcome.inside->tier != Name(Tier::kProcess) : !TraitsOf(plan.containment).linux_guest;
  line["realIsolation"] = IsIsolated(plan) && inside;
  AddRun(plan, line);
  line["ledger"] = LedgerArray(plan.ledger);
  for (const Warning& warning : plan.warnings) {
    if (warning.category == "clamped")
      line["clamped"].push_back({{"pointer", warning.pointer}, {"message", warning.message}});
  }
  WriteLeftOut();
  Write(Line(line));
}

void StatusReport::ReportFailure(const Error& error, int exit_status) {
  if (Silent()) return;
  WriteLeftOut();
  Object line{{"event", "error"}, {"exitStatus", exit_status}, {"error", ErrorObject(error)}};
  AddRun({.run = run_, .policy_hash = policy_hash_}, line);
  Write(Line(line));
}

}  // namespace mxc
