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
         IsOneOf(program,
                 "rm|unlink|rimraf|del-cli|zip|tar|bsdtar|chmod|chown|chgrp|dd|tee|eval|alias|git") ||
         std::any_of(DestructiveRows().begin(), DestructiveRows().end(),
                     [&](const DestructiveRow& row) { return IsOneOf(program, row.programs); });
}

// Behind these words stands the command that they run.
constexpr std::string_view kRunning = "exec|command|builtin|nohup|time|setsid|sudo|doas|coproc|busybox";

// The word that says what is run; its words' size: none does.
std::size_t ProgramIn(const Words& words) {
  std::size_t at = 0;
  while (at < words.size()) {
    if (IsOneOf(words[at], "<|>|<<<"))
      at += 2;
    else if (!AssignedName(words[at]).empty() || IsOneOf(words[at], kRunning))
      ++at;
    else
      break;
  }
  return std::min(at, words.size());
}

// What is not known inside of a word may be nothing ("g${x}it", "--fo${x}rce"), and a pattern in place of a
// program may match any: as `"$X" push`.
Words AsIfEmpty(Words words) {
  for (std::string& word : words) {
    const auto is_plain = [](char c) { return c == kUnknownText || c == '-' || NameLength({&c, 1}) == 1; };
    if (!IsUnknown(word) && std::all_of(word.begin(), word.end(), is_plain)) std::erase(word, kUnknownText);
  }
  std::string& program = words.front();
  if (NameOf(program).size() > 2 && NameOf(program).find_first_of("*?[") != std::string_view::npos)
    program = std::string(1, kUnknownText);
  return WithSubcommandFirst(std::move(words));
}

constexpr std::ptrdiff_t Offset(std::size_t at) { return static_cast<std::ptrdiff_t>(at); }

enum class Text {
  kShell,    // a shell runs it
  kAny,      // a message, a program in another language
  kInWords,  // its substitutions are run: a prompt, a subscript
};

// A shell or git runs their values.
constexpr std::string_view kRunVariables =
    "PROMPT_COMMAND|BASH_ALIASES|BASH_FUNC_*|GIT_SSH_COMMAND|GIT_SSH|GIT_EDITOR|GIT_SEQUENCE_EDITOR|GIT_"
    "PAGER|"
    "GIT_EXTERNAL_DIFF|GIT_PROXY_COMMAND|GIT_ASKPASS|SSH_ASKPASS|EDITOR|VISUAL|PAGER|MANPAGER|BROWSER|"
    "LESSOPEN|"
    "LESSCLOSE|FCEDIT|SUDO_EDITOR|KUBE_EDITOR";

// A quoted substitution in a value or a subscript: a prompt, "${x@P}", BASH_ENV and arithmetic run it.
bool MayBeExpanded(std::string_view word) {
  constexpr std::string_view kSubstitution("\0(", 2);
  const std::size_t from = AssignedName(word).empty() ? word.find('[') : word.find('=');
  if (from == std::string_view::npos) return false;
  return word.find(kSubstitution, from) != std::string_view::npos ||
         word.find('`', from) != std::string_view::npos ||
         (!AssignedName(word).empty() && MayBeExpanded(word.substr(0, from)));
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
    expansion_.SetParameters(Parameters{.words = {"sh"}});
  }

  std::vector<Destruction> Find() {
    if (command_.line.empty()) {
      Words words = command_.argv;
      for (std::string& word : words) std::replace(word.begin(), word.end(), '$', kLiteralDollar);
      for (const std::string& word : words) JudgeAssigned(word, 0);
      Judge(std::move(words), {}, 0);
      if (std::optional<Destruction> found = FindStatement({{.words = command_.argv}}))
        found_.push_back(std::move(*found));
    } else {
      JudgeLine(command_.line, 0);
    }
    for (const Variable& variable : command_.variables) {
      std::string assigned = variable.name + "=" + variable.value.Reveal();
      std::replace(assigned.begin(), assigned.end(), '$', kLiteralDollar);
      JudgeAssigned(assigned, 0);
    }
    std::vector<Destruction> once;
    for (Destruction& found : found_) {
      if (std::find(once.begin(), once.end(), found) == once.end()) once.push_back(std::move(found));
    }
    return once;
  }

 private:
  // NOLINTBEGIN(misc-no-recursion): bounded by kMaxDepth
  void JudgeLine(std::string_view line, int depth, Text text = Text::kShell, Names names = Names::kNone) {
    if (depth == kMaxDepth || within_ >= kMaxWithin) return TooMuch(line);
    const std::string written = WithDollars(std::string(line));
    std::vector<ShellLine> readings;
    bool closed = text != Text::kShell;
    bool too_deep = false;
    for (const ShellReading& reading : ShellReadings()) {
      ShellLine read =
          text == Text::kInWords ? ReadSubstitutions(written, reading) : ReadShellLine(written, reading);
      closed |= read.closed && reading.dollar_quotes && reading.arithmetic_commands;
      too_deep |= read.too_deep;
      if (std::none_of(readings.begin(), readings.end(),
                       [&](const ShellLine& each) { return each.commands == read.commands; }))
        readings.push_back(std::move(read));
    }
    if (too_deep)
      TooMuch(line);
    else if (!closed)
      Hold({std::string(line)}, "has a quote, a parenthesis or a here-document that nothing closes");
    // What another shell than bash would run is held for what it names, not for what is unknown: "(( $x ))".
    const std::size_t before = found_.size();
    const bool outside = std::exchange(in_other_reading_, true);
    for (std::size_t i = readings.size(); i > 1; --i)
      JudgeCommands(readings[i - 1].commands, Text::kAny, depth, names);
    in_other_reading_ = outside;
    // They come first, so that what is left defined is bash's; what it finds is said once.
    const std::size_t others = found_.size();
    JudgeCommands(readings.front().commands, text, depth, names);
    if (found_.size() != others)
      found_.erase(found_.begin() + Offset(before), found_.begin() + Offset(others));
  }

  void JudgeCommands(const std::vector<ShellCommand>& commands, Text text, int depth, Names names) {
    expansion_.AddAssignments(commands);
    expansion_.AddAssignments(commands);  // of what is assigned further on
    const std::vector<std::string> before = expansion_.Directories();
    SubshellDirectories subshells;
    for (std::size_t i = 0; i < commands.size(); ++i) {
      subshells.Enter(commands[i].subshells, expansion_);
      const LinePlace place{.names = names, .line = &commands, .at = i};
      if (commands[i].in_function) {
        std::optional<Parameters> outside = expansion_.SetParameters(std::nullopt);
        JudgeCommand(place, text, depth);
        expansion_.SetParameters(std::move(outside));
      } else {
        JudgeCommand(place, text, depth);
      }
      ChangeDirectory(commands, i, home_, expansion_);
    }
    expansion_.SetDirectories(before);
    if (std::optional<Destruction> found = FindStatement(commands)) found_.push_back(std::move(*found));
  }

  // A value that is run, or expanded once more.
  void JudgeAssigned(const std::string& word, int depth) {
    const std::string_view name = AssignedName(word);
    if (MayBeExpanded(word)) JudgeLine(word, depth + 1, Text::kInWords);
    // "BASH_FUNC_x%%=() { ...; }"
    const std::size_t value = word.find('=');
    const bool function = word.starts_with("BASH_FUNC_") && value != std::string::npos;
    if (!function && (name.empty() || !IsOneOf(name, kRunVariables))) return;
    JudgeLine((function ? "f " : "") + word.substr(value + 1), depth + 1, Text::kAny);
  }

  void JudgeCommand(const LinePlace& place, Text text, int depth) {
    const ShellCommand& command = (*place.line)[place.at];
    // The parameters of `for x; do` are those that `set` has left.
    if (command.words.size() == 2 && command.words.front() == "for") expansion_.AddAssignments({command});
    const Words words = expansion_.Fields(command);
    if (text == Text::kShell && RunsUnknown(command)) {
      Hold(words, "runs what its text does not say");
    } else {
      Judge(words, place, depth);
      // `shift` moves the command to the first place.
      const std::size_t written = ProgramIn(command.words);
      const bool moves = expansion_.AreParametersMoved() && written != command.words.size() &&
                         command.words[written].starts_with('$');
      for (std::size_t i = ProgramIn(words) + 1; moves && i < words.size(); ++i) {
        if (IsLookedInto(NameOf(words[i]))) Judge({words.begin() + Offset(i), words.end()}, place, depth + 1);
      }
    }
    if (depth + 1 < kMaxDepth && (command.words.size() != 3 || command.words.front() != "function")) {
      for (const std::string& word : command.words) {
        JudgeAssigned(word, depth);
        const bool prompt = word.find("@P}") != std::string::npos;
        if (!prompt && (AssignedName(word).empty() || word.find('$') == std::string::npos)) continue;
        for (const std::string& value : expansion_.Expand(word)) {
          if (prompt || MayBeExpanded(value)) JudgeLine(value, depth + 1, Text::kInWords);
        }
      }
    }
    if (!IsKept(*place.line, place.at)) JudgeInput(command, words, depth);
  }

  // Its here-documents, and what it prints into a file.
  void JudgeInput(const ShellCommand& command, Words words, int depth) {
    const bool writes = std::find(words.begin(), words.end(), ">") != words.end();
    Words program = words;
    static_cast<void>(TakeRedirections(program));
    if (writes && !program.empty() && IsOneOf(program.front(), "echo|printf")) {
      for (const std::string& text : expansion_.PrintedBy(command)) JudgeLine(text, depth + 1, Text::kAny);
    }
    if (command.input.empty()) return;
    static_cast<void>(TakeRedirections(words));
    const std::size_t shell = words.empty() ? 0 : ShellAmong(words.front(), words);
    if (shell == words.size()) return JudgeLine(command.input, depth + 1, Text::kAny);
    const std::size_t options =
        std::min(OperandOfShell({words.begin() + Offset(shell), words.end()}).at + shell, words.size());
    words.erase(words.begin() + 1, words.begin() + Offset(options));
    JudgeScript(command.input, std::move(words), depth);
  }

  // Where it may be several words; in quotes it is one program.
  [[nodiscard]] bool RunsUnknown(const ShellCommand& command) const {
    const std::size_t at = ProgramIn(command.words);
    if (!expansion_.AreParametersKnown() || at == command.words.size()) return false;
    if (!command.splits[at] && !IsList(command.words[at])) return false;
    const std::vector<std::string> values = expansion_.Expand(command.words[at]);
    return std::any_of(values.begin(), values.end(), [](const std::string& value) {
      const Words words = SplitAtBlanks(value);
      return !words.empty() && IsUnknown(words.front());
    });
  }

  void Judge(Words words, const LinePlace& place, int depth) {
    if (words.size() == 3 && words.front() == "function") {
      std::vector<std::string>& bodies = functions_[words[1]];  // one of them is run
      if (std::find(bodies.begin(), bodies.end(), words[2]) != bodies.end()) return;
      if (bodies.size() < Expansion::kMaxValues)
        bodies.push_back(words[2]);
      else
        TooMuch(words[2]);
      return;
    }
    if (RedirectsToDevice(words, expansion_)) {
      found_.push_back({.command = Shown(words), .what = "writes over a disk", .source = "sh(1)"});
      return;
    }
    const Words said = TakeRedirections(words);
    words.erase(words.begin(), std::find_if(words.begin(), words.end(), [](const std::string& word) {
                  return AssignedName(word).empty();
                }));
    if (words.empty()) return;
    if (depth == kMaxDepth || (depth > 0 && ++within_ >= kMaxWithin)) return TooMuch(Line(words));
    const std::vector<std::string> programs = expansion_.Expand(words.front());
    if (programs.size() > 1 && ExpandBraces(words.front()).size() == 1)
      return JudgeEach(programs, {words.begin() + 1, words.end()}, place, depth);
    Words written = std::exchange(words, expansion_.ExpandAll(words));
    if (words.empty()) return;
    words = WithSubcommandFirst(std::move(words));
    if (std::optional<Destruction> found = Destroys(words, place.names, roots_)) {
      found->command = Shown(written);
      found_.push_back(std::move(*found));
      return;
    }
    if (std::optional<Destruction> found = Destroys(AsIfEmpty(words), place.names, roots_)) {
      found->command = Shown(written);
      found_.push_back(std::move(*found));
      return;
    }
    const std::string program(NameOf(words.front()));
    if (const auto alias = aliases_.extract(written.front()); !alias.empty()) {
      Words behind(written.begin() + 1, written.end());
      // Behind a blank at its end the next word may be an alias too.
      const auto next = behind.empty() ? aliases_.end() : aliases_.find(behind.front());
      if (next != aliases_.end() && (alias.mapped().ends_with(' ') || alias.mapped().ends_with('\t')))
        behind.front() = next->second;
      JudgeLine(alias.mapped() + " " + Line(behind), depth + 1);
      aliases_.emplace(alias.key(), alias.mapped());
    }
    if (program == "set" || program == "shift") return ChangeParameters(words);
    if (const auto function = functions_.extract(program); !function.empty()) {
      for (const std::string& body : function.mapped()) JudgeScript(body, words, depth);
      functions_.emplace(function.key(), function.mapped());
    }
    if (program == "git") {
      JudgeAliases(words, depth);
      return JudgeRunByGit(words, depth);
    }
    const std::size_t before = found_.size();
    const std::size_t shell = ShellAmong(words.front(), written);
    if (shell < written.size()) JudgeRead({written.begin() + Offset(shell), written.end()}, said, depth);
    if (found_.size() != before) return;
    if (IsOneOf(program, ".|source") && words.size() > 1 &&
        IsOneOf(words[1], "/dev/stdin|/dev/fd/0|/proc/self/fd/0"))
      JudgePiped(words, place, depth);
    if (program == "eval") {
      std::erase_if(written, IsCommandSubstitution);  // JudgeRead has seen them
      for (Words* each : {&written, &words}) {
        if (each->size() > 1 && (*each)[1] == "--") each->erase(each->begin() + 1);
      }
      JudgeLine(Line({written.begin() + 1, written.end()}), depth + 1);
      if (words != written) JudgeLine(Line({words.begin() + 1, words.end()}), depth + 1, Text::kAny);
      return;
    }
    if (program == "hash") return JudgeHashed(words);
    if (program == "bind") JudgeBound(words, depth);
    if (program == "alias") return JudgeDefined(words, depth);
    if (const WrapperRow* row = WrapperNamed(program))
      JudgeWrapped(*row, written, std::move(words), place, depth);
  }

  // One of them is run.
  void JudgeEach(const std::vector<std::string>& programs, const Words& arguments, const LinePlace& place,
                 int depth) {
    const std::size_t before = found_.size();
    for (const std::string& program : programs) {
      if (found_.size() != before) return;
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

  // `hash -p PATH NAME`, in zsh `hash NAME=PATH`
  void JudgeHashed(const Words& words) {
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (words[i].starts_with("-p") && words.size() - i > 1) {
        const std::string path = words[i].size() > 2 ? words[i].substr(2) : words[i + 1];
        aliases_[words.back()] = path;
      }
      if (const std::size_t value = words[i].find('=') + 1; value != 0)
        aliases_[words[i].substr(0, value - 1)] = words[i].substr(value);
    }
  }
  // `bind -x '"KEYS":LINE'`
  void JudgeBound(const Words& words, int depth) {
    for (const std::string& word : words) {
      if (const std::size_t line = word.rfind("\":"); line != std::string::npos)
        JudgeLine(word.substr(line + 2), depth + 1, Text::kAny);
    }
  }

  // What a shell reads of here-strings and of substitutions.
  void JudgeRead(const Words& shell, const Words& said, int depth) {
    for (const std::string& substitution : SubstitutionsRun(shell, said)) {
      if (const std::optional<std::string> text = PrintedByLine(substitution, expansion_)) {
        JudgeLine(*text, depth + 1);
      } else if (!PrintsSettings(substitution)) {
        Hold(shell, "has a shell run text that is not known before");
      }
    }
    for (const std::string& line : said) {
      if (shell.front() != "eval" && !IsProcessSubstitution(line) && !IsCommandSubstitution(line))
        JudgeLine(line, depth + 1);
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
    const ShellOperand operand = OperandOfShell(lines);
    if (row.takes == WrapperTakes::kScript && operand.is_line && operand.at < lines.size()) {
      const std::ptrdiff_t behind = Offset(std::min(OperandOfShell(words).at + 1, words.size()));
      const Text text = IsOneOf(NameOf(words.front()), "fish|pwsh|powershell") ? Text::kAny : Text::kShell;
      JudgeScript(lines[operand.at], {words.begin() + behind, words.end()}, depth, text, place.names);
    }
    if (row.takes != WrapperTakes::kWords) {
      for (std::size_t i = 1; i < lines.size() && found_.size() == before; ++i)
        JudgeText(lines[i], depth, inner.names);
      for (std::size_t i = 1; i < words.size() && found_.size() == before; ++i)
        JudgeText(words[i], depth, inner.names);
    }
    if (row.takes == WrapperTakes::kScript) JudgePiped(words, place, depth);
    for (auto start = words.begin() + 1; start != words.end() && found_.size() == before; ++start) {
      if (IsLookedInto(NameOf(*start))) Judge({start, words.end()}, inner, depth + 1);
    }
    expansion_.SetDirectories(stood);
  }

  // The line of `sh -c`, or the body of a function.
  void JudgeScript(const std::string& line, Words parameters, int depth, Text text = Text::kShell,
                   Names names = Names::kNone) {
    std::optional<Parameters> outside = expansion_.SetParameters(Parameters{.words = std::move(parameters)});
    JudgeLine(line, depth + 1, text, names);
    expansion_.SetParameters(std::move(outside));
  }
  // `set -- x`, `shift`
  void ChangeParameters(const Words& words) {
    if (words.front() == "shift") return expansion_.MoveParameters();
    auto first = std::find(words.begin() + 1, words.end(), "--");
    if (first != words.end())
      ++first;
    else if (words.size() > 1 && !words[1].starts_with('-') && !words[1].starts_with('+'))
      first = words.begin() + 1;
    if (first != words.end()) expansion_.AddParameters({first, words.end()});
  }

  // A word that is a line: whole, behind "-S", or behind "--split-string=".
  void JudgeText(const std::string& text, int depth, Names names = Names::kNone) {
    const std::string word = WithDollars(text);
    if (word.find_first_of(" \t\n;|&{$") == std::string::npos || IsProcessSubstitution(word)) return;
    const std::size_t value = word.starts_with("--") ? word.find('=') + 1 : word.starts_with('-') ? 2 : 0;
    JudgeLine(word, depth + 1, Text::kAny, names);
    if (value != 0 && value < word.size()) JudgeLine(word.substr(value), depth + 1, Text::kAny, names);
  }

  // A shell without a script reads it: `echo 'rm -rf .' | sh`.
  void JudgePiped(const Words& words, const LinePlace& place, int depth) {
    if (place.line == nullptr || HasFlag(words, "-c")) return;
    // `echo x | if :; then sh; fi`
    if (std::none_of(place.line->begin(), place.line->begin() + Offset(place.at) + 1,
                     [](const ShellCommand& each) { return each.joint == ShellJoint::kPipe; }))
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
      JudgeLine(Line(said), depth + 1, Text::kAny);
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
      const std::string rest = Line({words.begin() + 2, words.begin() + Offset(i)});
      JudgeLine((value.starts_with('!') ? value.substr(1) : "git " + value) + " " + rest, depth + 1);
    }
  }
  // `git rebase -x LINE`, `git submodule foreach LINE`, `git bisect run COMMAND`
  void JudgeRunByGit(const Words& words, int depth) {
    for (std::size_t i = 1; i < words.size(); ++i) {
      constexpr std::string_view kExec = "--exec=";
      if (words[i].starts_with(kExec)) JudgeLine(words[i].substr(kExec.size()), depth + 1);
      if (i + 1 == words.size() || !IsOneOf(words[i], "-x|--exec|foreach|run")) continue;
      const auto next = std::find_if(words.begin() + Offset(i) + 1, words.end(),
                                     [](const std::string& word) { return !word.starts_with('-'); });
      if (next == words.end()) continue;
      const bool whole = next->find_first_of(" \t\n") != std::string::npos;
      JudgeLine(whole ? *next : Line({next, words.end()}), depth + 1, Text::kAny);
    }
  }
  // NOLINTEND(misc-no-recursion)

  // What is not known does not pass.
  void Hold(const Words& words, std::string what) {
    if (in_other_reading_) return;
    found_.push_back({.command = Shown(words), .what = std::move(what), .source = "bash(1)"});
  }
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
  std::map<std::string, std::string> aliases_ = {};                 // that the lines have defined so far
  std::map<std::string, std::vector<std::string>> functions_ = {};  // and these, with their bodies
  bool in_other_reading_ = false;                                   // than bash's
  int within_ = 0;
  bool too_much_ = false;  // was found
};

}  // namespace

std::vector<Destruction> FindDestruction(const ReviewedCommand& command) { return Finder(command).Find(); }

}  // namespace mxc
