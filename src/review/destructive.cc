#include "review/destructive.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "mxc/fold.h"
#include "policy/paths/glob.h"
#include "policy/paths/paths.h"
#include "review/expansion.h"
#include "review/path_patterns.h"
#include "review/shell_words.h"

namespace mxc {
namespace {

constexpr int kMaxDepth = 8;      // of command lines in command lines
constexpr int kMaxWithin = 5000;  // commands in command lines: each may be several

using Words = std::vector<std::string>;

// One of "a|b|c*".
bool IsOneOf(std::string_view word, std::string_view list) {
  while (!list.empty()) {
    const std::string_view name = list.substr(0, list.find('|'));
    list.remove_prefix(std::min(list.size(), name.size() + 1));
    if (name.ends_with('*') ? word.starts_with(name.substr(0, name.size() - 1)) : word == name) return true;
  }
  return false;
}

// `option` is one of them, or the beginning of a long one: getopt_long(3) and git take those that are of one
// option alone, and refuse the others.
bool IsOption(std::string_view option, std::string_view flags) {
  if (IsOneOf(option, flags)) return true;
  if (!option.starts_with("--") || option.size() < 3) return false;
  while (!flags.empty()) {
    const std::string_view flag = flags.substr(0, flags.find('|'));
    flags.remove_prefix(std::min(flags.size(), flag.size() + 1));
    if (flag.starts_with(option)) return true;
  }
  return false;
}

std::string_view ProgramIn(const std::string& word) {
  return std::string_view(word).substr(word.rfind('/') + 1);
}

// "-rf" has "-f" in it, "--prune=now" is "--prune".
bool HasFlag(const Words& words, std::string_view flags) {
  return std::any_of(words.begin() + 1, words.end(), [&](const std::string& word) {
    if (!word.starts_with('-') || word.size() < 2) return false;
    if (IsOption(std::string_view(word).substr(0, word.find('=')), flags)) return true;
    if (word.starts_with("--")) return false;
    return std::any_of(word.begin() + 1, word.end(), [&](char letter) {
      return IsOneOf(std::string{'-', letter}, flags);
    });
  });
}

bool HasVerbs(const Words& words, std::string_view verbs) {
  auto at = words.begin() + 1;
  while (!verbs.empty()) {
    const std::string_view verb = verbs.substr(0, verbs.find(' '));
    verbs.remove_prefix(std::min(verbs.size(), verb.size() + 1));
    at = std::find_if(at, words.end(), [&](const std::string& word) {
      return IsOneOf(word, verb) || IsOneOf(Folded(word), verb);
    });
    if (at == words.end()) return false;
    ++at;
  }
  return true;
}

std::string Line(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// For people.
std::string Shown(const Words& words) {
  constexpr std::size_t kEnough = 200;
  const std::string text = Line(words);
  return text.size() > kEnough ? text.substr(0, kEnough) + "..." : text;
}

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

// ---- commands ------------------------------------------------------------------------------------

// "git -C x push" is {"git", "push"}, with the values of its -c at the end.
Words WithSubcommandFirst(Words words) {
  const std::string program(ProgramIn(words.front()));
  if (program.starts_with("git-") && program.size() > 4) {
    words.front() = program.substr(4);
    words.insert(words.begin(), "git");
    return words;
  }
  if (program != "git") return words;
  constexpr std::string_view kWithValue =
      "-C|-c|--git-dir|--work-tree|--namespace|--exec-path|--super-prefix|--config-env|--attr-source";
  Words settings;
  std::size_t at = 1;
  for (; at < words.size() && words[at].starts_with('-'); ++at) {
    if (words[at].find('=') != std::string::npos || !IsOneOf(words[at], kWithValue) ||
        words[at] == "--exec-path")
      continue;
    if (++at < words.size() && words[at - 1] == "-c") settings.push_back(words[at]);
  }
  words.erase(words.begin() + 1, words.begin() + static_cast<std::ptrdiff_t>(std::min(at, words.size())));
  words.insert(words.end(), settings.begin(), settings.end());
  return words;
}

// What the finder looks at by other means than a row.
bool IsLookedInto(std::string_view program) {
  return WrapperNamed(program) != nullptr || program.starts_with("git-") ||
         IsOneOf(program, "rm|unlink|rmdir|find|chmod|chown|chgrp|dd|tee|eval|alias|git") ||
         std::any_of(DestructiveRows().begin(), DestructiveRows().end(),
                     [&](const DestructiveRow& row) { return IsOneOf(program, row.programs); });
}

// Its input is kept or shown, not executed.
bool KeepsInput(const Words& words) { return !words.empty() && IsOneOf(ProgramIn(words.front()), "cat|tee"); }

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
      FindStatements({ShellCommand{.words = command_.argv}});
    } else {
      JudgeLine(command_.line, 0);
    }
    return std::move(found_);
  }

 private:
  // Operands that are in no text.
  enum class Names { kNone, kRead };
  struct Context {
    Names names = Names::kNone;
    const std::vector<ShellCommand>* line = nullptr;  // where the command stands
    std::size_t at = 0;
  };

  // NOLINTBEGIN(misc-no-recursion): bounded by kMaxDepth
  void JudgeLine(std::string_view line, int depth) {
    if (depth == kMaxDepth || within_ >= kMaxWithin) return TooMuch(line);
    const std::vector<ShellCommand> commands = ShellCommandsIn(line);
    expansion_.AddAssignments(commands);
    expansion_.AddAssignments(commands);  // of what is assigned further on
    const std::vector<std::string> before = expansion_.directories();
    std::vector<std::pair<int, std::vector<std::string>>> subshells;  // with where the shell outside is
    for (std::size_t i = 0; i < commands.size(); ++i) {
      const std::vector<int>& now = commands[i].subshells;
      while (!subshells.empty() &&
             (subshells.size() > now.size() || subshells.back().first != now[subshells.size() - 1])) {
        expansion_.SetDirectories(subshells.back().second);
        subshells.pop_back();
      }
      while (subshells.size() < now.size())
        subshells.emplace_back(now[subshells.size()], expansion_.directories());
      Judge(commands[i].words, {.line = &commands, .at = i}, depth);
      if (!commands[i].input.empty() && !IsKept(commands, i)) JudgeLine(commands[i].input, depth + 1);
      ChangeDirectory(commands, i);
    }
    expansion_.SetDirectories(before);
    FindStatements(commands);
  }

  void Judge(Words words, const Context& context, int depth) {
    if (std::optional<Words> device = RedirectsToDevice(words)) {
      found_.push_back({.command = Shown(*device), .what = "writes over a disk", .source = "sh(1)"});
      return;
    }
    const Words said = TakeRedirections(words);
    while (!words.empty() && !AssignedName(words.front()).empty()) words.erase(words.begin());
    if (words.empty()) return;
    if (depth == kMaxDepth || (depth > 0 && ++within_ >= kMaxWithin)) return TooMuch(Line(words));
    const std::vector<std::string> programs = expansion_.Expand(words.front());
    if (programs.size() > 1 && ExpandBraces(words.front()).size() == 1) {
      words.erase(words.begin());
      for (const std::string& program : programs) {  // one of them
        Words each = SplitAtBlanks(program);
        each.insert(each.end(), words.begin(), words.end());
        Judge(std::move(each), context, depth + 1);
      }
      return;
    }
    const Words written = std::exchange(words, expansion_.ExpandAll(words));
    if (words.empty()) return;
    words = WithSubcommandFirst(std::move(words));
    if (std::optional<Destruction> found = Destroys(words, context.names)) {
      found->command = Shown(written);
      found_.push_back(std::move(*found));
      return;
    }
    const std::string program(ProgramIn(words.front()));
    if (const auto alias = aliases_.extract(written.front()); !alias.empty()) {
      JudgeLine(alias.mapped() + " " + Line({written.begin() + 1, written.end()}), depth + 1);
      aliases_.emplace(alias.key(), alias.mapped());
    }
    if (program == "git") {
      JudgeAliases(words, depth);
      return JudgeRunByGit(words, depth);
    }
    if (program == "eval") {
      JudgeLine(Line({written.begin() + 1, written.end()}), depth + 1);
      if (words != written) JudgeLine(Line({words.begin() + 1, words.end()}), depth + 1);
      return;
    }
    if (IsOneOf(program, ".|source") || IsShell(program)) {
      for (const std::string& line : said) JudgeLine(line, depth + 1);
    }
    if (program == "alias") {
      for (std::size_t i = 1; i < words.size(); ++i) {
        const std::size_t value = words[i].find('=') + 1;
        JudgeLine(words[i].substr(value), depth + 1);
        if (value != 0) aliases_[words[i].substr(0, value - 1)] = words[i].substr(value);
      }
      return;
    }
    if (const WrapperRow* row = WrapperNamed(program))
      JudgeWrapped(*row, written, std::move(words), context, depth);
  }

  void JudgeWrapped(const WrapperRow& row, const Words& written, Words words, const Context& context,
                    int depth) {
    const std::size_t before = found_.size();
    const std::vector<std::string> stood = expansion_.directories();
    StandWhereTold(words);
    Context inner{.names = context.names};
    Words lines = written;  // another shell expands them
    if (row.takes == WrapperTakes::kWordsAndNames) {
      PutNames(lines, context);
      inner.names = PutNames(words, context);
    }
    if (row.takes != WrapperTakes::kWords) {
      for (std::size_t i = 1; i < lines.size(); ++i) JudgeText(lines[i], depth);
      for (std::size_t i = 1; i < words.size() && found_.size() == before; ++i) JudgeText(words[i], depth);
    }
    if (row.takes == WrapperTakes::kScript) JudgePiped(words, context, depth);
    for (auto start = words.begin() + 1; start != words.end() && found_.size() == before; ++start) {
      if (IsLookedInto(ProgramIn(*start))) Judge({start, words.end()}, inner, depth + 1);
    }
    expansion_.SetDirectories(stood);
  }

  // `env -C DIR`, `sudo --chdir=DIR`: what they run may stand there.
  void StandWhereTold(const Words& words) {
    std::vector<std::string> all = expansion_.directories();
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
      for (const std::string& from : stood) {
        const bool whole = to.starts_with('/') || to.find(kUnknown) != std::string::npos;
        if (!to.empty()) all.push_back(whole ? to : JoinPath(from, to));
      }
    }
    if (all.size() > kMaxDirectories) all = {std::string(1, kUnknown)};
    expansion_.SetDirectories(std::move(all));
  }

  // A word that is a line: whole, behind "-S", or behind "--split-string=".
  void JudgeText(const std::string& word, int depth) {
    if (word.find_first_of(" \t\n;|&{$") == std::string::npos) return;
    const std::size_t value = word.starts_with("--") ? word.find('=') + 1 : word.starts_with('-') ? 2 : 0;
    JudgeLine(word, depth + 1);
    if (value != 0 && value < word.size()) JudgeLine(word.substr(value), depth + 1);
  }

  // A shell without a script reads it: `echo 'rm -rf .' | sh`.
  void JudgePiped(const Words& words, const Context& context, int depth) {
    if (context.line == nullptr || (*context.line)[context.at].joint != ShellJoint::kPipe ||
        HasFlag(words, "-c"))
      return;
    for (std::size_t i = 0; i < context.at && !too_much_; ++i) {
      const Words& from = (*context.line)[i].words;
      if (from.size() < 2 || !IsOneOf(from.front(), "echo|printf")) continue;
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

  // ---- the line around a command ----

  // A here-document that goes into a file which nothing of the line runs.
  [[nodiscard]] static bool IsKept(const std::vector<ShellCommand>& commands, std::size_t at) {
    if (!KeepsInput(commands[at].words)) return false;
    for (std::size_t i = at + 1; i < commands.size() && commands[i].joint == ShellJoint::kPipe; ++i) {
      if (!KeepsInput(commands[i].words)) return false;
    }
    const auto is_named = [&](const std::string& file) {
      for (std::size_t i = 0; i < commands.size(); ++i) {
        const Words& words = commands[i].words;
        if (i != at && std::any_of(words.begin(), words.end(), [&](const std::string& word) {
              return ProgramIn(word) == ProgramIn(file);
            }))
          return true;
      }
      return false;
    };
    const Words& words = commands[at].words;
    return std::none_of(words.begin() + 1, words.end(), [&](const std::string& word) {
      return word != ">" && !word.starts_with('-') && is_named(word);
    });
  }

  void ChangeDirectory(const std::vector<ShellCommand>& commands, std::size_t at) {
    const Words& words = commands[at].words;
    if (words.empty() || !IsOneOf(words.front(), "cd|pushd|popd") || commands[at].joint == ShellJoint::kPipe)
      return;
    const ShellCommand* next = at + 1 < commands.size() ? &commands[at + 1] : nullptr;
    if (next != nullptr && next->joint == ShellJoint::kPipe) return;
    const auto operand = std::find_if(words.begin() + 1, words.end(),
                                      [](const std::string& word) { return !word.starts_with('-'); });
    std::vector<std::string> to = {std::string(1, kUnknown)};
    if (operand != words.end()) to = expansion_.Expand(*operand);
    if (words.size() == 1 && words.front() == "cd") to = {home_};
    // Only what goes on by "&&", or ends otherwise, stands where it says.
    const bool sure = next != nullptr && (next->joint == ShellJoint::kAnd ||
                                          (next->joint == ShellJoint::kOr && !next->words.empty() &&
                                           IsOneOf(next->words.front(), "exit|return")));
    std::vector<std::string> all = sure ? std::vector<std::string>{} : expansion_.directories();
    std::vector<std::string> stood = expansion_.directories();
    for (const std::string& path : expansion_.Expand("${CDPATH:-}")) {
      for (std::size_t begin = 0; begin < path.size();) {
        const std::size_t end = std::min(path.find(':', begin), path.size());
        stood.push_back(path.substr(begin, end - begin));
        begin = end + 1;
      }
    }
    for (const std::string& from : stood) {
      for (const std::string& each : to)
        all.push_back(
            each.starts_with('/') || each.find(kUnknown) != std::string::npos ? each : JoinPath(from, each));
    }
    if (all.size() > kMaxDirectories) all = {std::string(1, kUnknown)};
    expansion_.SetDirectories(std::move(all));
  }

  // What xargs gets: of `find` and `echo` its text says it, else nothing does.
  Names PutNames(Words& words, const Context& context) const {
    const std::string_view program = ProgramIn(words.front());
    std::string replaced = program == "xargs" ? "" : "{}";
    for (std::size_t i = 1; i < words.size(); ++i) {
      const std::string& word = words[i];
      if (word.starts_with("--replace") || word == "-i") replaced = "{}";
      if (word.starts_with("--replace=")) replaced = word.substr(10);
      if (word.starts_with("-I") && word.size() > 2) replaced = word.substr(2);
      if (word == "-I" && i + 1 < words.size()) replaced = words[++i];
    }
    if (IsOneOf(program, "xargs|parallel")) {
      if (const std::optional<Words> said = NamesSaid(context)) {
        words.insert(words.end(), said->begin(), said->end());
        return Names::kNone;
      }
    }
    if (replaced.empty()) return Names::kRead;
    bool whole = false;
    bool within = false;
    for (std::string& word : words) {
      const std::size_t at = word.find(replaced);
      if (at == std::string::npos) continue;
      (word == replaced ? whole : within) = true;
      word.replace(at, replaced.size(), 1, kUnknown);
    }
    return whole || !within ? Names::kRead : Names::kNone;
  }
  [[nodiscard]] std::optional<Words> NamesSaid(const Context& context) const {
    if (context.line == nullptr) return std::nullopt;
    for (std::size_t i = context.at; (*context.line)[i].joint == ShellJoint::kPipe && i > 0;) {
      const Words from = expansion_.ExpandAll((*context.line)[--i].words);
      if (from.empty()) return std::nullopt;
      if (IsOneOf(from.front(), "echo|printf")) return Words{from.begin() + 1, from.end()};
      if (from.front() == "find") return FindsRoots(from) ? std::nullopt : std::optional<Words>{Words{}};
      if (!IsOneOf(from.front(), "sort|uniq|head|tail|grep|egrep|fgrep")) return std::nullopt;
    }
    return std::nullopt;
  }

  // A shell takes them anywhere; the next word is the file, or of a here-string what is read.
  static Words TakeRedirections(Words& words) {
    Words said;
    for (std::size_t i = 0; i < words.size();) {
      if (!IsOneOf(words[i], "<|>|<<<")) {
        ++i;
        continue;
      }
      if (words[i] == "<<<" && i + 1 < words.size()) said.push_back(words[i + 1]);
      const auto from = words.begin() + static_cast<std::ptrdiff_t>(i);
      words.erase(from, from + (i + 1 < words.size() ? 2 : 1));
    }
    return said;
  }

  // ---- what destroys ----

  [[nodiscard]] std::optional<Destruction> Destroys(const Words& words, Names names) const {
    const std::string_view program = ProgramIn(words.front());
    for (const DestructiveRow& row : DestructiveRows()) {
      if (!IsOneOf(program, row.programs) || !HasVerbs(words, row.verbs)) continue;
      if (program == "git" && words[1] != row.verbs.substr(0, row.verbs.find(' '))) continue;
      if (row.flags.empty() || HasFlag(words, row.flags))
        return Destruction{.what = std::string(row.what), .source = std::string(row.source)};
    }
    if (program == "git" && words.size() > 1 && IsOneOf(words[1], "push|send-pack") && ForcesRef(words))
      return Destruction{.what = "rewrites or deletes what others have fetched", .source = "git-push(1)"};
    if (program == "git" && words.size() > 1 && DiscardsAll(words))
      return Destruction{.what = "discards commits or files that are nowhere else",
                         .source = "git-" + words[1] + "(1)"};
    if (program == "dd" && WritesDevice(words, "of="))
      return Destruction{.what = "writes over a disk", .source = "dd(1)"};
    if (program == "tee" && WritesDevice(words, ""))
      return Destruction{.what = "writes over a disk", .source = "tee(1)"};
    return DeletesRoots(program, words, names);
  }

  // "+main" and ":main" among what is pushed, here or in a setting of the remote.
  static bool ForcesRef(const Words& words) {
    return std::any_of(words.begin() + 1, words.end(), [](const std::string& word) {
      const std::string folded = Folded(word);
      return (word.size() > 1 && (word.front() == '+' || word.front() == ':')) ||
             folded.find(".push=+") != std::string::npos || folded.find(".push=:") != std::string::npos ||
             folded.find(".mirror=") != std::string::npos || folded.ends_with(".mirror");
    });
  }

  // `git checkout .`; what restores the index alone discards nothing.
  [[nodiscard]] bool DiscardsAll(const Words& words) const {
    const bool restores =
        words[1] == "restore" && (!HasFlag(words, "-S|--staged") || HasFlag(words, "-W|--worktree"));
    const bool removes = words[1] == "rm" && HasFlag(words, "-f|--force") && !HasFlag(words, "--cached");
    if (!restores && !removes && words[1] != "checkout") return false;
    return std::any_of(words.begin() + 2, words.end(), [&](const std::string& word) {
      if (word.starts_with('-') || word.find(kUnknown) != std::string::npos) return false;
      return word == ":/" || word == ":" || WithoutPatternsAtEnd(word).empty() || IsRoot(word);
    });
  }

  static bool IsDisk(std::string_view path) {
    if (!path.starts_with("/dev/")) return false;
    path.remove_prefix(5);
    return path == std::string_view(&kUnknown, 1) ||
           IsOneOf(path, "sd*|hd*|vd*|xvd*|nvme*|mmcblk*|dm-*|md*|mapper/*|disk/*|loop*|mem|kmem");
  }
  // All of what an option names is not known: it may be one.
  static bool WritesDevice(const Words& words, std::string_view option) {
    return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
      if (!word.starts_with(option)) return false;
      const std::string_view path = std::string_view(word).substr(option.size());
      return IsDisk(path) || (!option.empty() && path == std::string_view(&kUnknown, 1));
    });
  }
  [[nodiscard]] std::optional<Words> RedirectsToDevice(const Words& words) const {
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
      if (words[i] != ">") continue;
      const std::vector<std::string> files = expansion_.Expand(words[i + 1]);
      if (std::any_of(files.begin(), files.end(), [](const std::string& file) { return IsDisk(file); }))
        return words;
    }
    return std::nullopt;
  }

  // A root of what may be written, everything in it, or what holds it.
  [[nodiscard]] bool IsRoot(const std::string& operand) const {
    if (operand.empty()) return false;
    if (const std::optional<std::string> led = ThroughProcess(operand)) return IsRoot(*led);
    if (operand.starts_with('/') || operand.starts_with(kUnknown)) return IsRootAt(operand);
    const std::vector<std::string>& directories = expansion_.directories();
    return std::any_of(directories.begin(), directories.end(),
                       [&](const std::string& each) { return IsRootAt(JoinPath(each, operand)); });
  }
  // "/proc/self/cwd/x" and "/proc/1/root/x", whatever the process: links that the kernel follows.
  static std::optional<std::string> ThroughProcess(std::string_view operand) {
    Words rest;  // between slashes
    for (std::size_t at = 0; at < operand.size();) {
      const std::size_t end = std::min(operand.find('/', at), operand.size());
      const std::string part(operand.substr(at, end - at));
      if (!part.empty() && part != ".") rest.push_back(part);
      at = end + 1;
    }
    if (!operand.starts_with('/') || rest.empty() || rest.front() != "proc") return std::nullopt;
    const auto link = std::find_if(rest.begin(), rest.end(),
                                   [](const std::string& part) { return IsOneOf(part, "cwd|root"); });
    if (link == rest.end()) return std::nullopt;
    std::string led = *link == "cwd" ? "." : "/";
    for (auto part = link + 1; part != rest.end(); ++part) led = JoinPath(led, *part);
    return led;
  }
  [[nodiscard]] bool IsRootAt(std::string path) const {
    if (path.find(kUnknown) != std::string::npos) {
      // Anything, or all in it; and what a variable is empty for: "$DIR/*" is "/*".
      const std::string known = WithoutPatternsAtEnd(path);
      if (known.find_first_not_of("$./") == std::string::npos) return true;
      std::erase(path, kUnknown);
    }
    path = FoldLexically(WithoutPatternsAtEnd(path));
    const Words pattern = Components(path);
    return pattern.empty() || (!home_.empty() && MayHold(pattern, home_)) ||
           std::any_of(command_.roots.begin(), command_.roots.end(),
                       [&](const std::string& root) { return MayHold(pattern, root); });
  }

  [[nodiscard]] std::optional<Destruction> DeletesRoots(std::string_view program, const Words& words,
                                                        Names names) const {
    const bool changes = IsOneOf(program, "chmod|chown|chgrp") && HasFlag(words, "-R|--recursive");
    const bool removes = (program == "rm" && HasFlag(words, "-r|-R|--recursive")) ||
                         (names == Names::kRead && IsOneOf(program, "rm|unlink"));
    const bool finds = program == "find" && FindDeletes(words) && FindsRoots(words);
    if (!removes && !finds && !changes) return std::nullopt;
    if (!finds && names == Names::kRead)
      return Destruction{.what = changes ? "changes modes or owners of what its text does not name"
                                         : "deletes what its text does not name",
                         .source = std::string(program) + "(1)"};
    const bool named = std::any_of(words.begin() + 1, words.end(), [&](const std::string& word) {
      return !word.starts_with('-') && IsRoot(word);
    });
    if (!finds && !named) return std::nullopt;
    return Destruction{.what = changes ? "changes modes or owners of all that may be written"
                                       : "deletes all that may be written, or what holds it",
                       .source = std::string(program) + "(1)"};
  }

  static bool FindDeletes(const Words& words) {
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (words[i] == "-delete") return true;
      if (IsOneOf(words[i], "-exec|-execdir|-ok|-okdir") && i + 1 < words.size() &&
          IsOneOf(ProgramIn(words[i + 1]), "rm|unlink|shred"))
        return true;
    }
    return false;
  }
  // A root is among where it starts, and no name leaves most files out before it acts.
  [[nodiscard]] bool FindsRoots(const Words& words) const {
    std::size_t at = 1;
    while (at < words.size() && IsOneOf(words[at], "-H|-L|-P")) ++at;
    Words starts;
    for (; at < words.size() && !words[at].starts_with('-') && words[at] != "!"; ++at)
      starts.push_back(words[at]);
    if (starts.empty()) starts = {"."};
    if (std::none_of(starts.begin(), starts.end(), [&](const std::string& start) { return IsRoot(start); }))
      return false;
    if (std::any_of(words.begin(), words.end(),
                    [](const std::string& word) { return IsOneOf(word, "-o|-or|!|-not|,"); }))
      return true;
    for (; at + 1 < words.size(); ++at) {
      if (IsOneOf(words[at], "-delete|-exec|-execdir|-ok|-okdir")) return true;
      if (IsOneOf(words[at], "-name|-iname|-path|-ipath|-wholename") && IsSelective(words[at + 1]))
        return false;
    }
    return true;
  }
  static bool IsSelective(std::string_view pattern) {
    return pattern.find_first_not_of("*?./[]$") != std::string_view::npos && !MayMatchEverything(pattern);
  }

  // What is piped into a client is its statement as much as what stands behind it.
  void FindStatements(const std::vector<ShellCommand>& commands) {
    std::string all;
    for (const ShellCommand& command : commands) {
      for (const std::string& word : command.words) all += Folded(word) + " ";
      all += Folded(command.input) + " ";
    }
    // Without comments of SQL, and as it stands: the "/*" of a pattern begins none.
    std::string bare = all;
    for (std::size_t at = bare.find("/*"); at != std::string::npos; at = bare.find("/*", at)) {
      const std::size_t end = bare.find("*/", at + 2);
      bare.replace(at, end == std::string::npos ? std::string::npos : end + 2 - at, " ");
    }
    all += bare;
    std::replace_if(
        all.begin(), all.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
    all.erase(std::unique(all.begin(), all.end(), [](char a, char b) { return a == ' ' && b == ' '; }),
              all.end());
    for (const DestructiveStatement& statement : DestructiveStatements()) {
      if (all.find(statement.text) == std::string::npos) continue;
      for (const ShellCommand& command : commands) {
        const bool client = std::any_of(
            command.words.begin(), command.words.end(),
            [&](const std::string& word) { return IsOneOf(ProgramIn(word), statement.programs); });
        if (!client) continue;
        found_.push_back({.command = Shown(command.words),
                          .what = "deletes data of a database",
                          .source = std::string(statement.source)});
        return;
      }
    }
  }

  static constexpr std::size_t kMaxDirectories = 32;

  const ReviewedCommand& command_;
  std::string home_ = {};
  Expansion expansion_ = {};
  std::vector<Destruction> found_ = {};
  std::map<std::string, std::string> aliases_ = {};  // that the lines have defined so far
  int within_ = 0;
  bool too_much_ = false;  // was found
};

}  // namespace

std::vector<Destruction> FindDestruction(const ReviewedCommand& command) { return Finder(command).Find(); }

}  // namespace mxc
