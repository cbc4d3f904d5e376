#include "review/destructive.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

#include "mxc/fold.h"
#include "review/command_words.h"
#include "review/destroys.h"
#include "review/destructive_table.h"
#include "review/directories.h"
#include "review/expansion.h"
#include "review/generated_text.h"
#include "review/line_input.h"
#include "review/roots.h"
#include "review/shell_words.h"

namespace mxc {
namespace {

constexpr int kMaxDepth = 8;      // of command lines in command lines
constexpr int kMaxWithin = 5000;  // commands in command lines: each may be several

const WrapperRow* WrapperNamed(std::string_view program) {
  const std::span<const WrapperRow> rows = WrapperRows();
  const auto row = std::find_if(rows.begin(), rows.end(),
                                [&](const WrapperRow& each) { return IsOneOf(program, each.programs); });
  return row == rows.end() ? nullptr : &*row;
}

bool IsShell(std::string_view program) {
  const WrapperRow* row = WrapperNamed(program);
  return row != nullptr && row->takes == WrapperTakes::kScript;
}

// Where a shell, `eval` or `source` stands: first, or behind a wrapper. Their size: nowhere.
std::size_t ShellAmong(const std::string& program, const Words& words) {
  if (IsOneOf(program, "eval|source|.") || IsShell(NameOf(program))) return 0;
  if (WrapperNamed(NameOf(program)) == nullptr) return words.size();
  const auto shell = std::find_if(words.begin() + 1, words.end(), [](const std::string& word) {
    return IsOneOf(word, "eval|source") || IsShell(NameOf(word));
  });
  return static_cast<std::size_t>(shell - words.begin());
}

// What the finder looks at by other means than a row.
bool IsLookedInto(std::string_view program) {
  return WrapperNamed(program) != nullptr || program.starts_with("git-") ||
         IsOneOf(program, "rm|unlink|rmdir|find|chmod|chown|chgrp|dd|tee|eval|alias|git") ||
         std::any_of(DestructiveRows().begin(), DestructiveRows().end(),
                     [&](const DestructiveRow& row) { return IsOneOf(program, row.programs); });
}

class Finder {
 public:
  explicit Finder(const ReviewedCommand& command) : command_(command) {
    for (const Variable& variable : command.variables) {
      if (variable.name == "HOME") home_ = variable.value.Reveal();
      if (variable.name != "PWD" && variable.name != "IFS")
        expansion_.Add(variable.name, variable.value.Reveal());
    }
    expansion_.SetDirectories({command.cwd});
  }

  std::vector<Destruction> Find() {
    if (command_.line.empty()) {
      Judge(command_.argv, {}, 0);
      if (std::optional<Destruction> found = FindStatement({{.words = command_.argv}}))
        found_.push_back(std::move(*found));
    } else {
      JudgeLine(command_.line, 0);
    }
    return std::move(found_);
  }

 private:
  // NOLINTBEGIN(misc-no-recursion): bounded by kMaxDepth
  void JudgeLine(std::string_view line, int depth) {
    if (depth == kMaxDepth || within_ >= kMaxWithin) return TooMuch(line);
    const std::vector<ShellCommand> commands = ShellCommandsIn(line);
    expansion_.AddAssignments(commands);
    expansion_.AddAssignments(commands);  // of what is assigned further on
    const std::vector<std::string> before = expansion_.Directories();
    SubshellDirectories subshells;
    for (std::size_t i = 0; i < commands.size(); ++i) {
      subshells.Enter(commands[i].subshells, expansion_);
      Judge(commands[i].words, {.line = &commands, .at = i}, depth);
      if (!commands[i].input.empty() && !IsKept(commands, i)) JudgeLine(commands[i].input, depth + 1);
      ChangeDirectory(commands, i, home_, expansion_);
    }
    expansion_.SetDirectories(before);
    if (std::optional<Destruction> found = FindStatement(commands)) found_.push_back(std::move(*found));
  }

  void Judge(Words words, const LinePlace& place, int depth) {
    if (RedirectsToDevice(words, expansion_)) {
      found_.push_back({.command = Shown(words), .what = "writes over a disk", .source = "sh(1)"});
      return;
    }
    const Words said = TakeRedirections(words);
    while (!words.empty() && !AssignedName(words.front()).empty()) words.erase(words.begin());
    if (words.empty()) return;
    if (depth == kMaxDepth || (depth > 0 && ++within_ >= kMaxWithin)) return TooMuch(Line(words));
    const std::vector<std::string> programs = expansion_.Expand(words.front());
    if (programs.size() > 1 && ExpandBraces(words.front()).size() == 1)
      return JudgeEach(programs, {words.begin() + 1, words.end()}, place, depth);
    const Words written = std::exchange(words, expansion_.ExpandAll(words));
    if (words.empty()) return;
    words = WithSubcommandFirst(std::move(words));
    if (std::optional<Destruction> found = Destroys(words, place.names, roots_)) {
      found->command = Shown(written);
      found_.push_back(std::move(*found));
      return;
    }
    const std::string program(NameOf(words.front()));
    if (const auto alias = aliases_.extract(written.front()); !alias.empty()) {
      JudgeLine(alias.mapped() + " " + Line({written.begin() + 1, written.end()}), depth + 1);
      aliases_.emplace(alias.key(), alias.mapped());
    }
    if (program == "git") {
      JudgeAliases(words, depth);
      return JudgeRunByGit(words, depth);
    }
    const std::size_t before = found_.size();
    const std::size_t shell = ShellAmong(words.front(), written);
    if (shell < written.size())
      JudgeRead({written.begin() + static_cast<std::ptrdiff_t>(shell), written.end()}, said, depth);
    if (found_.size() != before) return;
    if (program == "eval") {
      JudgeLine(Line({written.begin() + 1, written.end()}), depth + 1);
      if (words != written) JudgeLine(Line({words.begin() + 1, words.end()}), depth + 1);
      return;
    }
    if (program == "alias") return JudgeDefined(words, depth);
    if (const WrapperRow* row = WrapperNamed(program))
      JudgeWrapped(*row, written, std::move(words), place, depth);
  }

  // One of them is run.
  void JudgeEach(const std::vector<std::string>& programs, const Words& arguments, const LinePlace& place,
                 int depth) {
    for (const std::string& program : programs) {
      Words words = SplitAtBlanks(program);
      words.insert(words.end(), arguments.begin(), arguments.end());
      Judge(std::move(words), place, depth + 1);
    }
  }

  // `alias NAME=LINE...`
  void JudgeDefined(const Words& words, int depth) {
    for (std::size_t i = 1; i < words.size(); ++i) {
      const std::size_t value = words[i].find('=') + 1;
      JudgeLine(words[i].substr(value), depth + 1);
      if (value != 0) aliases_[words[i].substr(0, value - 1)] = words[i].substr(value);
    }
  }

  // What a shell reads of here-strings and of substitutions.
  void JudgeRead(const Words& shell, const Words& said, int depth) {
    for (const std::string& substitution : SubstitutionsRun(shell, said)) {
      if (const std::optional<std::string> text = PrintedByLine(substitution, expansion_)) {
        JudgeLine(*text, depth + 1);
      } else if (!PrintsSettings(substitution)) {
        found_.push_back({.command = Shown(shell),
                          .what = "has a shell run text that is not known before",
                          .source = "bash(1)"});
      }
    }
    for (const std::string& line : said) {
      if (shell.front() != "eval" && !IsProcessSubstitution(line)) JudgeLine(line, depth + 1);
    }
  }

  void JudgeWrapped(const WrapperRow& row, const Words& written, Words words, const LinePlace& place,
                    int depth) {
    const std::size_t before = found_.size();
    const std::vector<std::string> stood = expansion_.Directories();
    StandWhereTold(words, expansion_);
    LinePlace inner{.names = place.names};
    Words lines = written;  // another shell expands them
    if (row.takes == WrapperTakes::kWordsAndNames) {
      static_cast<void>(PutNames(lines, place, expansion_, roots_));
      inner.names = PutNames(words, place, expansion_, roots_);
    }
    if (row.takes != WrapperTakes::kWords) {
      for (std::size_t i = 1; i < lines.size(); ++i) JudgeText(lines[i], depth);
      for (std::size_t i = 1; i < words.size() && found_.size() == before; ++i) JudgeText(words[i], depth);
    }
    if (row.takes == WrapperTakes::kScript) JudgePiped(words, place, depth);
    for (auto start = words.begin() + 1; start != words.end() && found_.size() == before; ++start) {
      if (IsLookedInto(NameOf(*start))) Judge({start, words.end()}, inner, depth + 1);
    }
    expansion_.SetDirectories(stood);
  }

  // A word that is a line: whole, behind "-S", or behind "--split-string=".
  void JudgeText(const std::string& word, int depth) {
    if (word.find_first_of(" \t\n;|&{$") == std::string::npos || IsProcessSubstitution(word)) return;
    const std::size_t value = word.starts_with("--") ? word.find('=') + 1 : word.starts_with('-') ? 2 : 0;
    JudgeLine(word, depth + 1);
    if (value != 0 && value < word.size()) JudgeLine(word.substr(value), depth + 1);
  }

  // A shell without a script reads it: `echo 'rm -rf .' | sh`.
  void JudgePiped(const Words& words, const LinePlace& place, int depth) {
    if (place.line == nullptr || (*place.line)[place.at].joint != ShellJoint::kPipe || HasFlag(words, "-c"))
      return;
    for (std::size_t i = 0; i < place.at && !too_much_; ++i) {
      const Words& from = (*place.line)[i].words;
      if (from.size() < 2 || !IsOneOf(from.front(), "echo|printf")) continue;
      if (const std::optional<std::string> text = PrintedBy((*place.line)[i], expansion_)) {
        JudgeLine(*text, depth + 1);
        continue;
      }
      const Words said = expansion_.ExpandAll({from.begin() + 1, from.end()});
      const std::size_t before = found_.size();
      JudgeLine(Line(said), depth + 1);
      for (std::size_t word = 0; word < said.size() && found_.size() == before; ++word)
        JudgeText(said[word], depth);
    }
  }

  // `git -c alias.p='push -f' p`
  void JudgeAliases(const Words& words, int depth) {
    if (words.size() < 2) return;
    const std::string alias = "alias." + Folded(words[1]) + "=";
    for (std::size_t i = 2; i < words.size(); ++i) {
      if (!Folded(words[i]).starts_with(alias)) continue;
      const std::string value = words[i].substr(alias.size());
      const std::string rest = Line({words.begin() + 2, words.begin() + static_cast<std::ptrdiff_t>(i)});
      JudgeLine((value.starts_with('!') ? value.substr(1) : "git " + value) + " " + rest, depth + 1);
    }
  }
  // `git rebase -x LINE`, `git submodule foreach LINE`, `git bisect run COMMAND`
  void JudgeRunByGit(const Words& words, int depth) {
    for (std::size_t i = 1; i < words.size(); ++i) {
      constexpr std::string_view kExec = "--exec=";
      if (words[i].starts_with(kExec)) JudgeLine(words[i].substr(kExec.size()), depth + 1);
      if (i + 1 == words.size() || !IsOneOf(words[i], "-x|--exec|foreach|run")) continue;
      const auto next = words.begin() + static_cast<std::ptrdiff_t>(i) + 1;
      const bool whole = next->find_first_of(" \t\n") != std::string::npos;
      JudgeLine(whole ? *next : Line({next, words.end()}), depth + 1);
    }
  }
  // NOLINTEND(misc-no-recursion)

  // What is not looked through does not pass.
  void TooMuch(std::string_view line) {
    if (std::exchange(too_much_, true)) return;
    found_.push_back({.command = Shown({std::string(line)}),
                      .what = "lies deeper in command lines than is looked for what destroys",
                      .source = "mxc-policy(5)"});
  }

  const ReviewedCommand& command_;
  std::string home_ = {};
  Expansion expansion_ = {};
  Roots roots_{command_.roots, home_, expansion_};
  std::vector<Destruction> found_ = {};
  std::map<std::string, std::string> aliases_ = {};  // that the lines have defined so far
  int within_ = 0;
  bool too_much_ = false;  // was found
};

}  // namespace

std::vector<Destruction> FindDestruction(const ReviewedCommand& command) { return Finder(command).Find(); }

}  // namespace mxc
