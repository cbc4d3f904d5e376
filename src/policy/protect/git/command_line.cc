// The words of a command line in a configuration: programs and their arguments.
#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "base/lists.h"
#include "base/path.h"
#include "mxc/fold.h"
#include "mxc/limits.h"
#include "policy/protect/git/config.h"

namespace mxc {
namespace {

bool IsInterpreter(std::string_view word) {
  return IsOneOf(NameOf(word),
                 "sh|bash|dash|zsh|ksh|env|exec|python*|perl|ruby|node|deno|bun|lua|php|tclsh|awk|sudo|nice|"
                 "time|.|source|eval|{|if|then|else|elif|do|while|until|xargs|command|nohup|setsid");
}

// One command line, parsed for the paths of its programs.
class CommandLine {
 public:
  explicit CommandLine(std::string_view text) : rest_(text) {}

  // None: they come to more than kMaxGitWordBytes.
  std::optional<std::vector<ProgramWord>> Words() {
    while (!rest_.empty() && room_ != 0) {
      if (IsEnd(rest_.front()) || rest_.front() == '!') {
        if (std::string_view("|&;(`\n").find(rest_.front()) != std::string_view::npos) Separate();
        rest_.remove_prefix(1);
      } else {
        Add(NextWord());
      }
    }
    if (room_ == 0) return std::nullopt;
    return std::move(words_);
  }
  // Directories that Words has found.
  [[nodiscard]] std::set<std::string> Places() const {
    std::set<std::string> places(directories_.begin(), directories_.end());
    places.insert(searched_.begin(), searched_.end());
    return places;
  }

 private:
  static bool IsEnd(char c) { return std::string_view(" \t\n|&;<>()`").find(c) != std::string_view::npos; }

  // A word may count once more for each directory that is entered, and for each "=" in it.
  [[nodiscard]] bool Fits(std::size_t bytes) {
    constexpr std::size_t kOfEach = sizeof(ProgramWord);
    room_ -= std::min(room_, bytes + kOfEach);
    return room_ != 0;
  }
  void Put(ProgramWord word) {
    if (Fits(word.text.size() + word.key.size())) words_.push_back(std::move(word));
  }

  void Separate() {
    due_ = true;
    interpreted_ = false;
    entering_ = false;
  }

  // Without quotes and backslashes, because a quoted text may itself be a command line.
  std::string NextWord() {
    std::string word;
    for (; !rest_.empty() && !IsEnd(rest_.front());) {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '$') {
        AddVariable(word);
      } else if (c != '"' && c != '\'' && c != '\\') {
        word += c;
      }
    }
    return word;
  }
  // The values of other variables are unknown here.
  void AddVariable(std::string& word) {
    const bool braces = rest_.starts_with('{');
    if (braces) rest_.remove_prefix(1);
    const auto letter = [](char c) { return IsLetter(c) || c == '_'; };
    const auto* const end = std::find_if_not(rest_.begin(), rest_.end(), letter);
    const std::string_view name = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    rest_.remove_prefix(name.size());
    if (braces) rest_.remove_prefix(std::min(rest_.size(), std::min(rest_.find('}'), rest_.size()) + 1));
    const bool first = word.empty() || word.ends_with('=') || word.ends_with(':');
    if (first && name == "HOME") word += '~';
    if (first && name == "PWD") word += '.';
    if (word.empty() && (IsEndOfWord())) due_ = false;
  }
  [[nodiscard]] bool IsEndOfWord() const {
    const std::size_t next = rest_.find_first_not_of('"');
    return next == std::string_view::npos || IsEnd(rest_[next]);
  }

  void Add(const std::string& word) {
    if (word.empty()) return;
    if (std::exchange(elsewhere_, false)) return EnterByOption(word);
    const std::size_t equals = word.find('=');
    const bool option = word.starts_with('-') || equals != std::string::npos;
    AddPlaces(word);
    AddOption(word);
    // VARIABLE=program, --option=program, -c key=program
    if (equals != std::string::npos) AddValue(word, equals);
    if (entering_ && !option) Enter(word);
    entering_ = (entering_ && option) || (due_ && (word == "cd" || word == "pushd"));
    interpreted_ = due_ && (IsInterpreter(word) || (option && interpreted_));
    due_ = due_ && (option || interpreted_);
  }
  // A word may also be relative to directories that the command has entered, or that it searches for
  // programs.
  void AddPlaces(const std::string& word) {
    constexpr std::string_view kTransport = "ext::";
    const bool relative = !word.starts_with('/') && !word.starts_with('~') && !word.starts_with('-');
    const bool here = directories_.empty() || !relative;
    Put({.text = word, .run = due_ && here, .script = due_ && (interpreted_ || !here)});
    if (word.starts_with(kTransport)) Put({.text = word.substr(kTransport.size()), .run = true});
    if (!relative) return;
    const bool slash = word.find('/') != std::string::npos;
    for (const std::string& directory : directories_) {
      if (slash) {
        Put({.text = directory + "/" + word, .run = due_, .script = due_ && interpreted_});
      } else if (due_ && interpreted_) {
        AddNamed(directory + "/" + word);
      }
    }
    if (!due_ || slash) return;
    for (const std::string& directory : searched_) AddNamed(directory + "/" + word);
  }
  void Enter(const std::string& directory) {
    const bool inside = !directories_.empty() && !directory.starts_with('/') && !directory.starts_with('~');
    std::string entered = inside ? directories_.back() + "/" + directory : directory;
    if (Fits(entered.size())) directories_.push_back(std::move(entered));
  }
  // env -C x, make -Cx, env --chdir=x
  void AddOption(const std::string& word) {
    constexpr std::string_view kLong = "--chdir=";
    constexpr std::string_view kShort = "-C";
    elsewhere_ = word == kShort || word == kLong.substr(0, kLong.size() - 1);
    if (word.starts_with(kLong)) Enter(word.substr(kLong.size()));
    if (word.starts_with(kShort) && !elsewhere_) Enter(word.substr(kShort.size()));
  }
  void EnterByOption(const std::string& directory) {
    Put({.text = directory});
    Enter(directory);
  }
  void AddValue(std::string_view word, std::size_t equals) {
    std::string_view value = word.substr(equals + 1);
    while (!word.starts_with("PATH=") && room_ != 0) {
      AddNamed(std::string(value), Folded(word.substr(0, equals)));
      equals = value.find('=');
      if (equals == std::string_view::npos) return;
      word = value;
      value = word.substr(equals + 1);
    }
    while (!value.empty()) {
      if (const std::string_view directory = TakePiece(value, ":"); !directory.empty())
        searched_.emplace_back(directory);
    }
  }
  void AddNamed(std::string text, std::string key = {}) {
    if (!text.empty()) Put({.text = std::move(text), .script = true, .key = std::move(key)});
  }

  std::string_view rest_;
  std::size_t room_ = kMaxGitWordBytes;
  std::vector<ProgramWord> words_ = {};
  bool due_ = true;  // the next word is a program
  bool interpreted_ = false;
  bool entering_ = false;                      // the next word is a directory
  bool elsewhere_ = false;                     // the same, for an option
  std::vector<std::string> directories_ = {};  // in which the command may be
  std::vector<std::string> searched_ = {};     // of a PATH that it sets
};

void ReplaceAll(std::string& text, std::string_view what, std::string_view with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

// Words as a shell splits them; quoted text stays one word.
std::vector<std::string> QuotedWords(std::string_view command) {
  std::vector<std::string> words(1);
  char quote = 0;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    if (c == '\\' && quote != '\'' && i + 1 < command.size()) {
      words.back() += command[++i];
    } else if (c == quote || (quote == 0 && (c == '"' || c == '\''))) {
      quote = quote == 0 ? c : '\0';
    } else if (quote == 0 && std::string_view(" \t\n|&;<>()`").find(c) != std::string_view::npos) {
      if (!words.back().empty()) words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

// The word, or "" if it cannot be a file name: options, %f, blanks, longer words.
std::string_view NameIn(std::string_view word) {
  constexpr std::size_t kLongestName = 255;  // NAME_MAX
  const bool placeholder = word.starts_with('%') && word.size() == 2;
  const bool blank = word.find_first_not_of(" \t\n") == std::string_view::npos;
  const bool none = blank || word == "." || word == ".." || word.size() > kLongestName || placeholder ||
                    word.starts_with('-') || word.find('/') != std::string_view::npos;
  return none ? std::string_view{} : word;
}

// Whether an expansion that is not followed names a directory: "$(x)/y", "$D/y", `cd "$(x)"`, `PATH=$D`.
bool FindsByExpansion(std::string_view command) {
  std::string text(command);
  std::erase_if(text, [](char c) { return c == '"' || c == '\'' || c == '\\'; });
  const auto has = [&text](std::string_view part) { return text.find(part) != std::string::npos; };
  const bool enters = has("cd ") || has("pushd ") || has("PATH=") || has("-C") || has("--chdir");
  const bool substituted = has("$(") || has("`");
  if (substituted && (enters || has(")/") || has("`/"))) return true;
  for (std::size_t at = text.find('$'); at != std::string::npos; at = text.find('$', at + 1)) {
    std::string_view rest = std::string_view(text).substr(at + 1);
    const bool braces = rest.starts_with('{');
    if (braces) rest.remove_prefix(1);
    const auto letter = [](char c) { return IsLetter(c) || (c >= '0' && c <= '9') || c == '_'; };
    const auto* const end = std::find_if_not(rest.begin(), rest.end(), letter);
    const std::string_view name = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
    rest.remove_prefix(name.size());
    const bool plain = !braces || rest.starts_with('}');
    if (name.empty() || (plain && IsOneOf(name, "HOME|PWD|PATH"))) continue;
    if (braces) rest.remove_prefix(std::min(rest.size(), std::min(rest.find('}'), rest.size()) + 1));
    if (enters || rest.starts_with('/')) return true;
  }
  return false;
}

// "a b" for "a%fb": git replaces "%f".
std::string CommandWithoutPlaceholders(std::string_view word) {
  std::string text;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const bool placeholder = word[i] == '%' && i + 1 < word.size();
    text += placeholder ? ' ' : word[i];
    if (placeholder) ++i;
  }
  return text;
}

class PathsOfCommand {
 public:
  void Add(const std::string& word) {
    if (word.size() > kLongestWord) return;
    AddPiece(word);
    AddName(word);
    Split(word, kSeparators, [this](std::string_view piece) { AddPiece(piece); });
    Split(CommandWithoutPlaceholders(word), kSeparators, [this](std::string_view piece) { AddName(piece); });
    for (std::size_t at = word.find('='); at != std::string::npos; at = word.find('=', at + 1)) {
      const std::string_view value = std::string_view(word).substr(at + 1);
      AddName(value);
      Split(value, ":,!", [this](std::string_view piece) { AddName(piece); });
    }
    // "$D/x", "~+/x": the directory is unknown here, but git's current one is likely.
    if (word.find_first_of("$%") == std::string::npos && !word.starts_with("~+") && !word.starts_with("~-"))
      return;
    Split(word, kSeparators, [this](std::string_view piece) {
      const std::size_t slash = piece.find('/');
      if (slash != std::string_view::npos && slash + 1 < piece.size()) Put(piece.substr(slash + 1));
    });
  }
  // Adds the directories that it enters, or searches for programs, to which its words may be relative as
  // well.
  void AddPlaces(std::string_view command) {
    constexpr std::size_t kMostPlaces = 16;
    CommandLine line(command);
    if (!line.Words()) room_ = 0;
    std::set<std::string> places = line.Places();
    if (places.size() > kMostPlaces) places.erase(std::next(places.begin(), kMostPlaces), places.end());
    const std::set<std::string> written = paths_;
    for (const std::string& place : places) {
      for (const std::string& path : written) {
        if (room_ == 0) return;
        if (!path.starts_with('/') && !path.starts_with('~')) Put(place + "/" + path);
      }
    }
  }
  // None: they come to more than kMaxGitWordBytes.
  std::optional<std::set<std::string>> Paths() {
    if (room_ == 0) return std::nullopt;
    return std::move(paths_);
  }

 private:
  static constexpr std::size_t kLongestWord = 4096;
  static constexpr std::string_view kSeparators = " \t\n|&;<>()`'\"$!=:,{}[]@%*?#";

  template <typename Take>
  static void Split(std::string_view text, std::string_view separators, const Take& take) {
    while (!text.empty()) {
      const std::string_view piece = TakePiece(text, separators);
      if (!piece.empty()) take(piece);
    }
  }

  void Put(std::string_view path) {
    room_ -= std::min(room_, path.size());
    if (room_ != 0) paths_.emplace(path);
  }
  void AddPiece(std::string_view piece) {
    const bool slash = piece.find('/') != std::string_view::npos;
    if (piece.starts_with('-')) {
      if (!piece.starts_with("--")) AddJoined(piece);
    } else if (slash) {
      Put(piece);
      // "$(git rev-parse --show-toplevel)/tools/x"
      if (piece.starts_with('/') && piece.size() > 1) Put(piece.substr(1));
    }
  }
  // -Fconfig, -r./x, -isystem/x
  void AddJoined(std::string_view option) {
    constexpr std::size_t kLetter = 2;
    for (std::size_t at = kLetter; at < option.size(); ++at) {
      const std::string_view rest = option.substr(at);
      if (at == kLetter ? HasOnlyLettersDigitsAnd("._+-~/", rest) : rest.find('/') != std::string_view::npos)
        Put(rest);
    }
  }
  void AddName(std::string_view word) {
    if (const std::string_view name = NameIn(word); !name.empty()) Put(name);
  }
  std::set<std::string> paths_ = {};
  std::size_t room_ = kMaxGitWordBytes;
};

}  // namespace

std::optional<std::set<std::string>> PathsInCommand(std::string_view command, bool of_git) {
  PathsOfCommand paths;
  for (std::string& word : QuotedWords(command)) {
    for (const auto& [variable, path] : {std::pair("${HOME}", "~"), std::pair("$HOME", "~"),
                                         std::pair("${PWD}", "."), std::pair("$PWD", ".")})
      ReplaceAll(word, variable, path);
    const std::size_t equals = word.find('=');
    const bool value = equals != std::string::npos && word.find('.') < equals;
    if (!of_git || value) paths.Add(word);
  }
  paths.AddPlaces(command);
  return paths.Paths();
}

std::string_view CommandOf(const GitVariable& variable) {
  if (variable.section == "url")
    return variable.subsection.find("::") == std::string::npos ? std::string_view{} : variable.subsection;
  const bool none = IsOneOf(variable.section, "http|https|include|includeif|protocol|safe");
  return none || variable.Is("core", "hookspath") ? std::string_view{} : variable.value;
}

bool IsGitAlias(const GitVariable& variable) {
  return variable.section == "alias" && !variable.value.starts_with('!');
}

std::set<std::string> NamesBelowExpansions(std::string_view command) {
  if (!FindsByExpansion(command)) return {};
  const bool searched = command.find("PATH=") != std::string_view::npos;
  std::set<std::string> names;
  const auto add = [&names](std::string_view path) {
    const std::string_view name = NameIn(NameOf(path));
    if (!name.empty() && name.find_first_of("*?$%") == std::string_view::npos) names.emplace(name);
  };
  for (const std::string& path : PathsInCommand(command, false).value_or(std::set<std::string>{}))
    if (searched || path.find('/') != std::string::npos) add(path);
  for (const ProgramWord& word : ProgramWords(command).value_or(std::vector<ProgramWord>{}))
    if (word.run || word.script) add(word.text);
  return names;
}

std::optional<std::set<std::string>> NamesInCommandOf(const GitVariable& variable) {
  std::string_view command = CommandOf(variable);
  const std::size_t first = command.find_first_not_of(" \t\n!");
  const std::size_t end =
      command.find_first_of(" \t\n|&;<>()`=", first == std::string_view::npos ? 0 : first);
  if (first == std::string_view::npos || end == std::string_view::npos) return std::set<std::string>{};
  std::optional<std::set<std::string>> names = PathsInCommand(command.substr(end), IsGitAlias(variable));
  if (names)
    std::erase_if(*names, [](const std::string& name) { return name.find('/') != std::string::npos; });
  return names;
}

std::optional<std::vector<ProgramWord>> ProgramWords(std::string_view command) {
  return CommandLine(command).Words();
}

bool CallsGit(std::string_view command) {
  constexpr std::string_view kGitWord = "git";
  const auto ends = [command](std::size_t at) {
    return at >= command.size() ||
           std::string_view(" \t\n|&;<>()`'\"/$").find(command[at]) != std::string_view::npos;
  };
  for (std::size_t at = command.find(kGitWord); at != std::string_view::npos;
       at = command.find(kGitWord, at + 1)) {
    const std::size_t end = at + kGitWord.size();
    if ((at == 0 || ends(at - 1)) && ends(end) && command.substr(end, 1) != "/") return true;
  }
  return false;
}

}  // namespace mxc
