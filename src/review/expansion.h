// What the words of a command line stand for, as far as its text and the variables say.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "review/shell_words.h"

namespace mxc {

// Stands in an expanded word for what is not known before it runs.
inline constexpr char kUnknown = '$';

class Expansion {
 public:
  // One more value that the variable may have.
  void Add(const std::string& name, std::string value);
  // Of assignments, `for` and `read`, wherever they stand in the line: a function or a trap runs later.
  void AddAssignments(const std::vector<ShellCommand>& commands);
  // Where the command may be run; too many are any.
  void SetDirectories(std::vector<std::string> directories);
  [[nodiscard]] const std::vector<std::string>& Directories() const { return directories_; }

  // What the word may stand for: of braces all, of variables each value, of patterns nothing but themselves.
  [[nodiscard]] std::vector<std::string> Expand(std::string_view word) const;
  // In place of each word what it may stand for; the first one's values are split at blanks.
  [[nodiscard]] std::vector<std::string> ExpandAll(const std::vector<std::string>& words) const;

 private:
  using Values = std::vector<std::string>;
  void AddAssignments(const std::vector<std::string>& words);
  void AddExpanded(const std::string& name, std::string_view word);
  [[nodiscard]] Values ExpandWord(std::string_view word, int depth) const;
  [[nodiscard]] Values ValuesOf(std::string_view name) const;
  [[nodiscard]] Values TakeDollar(std::string_view& rest, int depth) const;
  [[nodiscard]] Values OfBraces(std::string_view inner, int depth) const;
  [[nodiscard]] Values OfSubstitution(std::string_view text, int depth) const;

  std::map<std::string, Values, std::less<>> variables_ = {};
  Values directories_ = {};
};

// Split at blanks.
[[nodiscard]] std::vector<std::string> SplitAtBlanks(std::string_view text);

// "{a,b}c" is "ac" and "bc".
[[nodiscard]] std::vector<std::string> ExpandBraces(std::string_view word);

// "X" of "X=1" and "X+=1"; empty: no assignment.
[[nodiscard]] std::string_view AssignedName(std::string_view word);

}  // namespace mxc
