// What the words of a command line stand for, as far as its text and the variables say.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "review/command_words.h"
#include "review/shell_words.h"

namespace mxc {

// Of a shell's line or a function.
struct Parameters {
  Words words = {};   // "$0", "$1", ...
  bool exact = true;  // no `shift` moves them
};

// The value of what no text says.
[[nodiscard]] inline std::vector<std::string> NotKnown() { return {std::string(1, kUnknownText)}; }

class Expansion {
 public:
  static constexpr std::size_t kMaxValues = 32;   // of one word
  static constexpr std::size_t kMaxBytes = 4096;  // of one value

  // One more value that the variable may have: of an array each.
  void Add(const std::string& name, std::string value);
  // Of assignments, `for` and `read`, wherever they stand in the line: a function or a trap runs later.
  void AddAssignments(const std::vector<ShellCommand>& commands);
  // Where the command may be run; too many are any.
  void SetDirectories(std::vector<std::string> directories);
  [[nodiscard]] const std::vector<std::string>& Directories() const { return directories_; }
  // What they were; absent: nothing says them.
  std::optional<Parameters> SetParameters(std::optional<Parameters> parameters);
  // Of `set -- x`.
  void AddParameters(const Words& words);
  void MoveParameters();
  [[nodiscard]] bool AreParametersKnown() const { return parameters_.has_value(); }
  [[nodiscard]] bool AreParametersMoved() const { return parameters_ && !parameters_->exact; }

  // What the word may stand for: of braces all, of variables each value, of patterns nothing but themselves.
  [[nodiscard]] std::vector<std::string> Expand(std::string_view word) const { return Expand(word, 0); }
  // In place of each word what it may stand for; the first one's values are split at blanks.
  [[nodiscard]] Words ExpandAll(const Words& words) const { return ExpandAll(words, 0); }
  // The words, those with more than one field in place of theirs: "$@", "${a[@]}", and `$X` outside of
  // quotes.
  [[nodiscard]] Words Fields(const ShellCommand& command) const;
  // What may be printed, as far as the text says: `echo`, `printf`, `cat` of a here-document, `command -v`.
  [[nodiscard]] std::vector<std::string> PrintedBy(const ShellCommand& command) const {
    return PrintedBy(command, 0);
  }

 private:
  using Values = std::vector<std::string>;
  void AddAssigned(const ShellCommand& command);
  void Assign(const std::string& word, bool known);
  void AddRead(const Words& words, const std::string& input);
  [[nodiscard]] Values Expand(std::string_view word, int depth) const;
  [[nodiscard]] Words ExpandAll(const Words& words, int depth) const;
  [[nodiscard]] Values ExpandWord(std::string_view word, int depth) const;
  [[nodiscard]] Values ValuesOf(std::string_view name) const;
  [[nodiscard]] Values ParametersFrom(std::size_t first) const;
  [[nodiscard]] Values TakeDollar(std::string_view& rest, int depth) const;
  [[nodiscard]] Values Replaced(Values values, std::string_view operation, int depth) const;
  [[nodiscard]] Values OfBraces(std::string_view inner, int depth) const;
  [[nodiscard]] Values OfSubstitution(std::string_view text, int depth) const;
  [[nodiscard]] Values PrintedBy(const ShellCommand& command, int depth) const;
  [[nodiscard]] Values PrintedByEcho(Words words, int depth) const;
  [[nodiscard]] Values PrintedByPrintf(Words words, int depth) const;

  [[nodiscard]] std::string Separated(std::string value) const;

  std::string separators_ = {};  // that the lines give IFS
  std::map<std::string, Values, std::less<>> variables_ = {};
  std::optional<Parameters> parameters_ = {};
  Values directories_ = {};
};

// "{a,b}c" is "ac" and "bc".
[[nodiscard]] std::vector<std::string> ExpandBraces(std::string_view word);
// "$@" and "${a[@]}": several fields, also in quotes.
[[nodiscard]] bool IsList(std::string_view word);

}  // namespace mxc
