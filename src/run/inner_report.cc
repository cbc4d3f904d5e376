#include "run/inner_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "document/parse.h"
#include "mxc/containment.h"
#include "mxc/json.h"
#include "mxc/plan.h"

namespace mxc {
namespace {

constexpr Resource kResources[] = {Resource::kMemory,    Resource::kCpus, Resource::kProcesses,
                                   Resource::kOpenFiles, Resource::kTmp,  Resource::kFileSize,
                                   Resource::kCpuTime};
constexpr int kMaxStatus = 255;
constexpr int kMaxSignal = 64;
constexpr std::uint64_t kMaxDuration = std::uint64_t{1} << 53U;

// Reads the members of one line, and notes the first problem.
class Members {
 public:
  Members(const Json& object, std::string& wrong) : object_(object), wrong_(wrong) {}

  [[nodiscard]] std::string Text(const char* key) const {
    const Json* const value = Of(key, Json::Kind::kString);
    return value == nullptr ? std::string() : value->text;
  }
  [[nodiscard]] bool Flag(const char* key) const {
    const Json* const value = Of(key, Json::Kind::kBool);
    return value != nullptr && value->boolean;
  }
  [[nodiscard]] std::uint64_t Number(const char* key, std::uint64_t least, std::uint64_t most) const {
    const Json* const value = Of(key, Json::Kind::kInteger);
    if (value == nullptr) return 0;
    if (value->negative || value->integer < least || value->integer > most) Note(key);
    return value->integer;
  }
  // nullptr: there is none.
  [[nodiscard]] std::optional<int> NumberOrNull(const char* key, int least, int most) const {
    const Json* const value = object_.Find(key);
    if (value != nullptr && value->kind == Json::Kind::kNull) return std::nullopt;
    return static_cast<int>(Number(key, static_cast<std::uint64_t>(least), static_cast<std::uint64_t>(most)));
  }
  // nullptr: there is none, which is noted as a problem.
  [[nodiscard]] const Json* Of(const char* key, Json::Kind kind) const {
    const Json* const value = object_.Find(key);
    if (value != nullptr && value->kind == kind) return value;
    Note(key);
    return nullptr;
  }
  void Note(const char* key) const {
    if (wrong_.empty()) wrong_ = fmt::format("`{}` is missing, or not what it has to be", key);
  }
  [[nodiscard]] bool Has(const char* key) const { return object_.Find(key) != nullptr; }

 private:
  const Json& object_;
  std::string& wrong_;
};

void ReadLimits(const Json& limits, Outcome& outcome, std::string& wrong) {
  const Members members(limits, wrong);
  outcome.stdout_truncated = members.Flag("stdoutTruncated");
  outcome.stderr_truncated = members.Flag("stderrTruncated");
  const Json* const reached = members.Of("reached", Json::Kind::kArray);
  for (std::size_t i = 0; reached != nullptr && i < reached->items.size(); ++i) {
    const Json& name = reached->items[i];
    const auto* const found = std::find_if(
        std::begin(kResources), std::end(kResources),
        [&](Resource resource) { return name.kind == Json::Kind::kString && name.text == Name(resource); });
    if (found == std::end(kResources)) {
      members.Note("reached");
    } else {
      outcome.reached.push_back(*found);
    }
  }
}

std::vector<std::string> TextsOf(const Members& members, const char* key) {
  std::vector<std::string> texts;
  const Json* const list = members.Of(key, Json::Kind::kArray);
  for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i) {
    if (list->items[i].kind != Json::Kind::kString) members.Note(key);
    texts.push_back(list->items[i].text);
  }
  return texts;
}

// The engine that isolated the command. `none` is not accepted.
InnerEngine EngineOf(const Members& members) {
  InnerEngine engine{.name = members.Text("backend"), .tier = members.Text("tier")};
  if (members.Has("rung")) engine.isolation_level = members.Text("rung");
  if (members.Has("notCovered")) engine.not_covered = TextsOf(members, "notCovered");
  const auto containments = AllContainments();
  if (std::none_of(containments.begin(), containments.end(),
                   [&](const ContainmentTraits& it) { return it.name == engine.name && it.isolates; }))
    members.Note("backend");
  const std::optional<Tier> tier = TierNamed(engine.tier);
  if (!tier || *tier == Tier::kNone) members.Note("tier");
  if (!members.Flag("realIsolation") && tier && *tier >= Tier::kContainer) members.Note("realIsolation");
  return engine;
}

void CheckLedger(const Members& members) {
  const Json* const ledger = members.Of("ledger", Json::Kind::kArray);
  for (std::size_t i = 0; ledger != nullptr && i < ledger->items.size(); ++i) {
    const Json* const strength = ledger->items[i].Find("strength");
    if (strength == nullptr || strength->kind != Json::Kind::kString ||
        strength->text == Name(Strength::kNone))
      members.Note("ledger");
  }
}

Outcome OutcomeOf(const Json& line, std::string& wrong) {
  const Members members(line, wrong);
  const std::optional<int> exit_code = members.NumberOrNull("exitCode", 0, kMaxStatus);
  Outcome outcome{.exit_code = exit_code.value_or(0),
                  .signal = members.NumberOrNull("signal", 1, kMaxSignal).value_or(0),
                  .timed_out = members.Flag("timedOut"),
                  .interrupted_by = members.NumberOrNull("interruptedBy", 1, kMaxSignal).value_or(0),
                  .duration_ms = members.Number("durationMs", 0, kMaxDuration),
                  .inside = EngineOf(members)};
  if (const Json* const limits = members.Of("limits", Json::Kind::kObject))
    ReadLimits(*limits, outcome, wrong);
  CheckLedger(members);
  outcome.exited_when_asked = exit_code && outcome.interrupted_by != 0 && outcome.signal == 0;
  const bool by_us = EndedByLauncher(outcome);
  // It ended the command itself, although neither a time-out nor a signal is reported.
  outcome.cpu_time_out = !exit_code && !by_us;
  if (exit_code && by_us) members.Note("exitCode");
  if (exit_code && outcome.signal != 0 && *exit_code != 128 + outcome.signal) members.Note("signal");
  const std::uint64_t status = members.Number("exitStatus", 0, kMaxStatus);
  if (status != static_cast<std::uint64_t>(ExitStatusOf(outcome))) members.Note("exitStatus");
  return outcome;
}

Error ErrorOf(const Json& line, std::string& wrong) {
  const Json* const error = Members(line, wrong).Of("error", Json::Kind::kObject);
  if (error == nullptr) return {};
  const Members members(*error, wrong);
  return {.code = ErrorCodeNamed(members.Text("kind")),
          .message = members.Text("message"),
          .hint = members.Has("hint") ? members.Text("hint") : std::string()};
}

std::string TextOf(const Json& line, const char* key) {
  const Json* const value = line.Find(key);
  return value != nullptr && value->kind == Json::Kind::kString ? value->text : std::string();
}

void Take(const Json& line, InnerReport& report) {
  const std::string event = TextOf(line, "event");
  const Json* const told = line.Find("told");
  if (event == "started") report.started = true;
  if (event == "warning" && told != nullptr && told->boolean)
    report.warnings.push_back({.category = TextOf(line, "category"),
                               .message = TextOf(line, "message"),
                               .pointer = TextOf(line, "pointer")});
  if (event != "outcome" && event != "error") return;
  if (report.outcome || report.error) report.unreadable = "it tells of two ends";
  if (event == "outcome") report.outcome = OutcomeOf(line, report.unreadable);
  if (event == "error") report.error = ErrorOf(line, report.unreadable);
}

}  // namespace

InnerReport ReadInnerReport(std::string_view lines) {
  InnerReport report;
  while (!lines.empty() && report.unreadable.empty()) {
    const std::size_t end = lines.find('\n');
    if (end == std::string_view::npos) break;  // cut off
    const std::string_view text = lines.substr(0, end);
    lines.remove_prefix(end + 1);
    if (!text.starts_with('{')) continue;
    const Result<Json> line = ParseDocument({.name = {}, .bytes = std::string(text)});
    if (line) {
      Take(*line, report);
    } else {
      report.unreadable = line.error().message;
    }
  }
  if (!report.unreadable.empty()) {
    report.outcome.reset();
    report.error.reset();
  }
  return report;
}

std::optional<Error> ReadInnerError(std::string_view text) {
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  const std::string_view last = text.substr(text.rfind('\n') + 1);
  if (!last.starts_with('{')) return std::nullopt;
  const Result<Json> line = ParseDocument({.name = {}, .bytes = std::string(last)});
  if (!line) return std::nullopt;
  std::string wrong;
  Error error = ErrorOf(*line, wrong);
  if (!wrong.empty()) return std::nullopt;
  return error;
}

}  // namespace mxc
