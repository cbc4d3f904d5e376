// Reads a git configuration, and decides which variables make git execute something.
//
//   for (const GitVariable& variable : ReadGitConfig("[core]\n\thooksPath = .husky\n"))
//     if (MayExecute(variable)) ...  // core.hookspath
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace mxc {

[[nodiscard]] constexpr bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
// ASCII only.
[[nodiscard]] inline bool HasOnlyLettersDigitsAnd(std::string_view others, std::string_view text) {
  return std::all_of(text.begin(), text.end(), [others](char c) {
    return IsLetter(c) || (c >= '0' && c <= '9') || others.find(c) != std::string_view::npos;
  });
}

struct GitVariable {
  std::string section = {};     // folded: "core"
  std::string subsection = {};  // as written: "origin" of [remote "origin"]
  std::string name = {};        // folded: "hookspath"
  std::string value = {};       // "true" without "="

  [[nodiscard]] bool Is(std::string_view in, std::string_view called) const {
    return section == in && name == called;
  }
};

// "remote.a.b.url": the name follows the last dot, the section precedes the first.
[[nodiscard]] GitVariable VariableOf(std::string_view key, std::string value);

// The variables as git reads them; of a text that git would reject, as much as can be read. No part of a
// variable contains NUL. A value that versions of git read differently appears twice: up to 2.44 each blank
// outside of quotes is a space.
[[nodiscard]] std::vector<GitVariable> ReadGitConfig(std::string_view text);

// What git does with the value; of a variable that no table knows, kExecutes.
enum class GitKeyUse {
  kExecutes,    // or may
  kDoubtful,    // names no program, but makes git fetch by itself, or is in no table: refused in a new
                // configuration
  kHarmless,    // executes nothing
  kSafe,        // a command may write it as well, where `protect` says "config": "allow-safe"
  kSafeUrl,     // safe if it is a URL of an ordinary scheme
  kSafeRemote,  // safe if it names a remote of this configuration, or "."
  kSafeTags,    // safe if it is one of two options
  kSafeFalse,   // safe if it is `false` everywhere in the configuration
};
[[nodiscard]] GitKeyUse UseOf(const GitVariable& variable);
// Depends on the value as well.
[[nodiscard]] bool MayExecute(const GitVariable& variable);

// Whether the names in it that git passes to its own commands, such as a remote's, cannot be taken for
// options.
[[nodiscard]] bool NamesArePlain(const GitVariable& variable);

// Absent unless the text has a plain form that every reader parses alike.
[[nodiscard]] std::optional<std::vector<GitVariable>> ReadPlainGitConfig(std::string_view text);
// Whether it has that form and nothing that may execute or fetch by itself: as `git init` and `git clone`
// write it.
[[nodiscard]] bool IsHarmlessGitConfig(std::string_view text);

// The words of a command line as a shell would split it, quotes taken off: "cd tools && ./x" is "cd",
// "tools", "./x" and "tools/x".
struct ProgramWord {
  std::string text = {};
  bool run = false;  // a program, or the script of an interpreter
  // Found without PATH: such a script, or the value of an option or a variable.
  bool script = false;
  std::string key = {};  // that option or variable, folded: "--exec-path", "core.hookspath"
};
// Absent: they exceed kMaxGitWordBytes.
[[nodiscard]] std::optional<std::vector<ProgramWord>> ProgramWords(std::string_view command);

// The part of the value that may name a program; "" if the variable never holds one. For [url
// "ext::tools/x"], the text begins with the subsection.
[[nodiscard]] std::string_view CommandOf(const GitVariable& variable);

// An alias of git's own commands: `-c core.pager=x log`.
[[nodiscard]] bool IsGitAlias(const GitVariable& variable);

// Every part of it that may be a path: "/a/b" of "x -F/a/b", "./y" of "sh -c 'x;./y'", and each word of
// "timeout 5 sh y", because any of them may be a file. `of_git`: only values of configuration, as in `-c
// core.pager=x log`, name files. Absent: they exceed kMaxGitWordBytes.
[[nodiscard]] std::optional<std::set<std::string>> PathsInCommand(std::string_view command, bool of_git);

// Those without a slash, except the first word, which is searched on PATH. Absent: the same.
[[nodiscard]] std::optional<std::set<std::string>> NamesInCommandOf(const GitVariable& variable);

// Names of its programs and files whose directory is given by an expansion that is not followed.
[[nodiscard]] std::set<std::string> NamesBelowExpansions(std::string_view command);

// Whether a word of it is "git", or ends with "/git".
[[nodiscard]] bool CallsGit(std::string_view command);

}  // namespace mxc
