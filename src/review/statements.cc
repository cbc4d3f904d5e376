#include "review/statements.h"

#include <algorithm>
#include <string>

#include "mxc/fold.h"
#include "review/command_words.h"
#include "review/destructive_table.h"

namespace mxc {

std::optional<Destruction> FindStatement(const std::vector<ShellCommand>& commands) {
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
      const bool client =
          std::any_of(command.words.begin(), command.words.end(),
                      [&](const std::string& word) { return IsOneOf(NameOf(word), statement.programs); });
      if (!client) continue;
      return Destruction{.command = Shown(command.words),
                         .what = "deletes data of a database",
                         .source = std::string(statement.source)};
    }
  }
  return std::nullopt;
}

}  // namespace mxc
