#include "review/generated_text.h"

#include <algorithm>
#include <cstddef>

#include "review/destructive_table.h"

namespace mxc {
namespace {

// Of either kind.
void AddInside(const std::string& word, std::vector<std::string>& all) {
  all.push_back(word.substr(2, word.size() - 3));
}

}  // namespace

ShellOperand OperandOfShell(const Words& words) {
  ShellOperand operand{.at = 1};
  for (; operand.at < words.size(); ++operand.at) {
    const std::string& word = words[operand.at];
    if (word == "--" && ++operand.at != 0) break;
    if (!word.starts_with('-') && !word.starts_with('+')) break;
    operand.is_line |= !word.starts_with("--") && word.find('c') != std::string::npos;
    if (IsOneOf(word, "-o|+o|-O|+O|--rcfile|--init-file")) ++operand.at;
  }
  return operand;
}

bool IsCommandSubstitution(std::string_view word) {
  return word.starts_with("$(") && !word.starts_with("$((") &&
         SubstitutionLength(word.substr(1)) == word.size() - 1;
}

bool IsProcessSubstitution(std::string_view word) {
  return (word.starts_with("<(") || word.starts_with(">(")) && word.ends_with(')');
}

std::vector<std::string> SubstitutionsRun(const Words& words, const Words& read) {
  std::vector<std::string> all;
  const std::string_view program = NameOf(words.front());
  const ShellOperand operand = OperandOfShell(words);
  for (std::size_t i = 1; i < words.size(); ++i) {
    const bool line = program == "eval" || (operand.is_line && operand.at == i);
    const bool file = program != "eval" && (i < operand.at || (i == operand.at && !operand.is_line));
    if ((line && IsCommandSubstitution(words[i])) || (file && IsProcessSubstitution(words[i])))
      AddInside(words[i], all);
  }
  for (const std::string& each : read) {
    if (program != "eval" && (IsCommandSubstitution(each) || IsProcessSubstitution(each)))
      AddInside(each, all);
  }
  return all;
}

std::optional<std::string> PrintedBy(const ShellCommand& command, const Expansion& expansion) {
  std::string all;
  for (const std::string& text : expansion.PrintedBy(command)) {
    if (text.find(kUnknownText) != std::string::npos) return std::nullopt;
    all += (all.empty() ? "" : "\n") + text;
  }
  return all;
}

std::optional<std::string> PrintedByLine(std::string_view line, const Expansion& expansion) {
  std::string all;
  for (const ShellCommand& command : ReadShellLine(line).commands) {
    if (command.substituted) continue;
    const std::optional<std::string> text = PrintedBy(command, expansion);
    if (!text || command.joint == ShellJoint::kPipe) return std::nullopt;
    all += *text + "\n";
  }
  return all;
}

bool PrintsSettings(std::string_view line) {
  const std::vector<ShellCommand> commands = ReadShellLine(line).commands;
  if (commands.size() != 1 || commands.front().words.empty()) return false;
  const Words& words = commands.front().words;
  return std::any_of(SettingsRows().begin(), SettingsRows().end(), [&](const SettingsRow& row) {
    return IsOneOf(NameOf(words.front()), row.programs) && HasVerbs(words, row.verbs);
  });
}

}  // namespace mxc
