#include "review/destructive.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>

#include "mxc/fold.h"
#include "policy/paths/paths.h"
#include "review/shell_words.h"

namespace mxc {
namespace {

constexpr int kMaxDepth = 8;  // of command lines in command lines

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

std::string_view ProgramIn(const std::string& word) {
  return std::string_view(word).substr(word.rfind('/') + 1);
}

// "-rf" has "-f" in it, "--prune=now" is "--prune".
bool HasFlag(const Words& words, std::string_view flags) {
  return std::any_of(words.begin() + 1, words.end(), [&](const std::string& word) {
    if (!word.starts_with('-') || word.size() < 2) return false;
    if (IsOneOf(word.substr(0, word.find('=')), flags)) return true;
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

class Finder {
 public:
  explicit Finder(const ReviewedCommand& command) : command_(command) {}

  std::vector<Destruction> Find() {
    if (command_.line.empty()) {
      Judge(command_.argv, 0);
      FindStatements({command_.argv});
    } else {
      JudgeLine(command_.line, 0);
    }
    return std::move(found_);
  }

 private:
  // NOLINTBEGIN(misc-no-recursion): bounded by kMaxDepth
  void JudgeLine(std::string_view line, int depth) {
    if (depth == kMaxDepth) return TooDeep(line);
    const std::vector<ShellCommand> commands = ShellCommandsIn(line);
    for (const ShellCommand& words : commands) Judge(words, depth);
    FindStatements(commands);
  }

  // Programs that run another one: any word may be where its command begins.
  static bool IsWrapper(std::string_view program) {
    return IsOneOf(
        program,
        "sudo|doas|env|nice|ionice|chrt|taskset|timeout|time|nohup|setsid|stdbuf|unbuffer|command|exec|"
        "builtin|xargs|parallel|busybox|toybox|chroot|unshare|nsenter|setpriv|runuser|su|flock|watch|"
        "strace|ltrace|script|ssh|mxc-exec|bwrap|firejail|systemd-run|fakeroot|npx|find|fd|entr");
  }
  static bool IsShell(std::string_view program) {
    return IsOneOf(program,
                   "sh|bash|dash|zsh|ksh|ash|fish|mxc-sh|su|runuser|script|ssh|watch|pwsh|powershell");
  }

  void Judge(Words words, int depth) {
    if (RedirectsToDevice(words)) {
      found_.push_back({.command = Shown(words), .what = "writes over a disk", .source = "sh(1)"});
      return;
    }
    while (!words.empty() && (IsAssignment(words.front()) || IsRedirection(words.front()))) {
      const std::ptrdiff_t count = IsRedirection(words.front()) && words.size() > 1 ? 2 : 1;
      words.erase(words.begin(), words.begin() + count);
    }
    if (words.empty()) return;
    if (depth == kMaxDepth) return TooDeep(Line(words));
    if (std::optional<Destruction> found = Destroys(words)) {
      found->command = Shown(words);
      found_.push_back(std::move(*found));
      return;
    }
    const std::string_view program = ProgramIn(words.front());
    if (program == "eval") return JudgeLine(Line({words.begin() + 1, words.end()}), depth + 1);
    if (IsShell(program)) {
      for (std::size_t i = 1; i < words.size(); ++i)
        if (words[i].find_first_of(" \t\n;") != std::string::npos) JudgeLine(words[i], depth + 1);
    }
    if (!IsWrapper(program)) return;
    const std::size_t before = found_.size();
    for (auto start = words.begin() + 1; start != words.end() && found_.size() == before; ++start)
      Judge({start, words.end()}, depth + 1);
  }
  // NOLINTEND(misc-no-recursion)

  // What is not looked through does not pass.
  void TooDeep(std::string_view line) {
    found_.push_back({.command = Shown({std::string(line)}),
                      .what = "lies deeper in command lines than is looked for what destroys",
                      .source = "mxc-policy(5)"});
  }

  // A shell takes them in front of the command, too; the next word is the file.
  static bool IsRedirection(std::string_view word) { return word == ">" || word == "<"; }
  static bool IsAssignment(std::string_view word) {
    const std::size_t equals = word.find('=');
    return equals != std::string_view::npos && equals != 0 &&
           word.substr(0, equals).find_first_of("/-.+ ") == std::string_view::npos;
  }

  [[nodiscard]] std::optional<Destruction> Destroys(const Words& words) const {
    const std::string_view program = ProgramIn(words.front());
    for (const DestructiveRow& row : DestructiveRows()) {
      if (!IsOneOf(program, row.programs) || !HasVerbs(words, row.verbs)) continue;
      if (row.flags.empty() || HasFlag(words, row.flags))
        return Destruction{.what = std::string(row.what), .source = std::string(row.source)};
    }
    if (program == "git" && HasVerbs(words, "push") && ForcesRef(words))
      return Destruction{.what = "rewrites or deletes what others have fetched", .source = "git-push(1)"};
    if (program == "dd" && WritesDevice(words, "of="))
      return Destruction{.what = "writes over a disk", .source = "dd(1)"};
    if (program == "tee" && WritesDevice(words, ""))
      return Destruction{.what = "writes over a disk", .source = "tee(1)"};
    return DeletesRoots(program, words);
  }

  // "+main" and ":main" among what is pushed.
  static bool ForcesRef(const Words& words) {
    return std::any_of(words.begin() + 1, words.end(), [](const std::string& word) {
      return word.size() > 1 && (word.front() == '+' || word.front() == ':');
    });
  }

  static bool IsDisk(std::string_view path) {
    if (!path.starts_with("/dev/")) return false;
    path.remove_prefix(5);
    return IsOneOf(path, "sd*|hd*|vd*|xvd*|nvme*|mmcblk*|dm-*|md*|mapper/*|disk/*|loop*|mem|kmem");
  }
  static bool WritesDevice(const Words& words, std::string_view option) {
    return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
      return word.starts_with(option) && IsDisk(std::string_view(word).substr(option.size()));
    });
  }
  static bool RedirectsToDevice(const Words& words) {
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
      if (words[i] == ">" && IsDisk(words[i + 1])) return true;
    }
    return false;
  }

  // A root of what may be written, everything in it, or what holds it.
  [[nodiscard]] bool IsRoot(std::string path) const {
    if (path.empty()) return false;
    for (const std::string_view home : {"~", "$HOME", "${HOME}"}) {
      if (path.starts_with(home) && (path.size() == home.size() || path[home.size()] == '/'))
        path = command_.home + path.substr(home.size());
    }
    for (const std::string_view here : {"$PWD", "${PWD}"}) {
      if (path.starts_with(here)) path = command_.cwd + path.substr(here.size());
    }
    // What a variable is empty for, all of it is the root of: "$DIR/*".
    if (path.front() == '$') {
      const std::size_t slash = path.find('/');
      return slash != std::string::npos && IsAllOf(path.substr(slash + 1));
    }
    if (path.front() != '/') path = JoinPath(command_.cwd, path);
    const std::size_t last = path.rfind('/');
    if (IsAllOf(path.substr(last + 1))) path.resize(last);
    const std::string folded = FoldLexically(path.empty() ? "/" : path);
    return folded == "/" || folded == command_.home ||
           std::any_of(command_.roots.begin(), command_.roots.end(),
                       [&](const std::string& root) { return IsAtOrBelow(root, folded); });
  }
  static bool IsAllOf(std::string_view name) {
    return name.empty() || name == "*" || name == ".*" || name == ".[!.]*" || name == "{*,.*}" || name == ".";
  }

  [[nodiscard]] std::optional<Destruction> DeletesRoots(std::string_view program, const Words& words) const {
    const bool removes = program == "rm" && HasFlag(words, "-r|-R|--recursive");
    const bool finds =
        program == "find" && (HasFlag(words, "-delete") || HasVerbs(words, "-exec rm|unlink|shred") ||
                              HasVerbs(words, "-execdir rm|unlink|shred"));
    const bool changes = IsOneOf(program, "chmod|chown|chgrp") && HasFlag(words, "-R|--recursive");
    if (!removes && !finds && !changes) return std::nullopt;
    const bool named = std::any_of(words.begin() + 1, words.end(), [&](const std::string& word) {
      return !word.starts_with('-') && IsRoot(word);
    });
    if (named || (finds && (words.size() < 2 || words[1].starts_with('-')) && IsRoot(command_.cwd)))
      return Destruction{.what = changes ? "changes modes or owners of all that may be written"
                                         : "deletes all that may be written, or what holds it",
                         .source = std::string(program) + "(1)"};
    return std::nullopt;
  }

  // What is piped into a client is its statement as much as what stands behind it.
  void FindStatements(const std::vector<ShellCommand>& commands) {
    std::string all;
    for (const ShellCommand& words : commands) {
      for (const std::string& word : words) all += Folded(word) + " ";
    }
    std::replace_if(
        all.begin(), all.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
    all.erase(std::unique(all.begin(), all.end(), [](char a, char b) { return a == ' ' && b == ' '; }),
              all.end());
    for (const DestructiveStatement& statement : DestructiveStatements()) {
      if (all.find(statement.text) == std::string::npos) continue;
      for (const ShellCommand& words : commands) {
        const bool client = std::any_of(words.begin(), words.end(), [&](const std::string& word) {
          return IsOneOf(ProgramIn(word), statement.programs);
        });
        if (!client) continue;
        found_.push_back({.command = Shown(words),
                          .what = "deletes data of a database",
                          .source = std::string(statement.source)});
        return;
      }
    }
  }

  const ReviewedCommand& command_;
  std::vector<Destruction> found_ = {};
};

}  // namespace

std::vector<Destruction> FindDestruction(const ReviewedCommand& command) { return Finder(command).Find(); }

}  // namespace mxc
