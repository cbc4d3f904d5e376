#include "shell/shell_call.h"

#include <algorithm>
#include <optional>

#include "base/path.h"
#include "policy/paths/paths.h"

namespace mxc {
namespace {

constexpr std::string_view kShellName = "mxc-sh";

// Each says how to do the work, and none has a place for a secret.
constexpr std::string_view kOfJobs[] = {"TERM",
                                        "COLORTERM",
                                        "COLUMNS",
                                        "LINES",
                                        "NO_COLOR",
                                        "FORCE_COLOR",
                                        "CLICOLOR",
                                        "LANG",
                                        "LANGUAGE",
                                        "LC_ALL",
                                        "LC_COLLATE",
                                        "LC_CTYPE",
                                        "LC_MESSAGES",
                                        "LC_NUMERIC",
                                        "LC_TIME",
                                        "TZ",
                                        "CI",
                                        "INIT_CWD",
                                        "SOURCE_DATE_EPOCH",
                                        "npm_command",
                                        "npm_config_user_agent",
                                        "npm_lifecycle_event",
                                        "npm_lifecycle_script",
                                        "npm_package_json",
                                        "npm_package_name",
                                        "npm_package_version"};

bool IsLogin(std::string_view program) { return program.starts_with('-'); }

std::vector<std::string> WordsOf(std::string_view text) {
  constexpr std::string_view kBetween = " \t,";
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t begin = std::min(text.find_first_not_of(kBetween), text.size());
    text.remove_prefix(begin);
    const std::string_view word = text.substr(0, text.find_first_of(kBetween));
    if (!word.empty()) words.emplace_back(word);
    text.remove_prefix(word.size());
  }
  return words;
}

// `line` begins with "#!". The program it names, also behind env(1), is a shell.
bool NamesShell(std::string_view line) {
  for (const std::string& word : WordsOf(line.substr(2))) {
    const std::string_view name = NameOf(word);
    const bool of_env = name == "env" || name.starts_with('-') || name.find('=') != std::string_view::npos;
    if (!of_env) return name.ends_with("sh");
  }
  return false;
}

// The path of a text that a shell can read.
bool IsScript(const std::string& word, const Host& host) {
  constexpr std::size_t kStart = 256;
  const std::string here = host.WorkingDirectory();
  if (word.empty() || (word.front() != '/' && here.empty())) return false;
  const Result<Walked> walked = PathWalker(host).Walk(word.front() == '/' ? word : JoinPath(here, word));
  if (!walked || !walked->Is(FileType::kRegular)) return false;
  const Result<std::string> start = host.ReadFile(walked->path, kStart);
  if (!start || start->empty() || start->find('\0') != std::string::npos) return false;
  return !start->starts_with("#!") || NamesShell(start->substr(0, start->find('\n')));
}

std::string ShellOf(const Host& host) {
  const std::optional<std::string> chosen = host.Environment("MXC_SHELL");
  if (chosen && !chosen->empty()) return *chosen;
  return host.FindTool("bash").value_or("/bin/sh");
}

}  // namespace

bool IsShellName(std::string_view program) {
  const std::string_view name = NameOf(program);
  return (name.starts_with('-') ? name.substr(1) : name) == kShellName;
}

std::vector<std::string> CommandOfShellCall(std::string_view program, const std::vector<std::string>& words,
                                            const Host& host) {
  std::vector<std::string> command = {ShellOf(host)};
  if (IsLogin(program)) command.emplace_back("-l");
  const bool line = words.size() == 1 && !words[0].starts_with('-') && !words[0].starts_with('+');
  if (line && !IsScript(words[0], host)) command.emplace_back("-c");
  command.insert(command.end(), words.begin(), words.end());
  return command;
}

std::vector<std::string> ShellVariables(const Host& host) {
  std::vector<std::string> names = WordsOf(host.Environment("MXC_ENV").value_or(""));
  names.insert(names.end(), std::begin(kOfJobs), std::end(kOfJobs));
  std::erase_if(names, [&](const std::string& name) { return !host.Environment(name); });
  return names;
}

}  // namespace mxc
