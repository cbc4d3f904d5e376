#include "report/audit.h"

#include <fmt/format.h>

#include <chrono>
#include <string_view>
#include <utility>

#include "base/own_files.h"
#include "base/quoted.h"
#include "mxc/json.h"
#include "report/hidden_values.h"
#include "report/system_log.h"

namespace mxc {
namespace {

std::string Quote(std::string_view text) { return EscapedJson(JsonString(text)); }

// UTC. `since_1970` counts no leap seconds.
std::string TimeText(std::chrono::milliseconds since_1970) {
  const auto day = std::chrono::floor<std::chrono::days>(since_1970);
  const std::chrono::year_month_day date{std::chrono::sys_days{day}};
  const std::chrono::hh_mm_ss<std::chrono::milliseconds> time{since_1970 - day};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     time.hours().count(), time.minutes().count(), time.seconds().count(),
                     time.subseconds().count());
}

std::string Now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return TimeText(std::chrono::duration_cast<std::chrono::milliseconds>(now));
}

std::string LedgerText(const std::vector<Enforcement>& ledger) {
  std::string text;
  for (const Enforcement& entry : ledger) {
    text += fmt::format("{}{{\"clause\":{},\"strength\":{},\"mechanism\":{}}}", text.empty() ? "" : ",",
                        Quote(entry.pointer), Quote(Name(entry.strength)), Quote(entry.mechanism));
  }
  return "[" + text + "]";
}

std::string ListText(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + Quote(name);
  return "[" + text + "]";
}

std::string ReachedText(const std::vector<Resource>& reached) {
  std::vector<std::string> names;
  for (const Resource resource : reached) names.emplace_back(Name(resource));
  return ListText(names);
}

}  // namespace

AuditLog::AuditLog(Audit audit, AuditFile file)
    : audit_(std::move(audit)), file_(std::move(file)), run_(RandomName()) {}

Result<AuditLog> AuditLog::Open(const Audit& audit) {
  Result<AuditFile> file = AuditFile::Open(audit.path);
  if (!file) return file.error();
  return AuditLog(audit, std::move(*file));
}

Status AuditLog::Begin(const Plan& plan) {
  if (!plan.run.empty()) run_ = plan.run;
  return Append(
      "begin", fmt::format("{{\"event\":\"begin\",\"time\":{},\"run\":{},\"policyHash\":{},\"version\":{},"
                           "\"pid\":{},\"uid\":{},"
                           "\"containment\":{},"
                           "\"tier\":{},\"rung\":{},\"notCovered\":{},\"command\":{},\"word\":{},"
                           "\"arguments\":{},\"bytes\":{},"
                           "\"cwd\":{},\"relaxations\":{},"
                           "\"ledger\":{}}}\n",
                           Quote(Now()), Quote(run_), Quote(plan.policy_hash), Quote(MXC_VERSION),
                           OwnProcessId(), OwnUserId(), Quote(Name(plan.containment)), Quote(Name(plan.tier)),
                           Quote(Name(plan.isolation_level)), ListText(plan.not_covered), Quote(plan.command),
                           Quote(plan.shape.word), plan.shape.arguments, plan.shape.bytes, Quote(plan.cwd),
                           ListText(plan.relaxations), LedgerText(plan.ledger)));
}

// What came again is told once more, with the number of those between.
void AuditLog::Count(const GatewayRecord& record) {
  if (record.verdict == RuleAction::kDeny) denied_ += 1 + record.lost;
}

Status AuditLog::Network(const GatewayRecord& record) {
  Count(record);
  const Result<std::string> hash = file_.Append(fmt::format(
      "{{\"event\":\"network\",\"time\":{},\"run\":{},\"kind\":{},\"verdict\":{},\"name\":{},\"address\":{},"
      "\"port\":{},\"pointer\":{},\"reason\":{},\"bytesOut\":{},\"bytesIn\":{},\"lost\":{}}}\n",
      Quote(TimeText(std::chrono::milliseconds{record.time_ms})), Quote(run_), Quote(Name(record.event)),
      record.verdict == RuleAction::kAllow ? "\"allow\"" : "\"deny\"", Quote(record.name),
      Quote(record.address), record.port, Quote(record.pointer), Quote(record.reason), record.bytes_out,
      record.bytes_in, record.lost));
  return hash ? Status(Done{}) : Status(hash.error());
}

Status AuditLog::End(const Result<Outcome>& result) {
  std::string rest;
  if (result) {
    rest = fmt::format(
        "\"exitCode\":{},\"signal\":{},\"timedOut\":{},\"interruptedBy\":{},\"reached\":{},"
        "\"denied\":{},\"durationMs\":{}",
        result->exit_code, result->signal, result->timed_out, result->interrupted_by,
        ReachedText(result->reached), denied_, result->duration_ms);
  } else {
    rest = "\"error\":" + Quote(Name(result.error().code));
  }
  return Append("end", EndLine(rest));
}

std::string AuditLog::EndLine(const std::string& rest) const {
  return fmt::format("{{\"event\":\"end\",\"time\":{},\"run\":{},{}}}\n", Quote(Now()), Quote(run_), rest);
}

// Whoever writes the log may write it anew, but not what another machine, or root's journal, has of it.
Status AuditLog::Append(std::string_view event, const std::string& line) {
  const Result<std::string> hash = file_.Append(line);
  if (!hash) return hash.error();
  if (Status flushed = file_.Flush(); !flushed || !audit_.syslog) return flushed;
  Status told =
      WriteToSystemLog(fmt::format("audit {} {} run={} uid={} line={}",
                                   WithoutHiddenValues(Quote(audit_.path)), event, run_, OwnUserId(), *hash));
  // The run that nobody witnesses does not begin: its record says so.
  if (!told && event == "begin")
    static_cast<void>(file_.Append(EndLine("\"error\":" + Quote(Name(told.error().code)))));
  return told;
}

}  // namespace mxc
