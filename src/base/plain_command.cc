#include "base/plain_command.h"

#include <algorithm>
#include <iterator>

namespace mxc {
namespace {

// A single argument of this size is far below what the kernel takes; split up it could pass where whole it
// does not.
constexpr std::size_t kLongestLine = 4096;

// Builtins and reserved words of dash, which come before programs of the same name; sorted.
constexpr std::string_view kOfTheShell[] = {
    "alias",  "bg",   "break", "case",     "cd",     "chdir",   "command", "continue", "do",    "done",
    "echo",   "elif", "else",  "esac",     "eval",   "exec",    "exit",    "export",   "false", "fc",
    "fg",     "fi",   "for",   "getopts",  "hash",   "if",      "in",      "jobs",     "kill",  "local",
    "printf", "pwd",  "read",  "readonly", "return", "set",     "shift",   "test",     "then",  "times",
    "trap",   "true", "type",  "ulimit",   "umask",  "unalias", "unset",   "until",    "wait",  "while"};

// The shell gives these a value of its own and hands them on.
constexpr std::string_view kSetByTheShell[] = {"IFS", "LINENO", "OPTIND", "PPID"};

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsBlank(char c) { return c == ' ' || c == '\t'; }

// Means itself wherever it stands in a word.
bool IsPlain(char c) {
  return IsLetter(c) || IsDigit(c) || std::string_view("+,-./:=@_").find(c) != std::string_view::npos;
}

bool IsName(std::string_view text) {
  return !text.empty() && !IsDigit(text.front()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return IsLetter(c) || IsDigit(c) || c == '_'; });
}

bool HandedOnAsItIs(const Variable& variable) {
  return IsName(variable.name) && std::find(std::begin(kSetByTheShell), std::end(kSetByTheShell),
                                            variable.name) == std::end(kSetByTheShell);
}

// Only absolute directories: an empty or relative one stands for wherever the command is.
bool IsPlainPath(std::string_view path) {
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    if (end == begin || path[begin] != '/') return false;
    begin = end + 1;
  }
  return path.find('%') == std::string_view::npos;  // "%func", "%builtin"
}

bool IsProgram(const std::string& word, const std::vector<Variable>& environment) {
  if (word.find('=') != std::string::npos) return false;  // an assignment
  if (word.find('/') != std::string::npos) return true;
  if (word == "." || word == ":" || std::binary_search(std::begin(kOfTheShell), std::end(kOfTheShell), word))
    return false;
  return std::any_of(environment.begin(), environment.end(), [](const Variable& variable) {
    return variable.name == "PATH" && IsPlainPath(variable.value.Reveal());
  });
}

std::vector<std::string> Words(std::string_view line) {
  std::vector<std::string> words;
  bool inside = false;
  for (const char c : line) {
    if (!IsBlank(c) && !inside) words.emplace_back();
    inside = !IsBlank(c);
    if (inside) words.back() += c;
  }
  return words;
}

}  // namespace

std::vector<std::string> PlainCommand(std::string_view line, const std::vector<Variable>& environment) {
  const bool plain = line.size() <= kLongestLine &&
                     std::all_of(line.begin(), line.end(), [](char c) { return IsPlain(c) || IsBlank(c); });
  if (!plain || !std::all_of(environment.begin(), environment.end(), HandedOnAsItIs)) return {};
  std::vector<std::string> words = Words(line);
  if (words.empty() || !IsProgram(words.front(), environment)) return {};
  return words;
}

std::string FirstProgram(std::string_view line, const std::vector<Variable>& environment) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  const auto* const end = std::find_if_not(line.begin(), line.end(), IsPlain);
  std::string word(line.begin(), end);
  const bool ends = end == line.end() || std::string_view(" \t\n;&|<>").find(*end) != std::string_view::npos;
  const bool looked_up = ends && !word.empty() && word.find('/') == std::string::npos;
  return looked_up && IsProgram(word, environment) ? word : "";
}

}  // namespace mxc
