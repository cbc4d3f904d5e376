#include "review/generated_text.h"

#include <algorithm>
#include <cstddef>

#include "review/destructive_table.h"

namespace mxc {
namespace {

bool IsCommandSubstitution(std::string_view word) {
  return word.starts_with("$(") && !word.starts_with("$((") && word.ends_with(')');
}

// Of either kind.
void AddInside(const std::string& word, std::vector<std::string>& all) {
  all.push_back(word.substr(2, word.size() - 3));
}

// What a shell reads: a file, or behind `-c` a line.
void AddOperandsOfShell(const Words& words, std::vector<std::string>& all) {
  bool line = false;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (!word.starts_with('-') && !word.starts_with('+')) {
      if (line ? IsCommandSubstitution(word) : IsProcessSubstitution(word)) AddInside(word, all);
      return;
    }
    if (!word.starts_with("--") && word.find('c') != std::string::npos) line = true;
    if (!IsOneOf(word, "-o|+o|-O|+O|--rcfile|--init-file") || ++i == words.size()) continue;
    if (IsProcessSubstitution(words[i])) AddInside(words[i], all);
  }
}

std::optional<std::string> PrintedByEcho(Words words, const Expansion& expansion) {
  words.erase(words.begin());
  while (!words.empty() && IsOneOf(words.front(), "-n|-E")) words.erase(words.begin());
  if (!words.empty() && words.front().starts_with('-')) return std::nullopt;
  std::string text = Line(expansion.ExpandAll(words));
  if (text.find('\\') != std::string::npos) return std::nullopt;
  return text;
}

// Of its directives "%s" alone.
std::optional<std::string> PrintedByPrintf(Words words, const Expansion& expansion) {
  words.erase(words.begin());
  if (!words.empty() && words.front() == "--") words.erase(words.begin());
  if (words.empty() || words.front().starts_with('-')) return std::nullopt;
  std::string format = words.front();
  for (std::size_t at = format.find("\\n"); at != std::string::npos; at = format.find("\\n", at))
    format.replace(at, 2, "\n");
  if (format.find('\\') != std::string::npos) return std::nullopt;
  if (format == "%s" || format == "%s\n") {
    std::string text;
    words.erase(words.begin());
    for (const std::string& word : expansion.ExpandAll(words)) text += word + format.substr(2);
    return text;
  }
  if (format.find('%') != std::string::npos) return std::nullopt;
  return Line(expansion.Expand(format));
}

}  // namespace

bool IsProcessSubstitution(std::string_view word) {
  return (word.starts_with("<(") || word.starts_with(">(")) && word.ends_with(')');
}

std::vector<std::string> SubstitutionsRun(const Words& words, const Words& read) {
  std::vector<std::string> all;
  const std::string_view program = NameOf(words.front());
  if (program == "eval") {
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (IsCommandSubstitution(words[i])) AddInside(words[i], all);
    }
    return all;
  }
  AddOperandsOfShell(words, all);
  for (const std::string& each : read) {
    if (IsCommandSubstitution(each) || IsProcessSubstitution(each)) AddInside(each, all);
  }
  return all;
}

std::optional<std::string> PrintedBy(const ShellCommand& command, const Expansion& expansion) {
  const Words& words = command.words;
  if (words.empty() || std::any_of(words.begin(), words.end(),
                                   [](const std::string& word) { return IsOneOf(word, "<|>|<<<"); }))
    return std::nullopt;
  std::optional<std::string> text;
  if (words.front() == "echo") text = PrintedByEcho(words, expansion);
  if (words.front() == "printf") text = PrintedByPrintf(words, expansion);
  if (words.front() == "cat" && words.size() == 1 && !command.input.empty()) return command.input;
  if (text && text->find(kUnknown) != std::string::npos) return std::nullopt;
  return text;
}

std::optional<std::string> PrintedByLine(std::string_view line, const Expansion& expansion) {
  std::string all;
  for (const ShellCommand& command : ShellCommandsIn(line)) {
    const std::optional<std::string> text = PrintedBy(command, expansion);
    if (!text || command.joint == ShellJoint::kPipe) return std::nullopt;
    all += *text + "\n";
  }
  return all;
}

bool PrintsSettings(std::string_view line) {
  const std::vector<ShellCommand> commands = ShellCommandsIn(line);
  if (commands.size() != 1 || commands.front().words.empty()) return false;
  const Words& words = commands.front().words;
  return std::any_of(SettingsRows().begin(), SettingsRows().end(), [&](const SettingsRow& row) {
    return IsOneOf(NameOf(words.front()), row.programs) && HasVerbs(words, row.verbs);
  });
}

}  // namespace mxc
