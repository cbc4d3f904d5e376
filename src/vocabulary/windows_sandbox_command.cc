#include <algorithm>
#include <utility>
#include <vector>

#include "base/archive.h"
#include "mxc/command_line.h"
#include "mxc/windows/path.h"
#include "mxc/windows/sandbox_command.h"

namespace mxc {
namespace {

// cmd.exe takes 8191 characters of a line; our own words around the command take some.
constexpr std::size_t kMaxLine = 8000;

bool IsOneLine(const std::string& text) {
  return text.find_first_of(std::string("\0\r\n", 3)) == std::string::npos;
}

Result<std::string> CommandLine(const Process& process) {
  std::string line =
      process.command_line.empty() ? JoinArguments(process.argv, QuoteFor::kCmd) : process.command_line;
  const char* const pointer = process.command_line.empty() ? "/process/argv" : "/process/commandLine";
  const std::string hint = "put it into a script in a folder that the policy grants, and run that";
  if (!IsOneLine(line)) return Conflict("the command has more than one line", pointer, hint);
  if (line.size() > kMaxLine) return Conflict("the command is longer than cmd.exe takes", pointer, hint);
  return line;
}

Status CheckEnvironment(const Process& process) {
  for (const Variable& variable : process.environment) {
    const std::string& value = variable.value.Reveal();
    const bool lines = !IsOneLine(value);
    if (!lines && variable.name.size() + value.size() <= kMaxLine) continue;
    return Conflict("the variable '" + variable.name + "' has " +
                        (lines ? "more than one line" : "more characters than cmd.exe takes"),
                    "/process/env", "put the value into a file in a folder that the policy grants");
  }
  return Done{};
}

bool IsShared(const std::string& path, const std::vector<MappedFolder>& folders) {
  return std::any_of(folders.begin(), folders.end(),
                     [&](const MappedFolder& folder) { return IsAtOrBelowOnWindows(path, folder.path); });
}

template <class Archive, class AnyOrder>
void VisitAgent(Archive& archive, AnyOrder& order) {
  archive(order.token, order.idle_ms, order.lifetime_ms);
}

template <class Archive, class AnyRun, class Texts>
void VisitCommand(Archive& archive, AnyRun& run, Texts& environment) {
  archive(run.command_line, run.cwd, environment);
}

}  // namespace

Result<WindowsSandboxRun> WithCommand(WindowsSandboxRun run, const Process& process) {
  if (Status environment = CheckEnvironment(process); !environment) return environment.error();
  Result<std::string> line = CommandLine(process);
  if (!line) return line.error();
  if (!process.cwd_pointer.empty()) {
    if (!IsShared(process.cwd, run.folders)) {
      return Conflict("cwd '" + process.cwd + "' is not in a folder of the policy", process.cwd_pointer,
                      "choose a directory the policy grants");
    }
    run.cwd = process.cwd;
  }
  run.command_line = std::move(*line);
  run.environment = process.environment;
  return run;
}

std::string AgentOrderText(const AgentOrder& order) {
  ArchiveWriter archive;
  VisitAgent(archive, order);
  return archive.Take();
}

std::optional<AgentOrder> ReadAgentOrder(const std::string& text) {
  AgentOrder order;
  ArchiveReader archive(text);
  VisitAgent(archive, order);
  return archive.Ended() ? std::optional(order) : std::nullopt;
}

std::string CommandOrderText(const WindowsSandboxRun& run) {
  std::vector<std::string> environment;
  for (const Variable& variable : run.environment) {
    environment.push_back(variable.name);
    environment.push_back(variable.value.Reveal());
  }
  ArchiveWriter archive;
  VisitCommand(archive, run, environment);
  return archive.Take();
}

std::optional<WindowsSandboxRun> ReadCommandOrder(const std::string& text) {
  WindowsSandboxRun run;
  std::vector<std::string> environment;
  ArchiveReader archive(text);
  VisitCommand(archive, run, environment);
  if (!archive.Ended() || environment.size() % 2 != 0) return std::nullopt;
  for (std::size_t i = 0; i < environment.size(); i += 2)
    run.environment.push_back({.name = environment[i], .value = Secret{std::move(environment[i + 1])}});
  return run;
}

}  // namespace mxc
