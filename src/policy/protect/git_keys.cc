// Which variables of a git configuration execute nothing. All others may: git gets new ones with every
// release.
#include <algorithm>
#include <iterator>
#include <utility>

#include "mxc/fold.h"
#include "policy/protect/git_config.h"

namespace mxc {
namespace {

// `name` "*": every name of the section, but for those of kExecutes. Sections with subsections are harmless
// only where it says so: [diff "x"] names programs, [diff] seldom.
struct HarmlessRow {
  std::string_view section;
  std::string_view name;
  bool subsections = false;
};

constexpr HarmlessRow kHarmless[] = {
    {"advice", "*"},
    {"am", "*"},
    {"apply", "*"},
    {"author", "*"},
    {"blame", "*"},
    {"branch", "*", true},
    {"checkout", "*"},
    {"clone", "*"},
    {"color", "*", true},
    {"column", "*"},
    {"commit", "*"},
    {"committer", "*"},
    {"core", "abbrev"},
    {"core", "autocrlf"},
    {"core", "bare"},
    {"core", "bigfilethreshold"},
    {"core", "checkstat"},
    {"core", "commentchar"},
    {"core", "commitgraph"},
    {"core", "compression"},
    {"core", "deltabasecachelimit"},
    {"core", "eol"},
    {"core", "excludesfile"},
    {"core", "filemode"},
    {"core", "fscache"},
    {"core", "fsync"},
    {"core", "fsyncmethod"},
    {"core", "hidedotfiles"},
    {"core", "ignorecase"},
    {"core", "logallrefupdates"},
    {"core", "longpaths"},
    {"core", "loosecompression"},
    {"core", "multipackindex"},
    {"core", "packedgitlimit"},
    {"core", "packedgitwindowsize"},
    {"core", "precomposeunicode"},
    {"core", "preloadindex"},
    {"core", "protecthfs"},
    {"core", "protectntfs"},
    {"core", "quotepath"},
    {"core", "repositoryformatversion"},
    {"core", "safecrlf"},
    {"core", "sharedrepository"},
    {"core", "sparsecheckout"},
    {"core", "sparsecheckoutcone"},
    {"core", "splitindex"},
    {"core", "symlinks"},
    {"core", "trustctime"},
    {"core", "untrackedcache"},
    {"core", "warnambiguousrefs"},
    {"core", "whitespace"},
    {"core", "worktree"},
    {"diff", "*"},
    {"extensions", "*"},
    {"feature", "*"},
    {"fetch", "*"},
    {"format", "*"},
    {"gc", "*"},
    {"gitcvs", "*"},
    {"grep", "*"},
    {"i18n", "*"},
    {"index", "*"},
    {"init", "defaultbranch"},
    {"lfs", "access", true},
    {"lfs", "repositoryformatversion"},
    {"log", "*"},
    {"maintenance", "*"},
    {"merge", "*"},
    {"pack", "*"},
    {"pull", "*"},
    {"push", "*"},
    {"rebase", "*"},
    {"remote", "fetch", true},
    {"remote", "gh-resolved", true},
    {"remote", "mirror", true},
    {"remote", "partialclonefilter", true},
    {"remote", "promisor", true},
    {"remote", "prune", true},
    {"remote", "prunetags", true},
    {"remote", "push", true},
    {"remote", "pushdefault"},
    {"remote", "pushurl", true},
    {"remote", "skipdefaultupdate", true},
    {"remote", "skipfetchall", true},
    {"remote", "tagopt", true},
    {"remote", "url", true},
    {"rerere", "*"},
    {"stash", "*"},
    {"status", "*"},
    {"submodule", "active", true},
    {"submodule", "alternateerrorstrategy"},
    {"submodule", "alternatelocation"},
    {"submodule", "branch", true},
    {"submodule", "fetchjobs"},
    {"submodule", "fetchrecursesubmodules", true},
    {"submodule", "ignore", true},
    {"submodule", "path", true},
    {"submodule", "propagatebranches"},
    {"submodule", "recurse"},
    {"submodule", "shallow", true},
    {"submodule", "update", true},
    {"submodule", "url", true},
    {"tag", "*"},
    {"transfer", "*"},
    {"user", "*"},
    {"versionsort", "*"},
    {"worktree", "*"},
};

// In sections that are harmless otherwise.
struct ExecutingRow {
  std::string_view section;
  std::string_view name;
};

constexpr ExecutingRow kExecutes[] = {
    {"branch", "mergeoptions"},   // names a strategy
    {"diff", "external"},         // a program
    {"diff", "guitool"},          // names a tool
    {"diff", "tool"},             // the same
    {"gc", "recentobjectshook"},  // a program
    {"merge", "guitool"},         // names a tool
    {"merge", "tool"},            // the same
    {"pull", "octopus"},          // names a strategy
    {"pull", "twohead"},          // the same
};

bool IsInterpreter(std::string_view word) {
  constexpr std::string_view kNames[] = {
      "sh",  "bash", "dash", "zsh",   "ksh", "env",   "exec",  "python", "perl",    "ruby",   "node",  "deno",
      "bun", "lua",  "php",  "tclsh", "awk", "sudo",  "nice",  "time",   ".",       "source", "eval",  "{",
      "if",  "then", "else", "elif",  "do",  "while", "until", "xargs",  "command", "nohup",  "setsid"};
  word = word.substr(word.rfind('/') + 1);
  return std::any_of(std::begin(kNames), std::end(kNames), [word](std::string_view name) {
    return word == name || (name == "python" && word.starts_with(name));
  });
}

// "transport::address" runs git-remote-transport; a command may stand in the place of a way to update.
bool NamesProgram(const GitVariable& variable) {
  if (variable.value.find("::") != std::string::npos) return true;
  if (variable.Is("submodule", "update")) return variable.value.starts_with('!');
  return variable.value.starts_with('-') && (variable.section == "remote" || variable.section == "submodule");
}

// One command line, as far as it tells where its programs stand.
class CommandLine {
 public:
  explicit CommandLine(std::string_view text) : rest_(text) {}

  std::vector<ProgramWord> Words() {
    while (!rest_.empty()) {
      if (IsEnd(rest_.front()) || rest_.front() == '!') {
        if (std::string_view("|&;(`\n").find(rest_.front()) != std::string_view::npos) Separate();
        rest_.remove_prefix(1);
      } else {
        Add(NextWord());
      }
    }
    return std::move(words_);
  }

 private:
  static bool IsEnd(char c) { return std::string_view(" \t\n|&;<>()`").find(c) != std::string_view::npos; }

  void Separate() {
    due_ = true;
    interpreted_ = false;
    entering_ = false;
  }

  // Without quotes and backslashes: what is quoted may be a command line, too.
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
  // What others than these two say nobody knows here.
  void AddVariable(std::string& word) {
    const bool braces = rest_.starts_with('{');
    if (braces) rest_.remove_prefix(1);
    const auto letter = [](char c) { return (Folded(c) >= 'a' && Folded(c) <= 'z') || c == '_'; };
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
    const std::size_t equals = word.find('=');
    const bool option = word.starts_with('-') || equals != std::string::npos;
    AddPlaces(word);
    // VARIABLE=program, --option=program, -c key=program
    if (equals != std::string::npos) AddValue(word, equals);
    if (entering_ && !option) Enter(word);
    entering_ = (entering_ && option) || (due_ && (word == "cd" || word == "pushd"));
    interpreted_ = due_ && (IsInterpreter(word) || (option && interpreted_));
    due_ = due_ && (option || interpreted_);
  }
  // Where the command has entered a directory, or searches for programs, a word means something there.
  void AddPlaces(const std::string& word) {
    constexpr std::string_view kTransport = "ext::";
    const bool relative = !word.starts_with('/') && !word.starts_with('~') && !word.starts_with('-');
    const bool here = directories_.empty() || !relative;
    words_.push_back({.text = word, .run = due_ && here, .script = due_ && (interpreted_ || !here)});
    if (word.starts_with(kTransport)) words_.push_back({.text = word.substr(kTransport.size()), .run = true});
    if (!relative) return;
    const bool slash = word.find('/') != std::string::npos;
    for (const std::string& directory : directories_) {
      if (slash) {
        words_.push_back({.text = directory + "/" + word, .run = due_, .script = due_ && interpreted_});
      } else if (due_ && interpreted_) {
        AddNamed(directory + "/" + word);
      }
    }
    if (!due_ || slash) return;
    for (const std::string& directory : searched_) AddNamed(directory + "/" + word);
  }
  void Enter(const std::string& directory) {
    const bool inside = !directories_.empty() && !directory.starts_with('/') && !directory.starts_with('~');
    directories_.push_back(inside ? directories_.back() + "/" + directory : directory);
  }
  void AddValue(std::string_view word, std::size_t equals) {
    std::string_view value = word.substr(equals + 1);
    if (!word.starts_with("PATH=")) {
      AddNamed(std::string(value), Folded(word.substr(0, equals)));
      if (const std::size_t next = value.find('='); next != std::string_view::npos) AddValue(value, next);
      return;
    }
    while (!value.empty()) {
      const std::string_view directory = value.substr(0, value.find(':'));
      if (!directory.empty()) searched_.emplace_back(directory);
      value.remove_prefix(std::min(value.size(), directory.size() + 1));
    }
  }
  void AddNamed(std::string text, std::string key = {}) {
    if (!text.empty()) words_.push_back({.text = std::move(text), .script = true, .key = std::move(key)});
  }

  std::string_view rest_;
  std::vector<ProgramWord> words_ = {};
  bool due_ = true;  // a program comes next
  bool interpreted_ = false;
  bool entering_ = false;                      // a directory comes next
  std::vector<std::string> directories_ = {};  // in which the command may be
  std::vector<std::string> searched_ = {};     // in its own PATH
};

std::string_view Trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// `[core]` or `[remote "origin"]`, and nothing else in the line.
bool ReadPlainSection(std::string_view line, GitVariable& variable) {
  if (!line.ends_with(']')) return false;
  line = line.substr(1, line.size() - 2);
  const std::size_t quote = line.find('"');
  const std::string_view name = Trim(line.substr(0, quote));
  const auto plain = [](char c) { return (Folded(c) >= 'a' && Folded(c) <= 'z') || (c >= '0' && c <= '9'); };
  if (name.empty() || !std::all_of(name.begin(), name.end(), plain)) return false;
  variable.section = Folded(name);
  variable.subsection.clear();
  if (quote == std::string_view::npos) return true;
  line = line.substr(quote + 1);
  if (!line.ends_with('"')) return false;
  line.remove_suffix(1);
  variable.subsection = line;
  return !line.empty() && line.find('"') == std::string_view::npos;
}

}  // namespace

bool MayExecute(const GitVariable& variable) {
  if (variable.Is("core", "fsmonitor")) return variable.value != "true" && variable.value != "false";
  const auto executes = [&](const ExecutingRow& row) { return variable.Is(row.section, row.name); };
  if (std::any_of(std::begin(kExecutes), std::end(kExecutes), executes)) return true;
  const auto harmless = [&](const HarmlessRow& row) {
    return variable.section == row.section && (row.name == "*" || row.name == variable.name) &&
           (row.subsections || variable.subsection.empty());
  };
  return NamesProgram(variable) || !std::any_of(std::begin(kHarmless), std::end(kHarmless), harmless);
}

std::optional<std::vector<GitVariable>> ReadPlainGitConfig(std::string_view text) {
  std::vector<GitVariable> variables;
  GitVariable variable;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = Trim(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty() || line.starts_with('#') || line.starts_with(';')) continue;
    if (line.find_first_of(std::string_view("\\\r\0", 3)) != std::string_view::npos) return std::nullopt;
    if (line.starts_with('[')) {
      if (!ReadPlainSection(line, variable)) return std::nullopt;
      continue;
    }
    if (line.find_first_of("\"#;") != std::string_view::npos || variable.section.empty()) return std::nullopt;
    const std::size_t equals = line.find('=');
    variable.name = Folded(Trim(line.substr(0, equals)));
    variable.value = equals == std::string_view::npos ? "true" : std::string(Trim(line.substr(equals + 1)));
    variables.push_back(variable);
  }
  return variables;
}

bool IsHarmlessGitConfig(std::string_view text) {
  const std::optional<std::vector<GitVariable>> variables = ReadPlainGitConfig(text);
  return variables && std::none_of(variables->begin(), variables->end(),
                                   [](const GitVariable& variable) { return MayExecute(variable); });
}

std::vector<ProgramWord> ProgramWords(std::string_view command) { return CommandLine(command).Words(); }

}  // namespace mxc
