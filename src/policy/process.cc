#include "policy/process.h"

#include <optional>
#include <string_view>
#include <utility>

#include "base/lists.h"
#include "base/plain_command.h"
#include "base/quoted.h"
#include "mxc/sandbox/private_home.h"
#include "policy/advice.h"
#include "policy/paths/entries.h"
#include "policy/paths/homes.h"
#include "policy/program_file.h"

namespace mxc {
namespace {

// Local users are in the first lines; no directory service is queried.
constexpr std::size_t kMaxPasswdBytes = 65536;

// The last value of a name wins, in the place of the first.
void SetVariable(std::vector<Variable>& environment, const Variable& variable) {
  for (Variable& present : environment) {
    if (present.name != variable.name) continue;
    present.value = variable.value;
    return;
  }
  environment.push_back(variable);
}

// The caller's directories in order, then the system's.
std::string SearchPathOf(const Tools& tools, std::string_view standard) {
  std::string path;
  const auto add = [&](std::string_view directory) {
    if ((":" + path + ":").find(":" + std::string(directory) + ":") != std::string::npos) return;
    path += (path.empty() ? "" : ":") + std::string(directory);
  };
  for (const std::string& directory : tools.search) {
    if (directory.find(':') == std::string::npos) add(directory);
  }
  while (!standard.empty()) {
    const std::string_view directory = TakePiece(standard, ':');
    add(directory);
  }
  return path;
}

void SetTools(const Tools& tools, std::vector<Variable>& environment) {
  if (!tools.search.empty())
    SetVariable(environment, {.name = "PATH", .value = Secret{SearchPathOf(tools, SearchPath(environment))}});
  for (const Variable& variable : tools.variables) SetVariable(environment, variable);
}

// Whether `path` is an own directory of the sandbox in which a command may start.
bool IsOwnDirectory(std::string_view path, const RuleSet& rules) {
  return path == "/" || (path == "/tmp" && rules.Find(path) == nullptr);
}

Result<std::string> ResolveDirectory(const ProcessConfig& written, Containment containment,
                                     PathWalker& walker, const RuleSet& rules) {
  const std::string& pointer = written.cwd_pointer;
  const Result<Walked> walked = walker.Walk(written.cwd);
  if (!walked) {
    return Conflict("cwd " + Quoted(written.cwd) + " cannot be resolved: " + walked.error().message, pointer,
                    "choose a directory the policy grants");
  }
  if (!walked->status || walked->folded_missing) {
    return Conflict("cwd " + Quoted(written.cwd) + " does not exist", pointer,
                    "create it, or choose another");
  }
  if (!walked->Is(FileType::kDirectory)) {
    return Conflict("cwd " + Quoted(written.cwd) + " is not a directory", pointer, "choose a directory");
  }
  const bool visible = IsOwnDirectory(walked->path, rules) || rules.Visible(walked->path);
  if (TraitsOf(containment).isolates && !visible) {
    return Conflict("cwd " + Quoted(written.cwd) + " is not visible inside the sandbox", pointer,
                    "add it to readwritePaths or readonlyPaths");
  }
  return walked->path;
}

// Paths that the policy shows come before the image's.
Result<std::string> ResolveDirectoryIn(const std::string& image, const ProcessConfig& written,
                                       Containment containment, const Host& host, PathWalker& walker,
                                       const RuleSet& rules) {
  Result<std::string> granted = ResolveDirectory(written, containment, walker, rules);
  if (granted || image.empty()) return granted;
  const Result<Walked> walked = PathWalker(host, image).Walk(written.cwd);
  const bool there = walked && walked->Is(FileType::kDirectory);
  return there ? Result<std::string>(walked->path) : granted;
}

// Without a written directory: the caller's working directory, if the command may see it; else the workspace,
// or "/".
std::string DefaultDirectory(const Workspace& workspace, const Host& host, Containment containment,
                             const RuleSet& rules) {
  std::string here = host.WorkingDirectory();
  if (!workspace.host.empty() && !IsAtOrBelow(here, workspace.host)) here = workspace.host;
  if (here.substr(0, 1) != "/") return "/";
  if (!TraitsOf(containment).isolates || IsOwnDirectory(here, rules) || rules.Visible(here)) return here;
  return "/";
}

// Whether a program may exist inside, as far as the launcher can tell. /proc and /dev are the sandbox's own,
// and the command may be able to start a file that the caller cannot look up.
bool MayBeThere(const std::string& path, PathWalker& walker, const RuleSet& rules) {
  const Result<Walked> walked = walker.Walk(path);
  if (!walked || IsNeverFromHost(walked->path)) return true;
  return walked->status && !walked->folded_missing && rules.Visible(walked->path);
}

// The same error as that of an engine that cannot execute it.
Error NoProgram(std::string message, std::string hint) {
  return {.code = ErrorCode::kSetupFailed,
          .message = std::move(message),
          .pointer = "/process/argv/0",
          .hint = std::move(hint)};
}

std::string DirectoriesOf(const Walked& program, const Host& host) {
  std::string words;
  for (const std::string& directory : Adviser(host).DirectoriesOf(program))
    words += (words.empty() ? "" : " ") + Quoted(directory);
  return words;
}

// Where the caller's PATH finds it; "": nowhere. A directory of that PATH that is visible inside is on the
// PATH inside only with `tools`, and if the policy sets no PATH.
std::string WhereTheCallerHas(std::string_view name, const Host& host, PathWalker& walker, bool inherits) {
  const std::string path = host.Environment("PATH").value_or("");
  for (std::string_view rest = path; !rest.empty();) {
    const std::string directory{TakePiece(rest, ':')};
    const Result<Walked> walked = walker.Walk(JoinPath(directory, name));
    if (!directory.starts_with('/') || !walked || !walked->status || !host.MayExecute(walked->path)) continue;
    const std::string found = "here it is in " + Quoted(directory);
    const std::string grant = DirectoriesOf(*walked, host);
    return inherits ? found + ": add --ro " + grant
                    : found + ": write \"tools\": \"inherit\" in `filesystem`, or grant " + grant +
                          " and set PATH";
  }
  return "";
}

bool IsOnPath(std::string_view name, const Process& process, const Workspace& workspace, PathWalker& walker,
              const RuleSet& rules) {
  std::string_view rest = SearchPath(process.environment);
  while (!rest.empty()) {
    const std::string_view directory = TakePiece(rest, ':');
    // A relative or empty entry depends on the command's current directory.
    const std::string path = workspace.OnHost(JoinPath(directory, name));
    if (directory.substr(0, 1) != "/" || MayBeThere(path, walker, rules)) return true;
  }
  return false;
}

std::string NotOnPath(std::string_view name) {
  return "the program " + Quoted(name) + " is in no directory of the sandbox's PATH";
}

std::string NotInside(std::string_view name) {
  return "the program " + Quoted(name) + " does not exist inside the sandbox";
}

// Refuses what execve would refuse without naming the file. `program`: its file on the host.
Status CheckExecutable(const std::string& name, const Walked& program, const Workspace& workspace,
                       const Host& host, PathWalker& walker, const RuleSet& rules) {
  constexpr std::uint32_t kAnyX = 0111;
  if (host.System() == OperatingSystem::kWindows) return Done{};
  if (program.Is(FileType::kDirectory)) return NoProgram(Quoted(name) + " is a directory", "name a program");
  if (!program.Is(FileType::kRegular)) return Done{};
  if ((program.status->mode & kAnyX) == 0)
    return NoProgram("the program " + Quoted(name) + " is not executable",
                     "chmod +x " + ShellWord(program.path) + ", or name its interpreter before it");
  if (!host.MayExecute(program.path))
    return NoProgram("the program " + Quoted(name) + " may not be executed",
                     "its file system is mounted with noexec, or its mode leaves you out; an interpreter may "
                     "be named before a script");
  const Result<std::string> head = host.ReadFile(program.path, kProgramHeadBytes);
  const std::string interpreter = head ? InterpreterOf(*head) : std::string();
  const std::string on_host = workspace.OnHost(interpreter);
  if (interpreter.empty() || MayBeThere(on_host, walker, rules)) return Done{};
  if (interpreter.ends_with('\r'))
    return NoProgram("the first line of " + Quoted(name) + " ends with CR LF",
                     "end its lines with LF alone: sed -i 's/\\r$//' " + ShellWord(program.path));
  const Result<Walked> walked = walker.Walk(on_host);
  const bool here = walked && walked->status;
  return NoProgram(
      "the interpreter " + Quoted(interpreter) + " of " + Quoted(name) + " does not exist inside the sandbox",
      here ? "grant " + DirectoriesOf(*walked, host) + ", and what it needs, with readonlyPaths"
           : "it does not exist on this host either");
}

// Engines could report it no better later, and with some the command would seem to have run.
Status CheckProgram(const Process& process, const ProcessConfig& written, const Host& host,
                    PathWalker& walker, const RuleSet& rules, const Tools& tools) {
  const std::string& name = process.argv.front();
  const Workspace& workspace = written.workspace;
  if (written.argv.empty() || name.empty()) return Done{};
  if (name.find('/') != std::string::npos) {
    const std::string path = name.front() == '/' ? name : JoinPath(process.cwd, name);
    const Result<Walked> walked = walker.Walk(workspace.OnHost(path));
    if (MayBeThere(workspace.OnHost(path), walker, rules))
      return walked && walked->status ? CheckExecutable(name, *walked, workspace, host, walker, rules)
                                      : Status(Done{});
    if (!walked || !walked->status)
      return NoProgram(NotInside(name), "it does not exist on this host either");
    const bool alone = Adviser(host).ShowsTooMuch(ParentOf(walked->path));
    const std::string grant = alone ? Quoted(walked->path) : DirectoriesOf(*walked, host);
    return NoProgram(NotInside(name), "grant " + grant + ", and what it needs, with readonlyPaths");
  }
  if (IsOnPath(name, process, workspace, walker, rules)) return Done{};
  if (name.find(' ') != std::string::npos &&
      IsOnPath(name.substr(0, name.find(' ')), process, workspace, walker, rules))
    return NoProgram(NotOnPath(name),
                     "write its words apart, or give a shell the line: sh -c " + ShellWord(name));
  const std::string where = WhereTheCallerHas(name, host, walker, !tools.search.empty());
  return NoProgram(NotOnPath(name), where.empty() ? "install it, or write its absolute path" : where);
}

// POSIX 3.437. The text of an image is not trusted.
bool IsPortableUserName(std::string_view name) {
  return !name.starts_with('-') &&
         name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") ==
             std::string_view::npos;
}

}  // namespace

std::string_view SearchPath(const std::vector<Variable>& environment) {
  for (const Variable& variable : environment) {
    if (variable.name == "PATH") return variable.value.Reveal();
  }
  return "/usr/bin:/bin";
}

std::vector<Variable> SystemEnvironment(OperatingSystem system, const std::vector<PathRule>& rules) {
  if (system == OperatingSystem::kWindows) return {};  // the system creates one for each user
  const bool macos = system == OperatingSystem::kMacos;
  return {
      {"PATH", Secret{macos ? "/usr/bin:/bin:/usr/sbin:/sbin"
                            : "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}},
      {"TERM", Secret{"xterm-256color"}},
      {"LANG", Secret{macos ? "en_US.UTF-8" : "C.UTF-8"}},
      {"HOME", Secret{std::string(macos ? kHomeInTemp : PrivateHome(rules))}},
      {"TMPDIR", Secret{"/tmp"}},
  };
}

std::vector<Variable> DefaultEnvironment(const Host& host, Containment containment, const RuleSet& rules,
                                         const std::string& image, const Tools& tools) {
  const bool macos = host.System() == OperatingSystem::kMacos;
  std::vector<Variable> result = SystemEnvironment(host.System(), rules.All());
  if (!TraitsOf(containment).isolates) {
    std::erase_if(result, [](const Variable& variable) {
      return variable.name == "HOME" || variable.name == "TMPDIR";
    });
    if (std::optional<std::string> home = host.Environment("HOME"))
      result.push_back({.name = "HOME", .value = Secret{std::move(*home)}});
  } else if (macos && rules.Find(TempOf(host.System())) != nullptr) {
    // A granted /private/tmp is the host's, where others could prepare a home directory.
    SetVariable(result, {.name = "HOME", .value = Secret{"/"}});
  }
  SetTools(tools, result);
  const Result<std::string> passwd = image.empty() ? host.ReadFile("/etc/passwd", kMaxPasswdBytes)
                                                   : host.ReadFileIn(image, "/etc/passwd", kMaxPasswdBytes);
  if (!passwd) return result;
  const std::optional<std::string> user = UserName(*passwd, host.Caller().uid);
  if (user && (image.empty() || IsPortableUserName(*user))) {
    for (const char* name : {"USER", "LOGNAME"}) result.push_back({.name = name, .value = Secret{*user}});
  }
  return result;
}

bool KeepsStandardEnvironment(const ProcessConfig& written) {
  return !written.environment || written.inherit_default_environment;
}

std::vector<Variable> EnvironmentOf(const ProcessConfig& written, std::vector<Variable> standard) {
  if (!written.environment) return standard;
  if (!KeepsStandardEnvironment(written)) standard.clear();
  for (const Variable& variable : *written.environment) SetVariable(standard, variable);
  return standard;
}

Result<Process> ResolveProcess(const ProcessConfig& written, const Host& host, Containment containment,
                               PathWalker& walker, const RuleSet& rules, const std::string& image,
                               const Tools& tools) {
  Process process{.argv = written.argv,
                  .command_line = written.command_line,
                  .cwd_pointer = written.cwd_pointer,
                  .timeout_ms = written.timeout_ms};
  if (process.argv.empty()) process.argv = {"/bin/sh", "-c", written.command_line};
  if (written.cwd.empty()) {
    process.cwd = DefaultDirectory(written.workspace, host, containment, rules);
  } else {
    Result<std::string> cwd = ResolveDirectoryIn(image, written, containment, host, walker, rules);
    if (!cwd) return cwd.error();
    process.cwd = std::move(*cwd);
  }
  process.cwd = written.workspace.Inside(process.cwd);
  process.environment = EnvironmentOf(written, DefaultEnvironment(host, containment, rules, image, tools));
  // The engine checks a program of an image just as early.
  if (!TraitsOf(containment).isolates || !image.empty()) return process;
  if (const Status program = CheckProgram(process, written, host, walker, rules, tools); !program)
    return program.error();
  return process;
}

std::optional<Warning> ProgramOutside(const Process& process, const ProcessConfig& written, const Host& host,
                                      PathWalker& walker, const RuleSet& rules, const Tools& tools) {
  if (!written.argv.empty()) return std::nullopt;
  const std::string name = FirstProgram(written.command_line, process.environment);
  if (name.empty() || IsOnPath(name, process, written.workspace, walker, rules)) return std::nullopt;
  const std::string where = WhereTheCallerHas(name, host, walker, !tools.search.empty());
  if (where.empty()) return std::nullopt;
  return Warning{.category = "program-outside",
                 .message = NotOnPath(name) + "; " + where,
                 .pointer = "/process/commandLine",
                 .told = true};
}

}  // namespace mxc
