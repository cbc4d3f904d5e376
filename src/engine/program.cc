#include "engine/program.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/lists.h"
#include "base/plain_command.h"
#include "seccomp/seccomp.h"
#include "spawn/spawn.h"

namespace mxc::engine {
namespace {

constexpr std::string_view kDefaultPath = "/usr/bin:/bin";

std::string_view PathOf(const std::vector<Variable>& environment) {
  for (const Variable& variable : environment) {
    if (variable.name == "PATH") return variable.value.Reveal();
  }
  return kDefaultPath;
}

// Where the command may stand. Empty entries of PATH mean the working directory; a command is not taken from
// there unless it is written with a slash.
std::vector<std::string> Candidates(const std::string& name, std::string_view path) {
  if (name.empty() || name.find('/') != std::string::npos) return {name};
  std::vector<std::string> candidates;
  while (!path.empty()) {
    const std::string_view directory = TakePiece(path, ':');
    if (!directory.empty()) candidates.push_back(std::string(directory) + "/" + name);
  }
  return candidates;
}

std::string NameOf(int fd) {
  std::array<char, 64> path{};  // longer ones are no terminal of /dev/pts
  if (fd < 0) return {};
  const std::string link = "/proc/self/fd/" + std::to_string(fd);
  const ssize_t size = ::readlink(link.c_str(), path.data(), path.size());
  return size > 0 && static_cast<std::size_t>(size) < path.size() ? std::string(path.data()) : "";
}

void SetPointers(Executable& executable) {
  executable.paths = Pointers(executable.candidates);
  executable.argv = Pointers(executable.arguments);
}

Executable Prepare(std::vector<std::string> arguments, std::string_view path) {
  Executable executable{.candidates = Candidates(arguments.front(), path)};
  executable.arguments = std::move(arguments);
  SetPointers(executable);
  return executable;
}

}  // namespace

std::string IdentityLine(unsigned id) {
  const std::string text = std::to_string(id);
  return text + " " + text + " 1\n";
}

void SetPointers(Program& program) {
  SetPointers(program.command);
  SetPointers(program.plain);
  program.envp = Pointers(program.variables);
}

void PrepareCommand(const CommandParts& parts, const Streams& streams, const Groups& groups,
                    Program& program) {
  program.limits = LimitsOf(parts.limits);
  program.group_entrances = groups.entrances;
  program.unified_group = groups.unified;
  program.standard = streams.standard;
  program.controlling_terminal = streams.controlling_terminal;
  program.terminal_path = NameOf(streams.controlling_terminal);
  program.cwd = parts.cwd.empty() ? "/" : parts.cwd;
  for (const Variable& variable : parts.environment) {
    if (variable.name != "PWD") program.variables.push_back(variable.name + "=" + variable.value.Reveal());
  }
  program.variables.push_back("PWD=" + program.cwd);  // as bubblewrap sets it
  program.envp = Pointers(program.variables);
  program.command = Prepare(parts.argv, PathOf(parts.environment));
}

void PreparePlain(const LinuxSandbox& sandbox, Program& program) {
  const std::vector<std::string>& argv = sandbox.argv;
  std::vector<std::string> words;
  if (argv.size() == 3 && argv[0] == kShell && argv[1] == "-c")
    words = PlainCommand(argv[2], sandbox.environment);
  if (!words.empty()) program.plain = Prepare(std::move(words), PathOf(sandbox.environment));
}

Command CommandOf(const Program& program) {
  const auto view = [](const Executable& executable) {
    return ExecutableView{.paths = executable.paths.data(), .argv = executable.argv.data()};
  };
  return {.program = view(program.command),
          .plain = view(program.plain),
          .envp = program.envp.data(),
          .cwd = program.cwd.c_str(),
          .controlling_terminal = program.controlling_terminal,
          .watch_socket = program.watch_socket,
          .watch_files = program.watch_files};
}

Status Prepare(const SandboxRequest& request, Program& program) {
  const LinuxSandbox& sandbox = request.sandbox;
  if (sandbox.argv.empty())
    return Error{.code = ErrorCode::kInternal, .message = "a sandbox without a command"};
  program.uid_map = IdentityLine(::geteuid());
  program.gid_map = IdentityLine(::getegid());
  program.private_network = sandbox.private_network;
  program.hostname = sandbox.hostname;
  program.gateway_handover = request.gateway_handover;
  program.watch_socket = request.watch_socket;
  program.watch_files = request.watch_files;
  program.session = request.session;
  if (request.egress != nullptr) program.inside = egress::PrepareInside(*request.egress);
  program.root_read_only = sandbox.root_read_only;
  program.filters = {SeccompProgram(sandbox.seccomp)};
  PrepareCommand({.argv = sandbox.argv,
                  .environment = sandbox.environment,
                  .cwd = sandbox.cwd,
                  .limits = sandbox.limits},
                 request.streams, request.groups, program);
  PreparePlain(sandbox, program);
  return PrepareMounts(sandbox, program);
}

void SetReportPipe(int reader, int writer, Program& program) {
  program.report_reader = reader;
  program.report = writer;
  std::vector<unsigned> kept = {static_cast<unsigned>(writer)};
  for (const int fd : {program.controlling_terminal, program.landlock.ruleset, program.session,
                       program.watch_socket, program.discard_sender, program.discard_queue}) {
    if (fd > 2) kept.push_back(static_cast<unsigned>(fd));
  }
  std::sort(kept.begin(), kept.end());
  unsigned first = 3;
  for (const unsigned fd : kept) {
    if (fd > first) program.surplus.emplace_back(first, fd - 1);
    first = std::max(first, fd + 1);
  }
  program.surplus.emplace_back(first, ~0U);
}

}  // namespace mxc::engine
