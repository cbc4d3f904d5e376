// What a git configuration says, and which of it makes git execute something.
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
// Of ASCII.
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

// "remote.a.b.url": the name is behind the last dot, the section before the first.
[[nodiscard]] GitVariable VariableOf(std::string_view key, std::string value);

// As git reads it; takes what git would reject as far as it goes. No part of a variable holds NUL. A value
// that versions of git read differently stands twice: up to 2.44 each blank outside of quotes is a space.
[[nodiscard]] std::vector<GitVariable> ReadGitConfig(std::string_view text);

// What git does with the value; of a variable that no table knows, kExecutes.
enum class GitKeyUse {
  kExecutes,    // or may
  kDoubtful,    // it names no program, but has git fetch unasked, or no table knows it: never in what is new
  kHarmless,    // it executes nothing
  kSafe,        // a command may write it as well, where `protect` says "config": "allow-safe"
  kSafeUrl,     // the same of a repository elsewhere, by an ordinary scheme
  kSafeRemote,  // of a remote of this configuration, or "."
  kSafeTags,    // of an option of two
  kSafeFalse,   // of `false`, where the configuration never says anything else
};
[[nodiscard]] GitKeyUse UseOf(const GitVariable& variable);
// What it says, too.
[[nodiscard]] bool MayExecute(const GitVariable& variable);

// The names in it that git hands to commands of its own, a remote's for instance, are no options there.
[[nodiscard]] bool NamesArePlain(const GitVariable& variable);

// None unless the text is of the plainest form: whatever two readers could take for different things is not.
[[nodiscard]] std::optional<std::vector<GitVariable>> ReadPlainGitConfig(std::string_view text);
// It is, and holds nothing that may execute or that fetches unasked: what `git init` and `git clone` write.
[[nodiscard]] bool IsHarmlessGitConfig(std::string_view text);

// The words of a command line as a shell would split it, quotes taken off: "cd tools && ./x" is "cd",
// "tools", "./x" and "tools/x".
struct ProgramWord {
  std::string text = {};
  bool run = false;  // it is the program, or a script that an interpreter gets
  // Found without a search on PATH: such a script, or what an option or a variable names.
  bool script = false;
  std::string key = {};  // that option or variable, folded: "--exec-path", "core.hookspath"
};
// None: they come to more than kMaxGitWordBytes.
[[nodiscard]] std::optional<std::vector<ProgramWord>> ProgramWords(std::string_view command);

// Where it may name a program; "" where nothing is a path of one, whatever it looks like. Addresses begin
// with the subsection of [url "ext::tools/x"].
[[nodiscard]] std::string_view CommandOf(const GitVariable& variable);

// An alias of git's own commands: `-c core.pager=x log`.
[[nodiscard]] bool IsGitAlias(const GitVariable& variable);

// Whatever in it may be a path, however it is joined with other things: "x -F/a/b" holds "/a/b", "sh -c
// 'x;./y'" holds "./y", and "timeout 5 sh y" each of its words: any of them may be a file. `of_git`: nothing
// but values of configuration, as in `-c core.pager=x log`, names a file. None: they come to more than
// kMaxGitWordBytes.
[[nodiscard]] std::optional<std::set<std::string>> PathsInCommand(std::string_view command, bool of_git);

// Those without a slash that stand behind its first word, which is searched on PATH. None: the same.
[[nodiscard]] std::optional<std::set<std::string>> NamesInCommandOf(const GitVariable& variable);

// What its programs and files are called where an expansion that is not followed says in which directory they
// stand.
[[nodiscard]] std::set<std::string> NamesBelowExpansions(std::string_view command);

// A word of it is "git", or ends with "/git".
[[nodiscard]] bool CallsGit(std::string_view command);

}  // namespace mxc
