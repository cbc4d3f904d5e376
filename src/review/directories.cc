#include "review/directories.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "policy/paths/paths.h"

namespace mxc {
namespace {

// Where each of `to` leads from each of `stood`.
void AddPlaces(const std::vector<std::string>& stood, const std::vector<std::string>& to,
               std::vector<std::string>& all) {
  for (const std::string& from : stood) {
    for (const std::string& each : to)
      all.push_back(each.starts_with('/') || each.find(kUnknownText) != std::string::npos
                        ? each
                        : JoinPath(from, each));
  }
}

}  // namespace

void ChangeDirectory(const std::vector<ShellCommand>& commands, std::size_t at, const std::string& home,
                     Expansion& expansion) {
  const Words& words = commands[at].words;
  if (words.empty() || !IsOneOf(words.front(), "cd|pushd|popd") || commands[at].joint == ShellJoint::kPipe)
    return;
  const ShellCommand* next = at + 1 < commands.size() ? &commands[at + 1] : nullptr;
  if (next != nullptr && next->joint == ShellJoint::kPipe) return;
  const auto operand = std::find_if(words.begin() + 1, words.end(),
                                    [](const std::string& word) { return !word.starts_with('-'); });
  std::vector<std::string> to = {std::string(1, kUnknownText)};
  if (operand != words.end()) to = expansion.Expand(*operand);
  if (words.size() == 1 && words.front() == "cd") to = {home};
  // Only what goes on by "&&", or ends otherwise, stands where it says.
  const bool sure = next != nullptr && (next->joint == ShellJoint::kAnd ||
                                        (next->joint == ShellJoint::kOr && !next->words.empty() &&
                                         IsOneOf(next->words.front(), "exit|return")));
  std::vector<std::string> all = sure ? std::vector<std::string>{} : expansion.Directories();
  std::vector<std::string> stood = expansion.Directories();
  for (const std::string& path : expansion.Expand("${CDPATH:-}")) {
    for (std::string_view rest = path; !rest.empty();) stood.emplace_back(TakePiece(rest, ":"));
  }
  AddPlaces(stood, to, all);
  expansion.SetDirectories(std::move(all));
}

void StandWhereTold(const Words& words, Expansion& expansion) {
  std::vector<std::string> all = expansion.Directories();
  const std::vector<std::string> stood = all;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    const std::size_t value = word.find('=') + 1;
    std::string to;
    if (value != 0 && IsOneOf(word.substr(0, value - 1), "--chdir|--cwd|--working-directory")) {
      to = word.substr(value);
    } else if (IsOneOf(word, "-C|-D|-d|--chdir|--cwd|--working-directory") && i + 1 < words.size()) {
      to = words[i + 1];
    } else if (IsOneOf(word.substr(0, 2), "-C|-D|-d")) {
      to = word.substr(2);
    }
    if (!to.empty()) AddPlaces(stood, {to}, all);
  }
  expansion.SetDirectories(std::move(all));
}

void SubshellDirectories::Enter(const std::vector<int>& subshells, Expansion& expansion) {
  while (!outside_.empty() &&
         (outside_.size() > subshells.size() || outside_.back().first != subshells[outside_.size() - 1])) {
    expansion.SetDirectories(outside_.back().second);
    outside_.pop_back();
  }
  while (outside_.size() < subshells.size())
    outside_.emplace_back(subshells[outside_.size()], expansion.Directories());
}

}  // namespace mxc
