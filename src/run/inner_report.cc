#include "run/inner_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "mxc/windows/wsl_engine.h"

namespace mxc {
namespace {

using Document = nlohmann::json;

constexpr Resource kResources[] = {Resource::kMemory,    Resource::kCpus, Resource::kProcesses,
                                   Resource::kOpenFiles, Resource::kTmp,  Resource::kFileSize,
                                   Resource::kCpuTime};

const Document& At(const Document& object, const char* key) {
  static const Document none;
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found == object.end() ? none : *found;
}

int Number(const Document& object, const char* key) {
  const Document& value = At(object, key);
  return value.is_number_integer() ? value.get<int>() : 0;
}

bool IsTrue(const Document& object, const char* key) {
  const Document& value = At(object, key);
  return value.is_boolean() && value.get<bool>();
}

std::string Text(const Document& object, const char* key) {
  const Document& value = At(object, key);
  return value.is_string() ? value.get<std::string>() : std::string();
}

Outcome OutcomeOf(const Document& line) {
  const Document& limits = At(line, "limits");
  Outcome outcome{.exit_code = Number(line, "exitCode"),
                  .signal = Number(line, "signal"),
                  .timed_out = IsTrue(line, "timedOut"),
                  .interrupted_by = Number(line, "interruptedBy"),
                  .stdout_truncated = IsTrue(limits, "stdoutTruncated"),
                  .stderr_truncated = IsTrue(limits, "stderrTruncated"),
                  .duration_ms = static_cast<std::uint64_t>(std::max(0, Number(line, "durationMs")))};
  if (const std::string backend = Text(line, "backend"); !backend.empty())
    outcome.inside = InnerEngine{.name = WslEngine(backend), .tier = Text(line, "tier")};
  // It ended the command itself, and neither the clock nor a signal made it.
  outcome.cpu_time_out = At(line, "exitCode").is_null() && !outcome.timed_out && outcome.interrupted_by == 0;
  for (const Document& name : At(limits, "reached")) {
    for (const Resource resource : kResources) {
      if (name.is_string() && name.get<std::string>() == Name(resource)) outcome.reached.push_back(resource);
    }
  }
  return outcome;
}

Error ErrorOf(const Document& error) {
  return {.code = ErrorCodeNamed(Text(error, "kind")),
          .message = Text(error, "message"),
          .hint = Text(error, "hint")};
}

}  // namespace

InnerReport ReadInnerReport(std::string_view lines) {
  InnerReport report;
  while (!lines.empty()) {
    const std::size_t end = lines.find('\n');
    if (end == std::string_view::npos) break;  // cut off
    const Document line = Document::parse(lines.substr(0, end), nullptr, false);
    lines.remove_prefix(end + 1);
    const std::string event = Text(line, "event");
    if (event == "started") report.started = true;
    if (event == "outcome") report.outcome = OutcomeOf(line);
    if (event == "error") report.error = ErrorOf(At(line, "error"));
  }
  return report;
}

}  // namespace mxc
