#include "policy/protect/included_files.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/lists.h"
#include "mxc/fold.h"
#include "mxc/limits.h"
#include "policy/paths/glob.h"
#include "policy/paths/homes.h"
#include "policy/protect/git/places.h"
#include "review/expansion.h"
#include "review/shell_words.h"

namespace mxc {
namespace {

constexpr std::string_view kBlanks = " \t\r\f\v";

// Splits a line as ssh does: blanks, quotes, backslashes, and one "=" after the keyword. A comment ends it,
// although older versions of ssh read it as words.
std::vector<std::string> WordsOf(std::string_view line) {
  std::vector<std::string> words;
  char quote = 0;
  bool inside = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const bool between =
        quote == 0 && (kBlanks.find(c) != std::string_view::npos || (c == '=' && words.size() < 2));
    if (between) {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == '\\' && i + 1 < line.size() &&
               std::string_view("\"'\\ ").find(line[i + 1]) != std::string_view::npos) {
      words.back() += line[++i];
    } else {
      words.back() += c;
    }
  }
  return words;
}

class Includes {
 public:
  Includes(std::string base, std::string home, PathWalker& walker, const Host& host)
      : base_(std::move(base)), home_(std::move(home)), walker_(walker), host_(host) {}

  std::vector<std::string> Of(const std::string& file) {
    std::vector<std::string> files = {file};
    std::set<std::string> seen;
    while (!files.empty() && seen.size() < kMaxGitConfigFiles) {
      const std::string next = std::move(files.back());
      files.pop_back();
      if (!seen.insert(next).second) continue;
      const Result<std::optional<std::string>> text = ReadGitFile(next, host_, walker_);
      if (text && *text) Read(**text, files);
    }
    return std::move(found_);
  }

 private:
  void Read(std::string_view text, std::vector<std::string>& files) {
    while (!text.empty()) {
      const std::string_view line = TakePiece(text, '\n');
      if (line.starts_with('#')) continue;  // as most lines of the system's file
      const std::vector<std::string> words = WordsOf(line);
      if (words.empty() || Folded(words.front()) != "include") continue;
      for (std::size_t i = 1; i < words.size(); ++i) Add(words[i], files);
    }
  }

  void Add(const std::string& word, std::vector<std::string>& files) {
    const std::string path = Expanded(word);
    if (!path.starts_with('/')) return;
    found_.push_back(path);
    if (!IsGlob(path)) return files.push_back(path);
    const Result<std::vector<GlobMatch>> matches = ExpandGlob(path, GlobLinks::kFollow, host_);
    for (const GlobMatch& match : matches ? *matches : std::vector<GlobMatch>{}) files.push_back(match.path);
  }

  // "%d" is the home, and ${X} a variable; any other "%x" becomes "*".
  [[nodiscard]] std::string Expanded(std::string_view word) const {
    std::string path;
    for (std::size_t i = 0; i < word.size(); ++i) {
      const std::size_t end = word.substr(i).starts_with("${") ? word.find('}', i) : std::string_view::npos;
      if (end != std::string_view::npos) {
        path += host_.Environment(word.substr(i + 2, end - i - 2)).value_or("*");
        i = end;
      } else if (word[i] == '%' && i + 1 < word.size()) {
        const char token = word[++i];
        path += token == 'd' ? home_ : std::string(1, token == '%' ? '%' : '*');
      } else {
        path += word[i];
      }
    }
    if (!path.starts_with('~')) return Against(base_, path);
    const std::size_t slash = std::min(path.find('/'), path.size());
    const std::string home = slash == 1 ? home_ : HomeOf(host_, std::string_view(path).substr(1, slash - 1));
    return home + path.substr(slash);
  }

  std::string base_;
  std::string home_;
  PathWalker& walker_;
  const Host& host_;
  std::vector<std::string> found_ = {};
};

constexpr std::size_t kMaxSourced = 64;                           // files, and paths of one
constexpr std::size_t kMaxSourcedBytes = std::size_t{64} * 1024;  // longer files are not followed

// zsh's `for f (a b(N)) source $f`, as other shells write it: without the qualifiers of patterns.
std::string WithPlainLoops(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    const std::string_view line = TakePiece(text, '\n');
    const std::size_t loop = line.find("for ");
    const std::size_t opens = line.find('(', std::min(loop, line.size()));
    const bool is = opens != std::string_view::npos &&
                    line.substr(loop, opens - loop).find(" in ") == std::string_view::npos;
    int depth = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const bool within = is && i >= opens && (i == opens || depth > 0);
      if (within && line[i] == '(') ++depth;
      if (!within || (depth == 1 && i > opens && line[i] != ')')) plain += line[i];
      if (within && i == opens) plain += " in ";
      if (within && line[i] == ')' && --depth == 0) plain += "; do ";
    }
    plain += '\n';
  }
  return plain;
}

// Replaces unknown parts of a name by "*" if enough of it is known: `prompt-$HOST.zsh`.
std::string AsPattern(const std::string& path) {
  constexpr std::size_t kKnown = 3;
  std::string pattern;
  for (std::string_view rest = path; !rest.empty();) {
    const std::string_view name = TakePiece(rest, '/');
    const auto unknown = static_cast<std::size_t>(std::count(name.begin(), name.end(), kUnknownText));
    if (unknown > 0 && name.size() - unknown < kKnown) return "";
    pattern += name;
    if (!rest.empty()) pattern += '/';
  }
  std::replace(pattern.begin(), pattern.end(), kUnknownText, '*');
  return pattern;
}

// The arguments of `source` and `.` in a shell script. A relative one usually counts from the home, after
// `cd`.
std::vector<std::string> SourcedWords(std::string_view text, const std::string& home, const Host& host) {
  const std::vector<ShellCommand> commands = ReadShellLine(WithPlainLoops(text)).commands;
  Expansion expansion;
  expansion.Add("HOME", home);
  for (const char* name :
       {"USER", "LOGNAME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "ZDOTDIR"}) {
    if (std::optional<std::string> value = host.Environment(name)) expansion.Add(name, std::move(*value));
  }
  expansion.AddAssignments(commands);
  std::vector<std::string> sourced;
  for (const ShellCommand& command : commands) {
    const auto is_before = [](std::string_view word) {
      return IsOneOf(word, "builtin|command|time|!") || !AssignedName(word).empty();
    };
    const auto verb = std::find_if_not(command.words.begin(), command.words.end(), is_before);
    if (command.words.end() - verb < 2 || (*verb != "." && *verb != "source")) continue;
    for (std::string& value : expansion.Expand(*(verb + 1))) {
      if (value.starts_with("~/")) value.replace(0, 1, home);
      if (value.find('/') != std::string::npos && !value.starts_with(kUnknownText))
        value = AsPattern(Against(home, value));
      if (value.starts_with('/') && sourced.size() < kMaxSourced) sourced.push_back(FoldLexically(value));
    }
  }
  return sourced;
}

}  // namespace

std::vector<std::string> IncludedBySsh(const std::string& file, const std::string& base,
                                       const std::string& home, PathWalker& walker, const Host& host) {
  return Includes(base, home, walker, host).Of(file);
}

std::vector<Sourced> SourcedByShell(const std::string& file, const std::string& home, PathWalker& walker,
                                    const Host& host) {
  std::vector<Sourced> found;
  std::vector<std::string> files = {file};
  std::set<std::string> seen;
  while (!files.empty() && seen.size() < kMaxSourced) {
    const std::string next = std::move(files.back());
    files.pop_back();
    if (!IsAtOrBelow(next, home) || !seen.insert(next).second) continue;
    const Result<std::optional<std::string>> text = ReadGitFile(next, host, walker);
    if (!text || !*text || (*text)->size() > kMaxSourcedBytes) continue;
    for (std::string& path : SourcedWords(**text, home, host)) {
      const bool pattern = IsGlob(path);
      found.push_back({.path = path, .pattern = pattern});
      if (!pattern) {
        files.push_back(std::move(path));
        continue;
      }
      const Result<std::vector<GlobMatch>> matches = ExpandGlob(path, GlobLinks::kFollow, host);
      for (const GlobMatch& match : matches ? *matches : std::vector<GlobMatch>{}) {
        files.push_back(match.path);
        found.push_back({.path = match.path});
      }
    }
  }
  return found;
}

}  // namespace mxc
