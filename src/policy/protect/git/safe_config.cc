#include "policy/protect/git/safe_config.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/lists.h"
#include "base/quoted.h"
#include "mxc/fold.h"
#include "mxc/limits.h"
#include "policy/protect/git/config.h"

namespace mxc {
namespace {

bool HasControl(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; });
}

std::string_view Stripped(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// A statement of a configuration: a line, with its continuation lines.
struct Statement {
  std::string context = {};                  // its section, as git reads it
  std::string text = {};                     // byte for byte
  std::optional<GitVariable> variable = {};  // set if every reader parses it alike
};

// Lines that readers may parse differently are statements without a variable.
class Statements {
 public:
  explicit Statements(std::string_view text) : rest_(text) {}

  // Absent if the lines cannot be separated with certainty.
  std::optional<std::vector<Statement>> Read() {
    if (rest_.find('\0') != std::string_view::npos) return std::nullopt;
    while (!rest_.empty()) {
      if (!ReadOne()) return std::nullopt;
    }
    return std::move(found_);
  }

 private:
  bool ReadOne() {
    const std::string_view begin = rest_;
    std::string_view line = TakePiece(rest_, '\n');
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::string_view text = Stripped(line);
    if (text.empty() || text.starts_with('#') || text.starts_with(';')) return true;
    if (text.starts_with('[')) {
      ReadSection(text, line);
      return true;
    }
    std::string_view last = line;
    const bool joined = IsJoined(line);
    while (IsJoined(last) && !rest_.empty()) {
      // A backslash in a comment joins nothing, and only a parser of quotes could recognise a comment.
      if (last.find_first_of("#;") != std::string_view::npos) return false;
      last = TakePiece(rest_, '\n');
      if (last.ends_with('\r')) last.remove_suffix(1);
    }
    std::string_view whole = begin.substr(0, begin.size() - rest_.size());
    if (whole.ends_with('\n')) whole.remove_suffix(1);
    Statement statement{.context = context_, .text = std::string(whole)};
    if (plain_section_ && !joined) statement.variable = ReadVariable(text);
    found_.push_back(std::move(statement));
    return true;
  }

  // Whether the line ends with a backslash that is not escaped.
  static bool IsJoined(std::string_view line) {
    const std::size_t last = line.find_last_not_of('\\');
    return (line.size() - (last == std::string_view::npos ? 0 : last + 1)) % 2 != 0;
  }

  // `[core]` or `[remote "origin"]`; any other is a statement itself.
  void ReadSection(std::string_view text, std::string_view line) {
    plain_section_ = false;
    context_ = line;
    std::string_view name = text.substr(1);
    std::string_view subsection;
    const std::size_t quote = name.find('"');
    bool plain = name.ends_with(quote == std::string_view::npos ? "]" : "\"]") && !HasControl(text) &&
                 text.find('\\') == std::string_view::npos;
    if (plain && quote != std::string_view::npos) {
      subsection = name.substr(quote + 1);
      plain = subsection.size() > 2;
      if (plain) subsection.remove_suffix(2);
      plain = plain && subsection.find('"') == std::string_view::npos && name.substr(0, quote).ends_with(' ');
      name = name.substr(0, quote);
      name = plain ? name.substr(0, name.size() - 1) : name;
    } else if (plain) {
      name.remove_suffix(1);
    }
    if (!plain || name.empty() || !HasOnlyLettersDigitsAnd("", name)) {
      found_.push_back({.text = std::string(line)});
      return;
    }
    plain_section_ = true;
    section_ = Folded(name);
    subsection_ = subsection;
    context_ = section_ + '\n' + subsection_;
  }

  [[nodiscard]] std::optional<GitVariable> ReadVariable(std::string_view text) const {
    const std::size_t equals = text.find('=');
    const std::string_view name = Stripped(text.substr(0, equals));
    if (name.empty() || !IsLetter(name.front()) || !HasOnlyLettersDigitsAnd("-", name)) return std::nullopt;
    std::optional<std::string> value = "true";
    if (equals != std::string_view::npos) value = ReadSafeValue(Stripped(text.substr(equals + 1)));
    if (!value || HasControl(*value)) return std::nullopt;
    return GitVariable{
        .section = section_, .subsection = subsection_, .name = Folded(name), .value = std::move(*value)};
  }

  // Unquoted, or quoted as a whole with \" and \\ in it: so git writes values with blanks, # or ;.
  static std::optional<std::string> ReadSafeValue(std::string_view text) {
    if (!text.starts_with('"')) {
      if (text.find_first_of("\"\\#;") != std::string_view::npos) return std::nullopt;
      return std::string(text);
    }
    std::string value;
    for (std::size_t i = 1; i < text.size(); ++i) {
      if (text[i] == '"') return i + 1 == text.size() ? std::optional(std::move(value)) : std::nullopt;
      if (text[i] == '\\' && (++i == text.size() || (text[i] != '"' && text[i] != '\\'))) return std::nullopt;
      value += text[i];
    }
    return std::nullopt;
  }

  std::string_view rest_;
  std::string context_ = {};
  bool plain_section_ = false;
  std::string section_ = {};
  std::string subsection_ = {};
  std::vector<Statement> found_ = {};
};

// https://host/x, host:x. Another scheme is a program git-remote-SCHEME, and a push to a local repository
// runs its hooks, which a command of an earlier run could have written.
bool IsSafeUrl(const std::string& url) {
  constexpr std::string_view kSchemes[] = {"https", "http", "ssh", "git"};
  if (url.find("::") != std::string::npos || url.find('%') != std::string::npos) return false;
  const std::size_t colon = url.find(':');
  if (colon == std::string::npos || colon == 0) return false;
  const std::string_view before = std::string_view(url).substr(0, colon);
  std::string_view behind = std::string_view(url).substr(colon + 1);
  if (!behind.starts_with("//"))
    return HasOnlyLettersDigitsAnd("@._-", before) && !before.starts_with('-') &&
           before.find("@-") == std::string_view::npos && !behind.empty() && !behind.starts_with('-');
  behind.remove_prefix(2);
  const std::string_view host = behind.substr(0, behind.find('/'));
  return std::find(std::begin(kSchemes), std::end(kSchemes), before) != std::end(kSchemes) && !host.empty() &&
         !host.starts_with('-') && host.find("@-") == std::string_view::npos;
}

// git takes the name of a remote without a URL for a URL. `name` is plain.
bool IsNoPath(std::string_view name) {
  return !name.empty() && name.front() != '.' && name.find('/') == std::string_view::npos;
}

class SafeJudge {
 public:
  explicit SafeJudge(std::string_view text) {
    for (const GitVariable& variable : ReadGitConfig(text)) {
      if (variable.Is("remote", "url")) remotes_.insert(variable.subsection);
      if (UseOf(variable) == GitKeyUse::kSafeFalse && variable.value != "false") never_ = false;
    }
  }

  [[nodiscard]] bool IsSafe(const GitVariable& variable) const {
    const std::string& value = variable.value;
    if (!IsSafeSubsection(variable)) return false;
    switch (UseOf(variable)) {
      case GitKeyUse::kExecutes:
      case GitKeyUse::kDoubtful:
      case GitKeyUse::kHarmless:
        return false;
      case GitKeyUse::kSafe:
        return true;
      case GitKeyUse::kSafeUrl:
        return IsSafeUrl(value);
      case GitKeyUse::kSafeRemote:
        return value == "." || (IsNoPath(value) && remotes_.contains(value));
      case GitKeyUse::kSafeFalse:
        return never_ && value == "false";
      case GitKeyUse::kSafeTags:
        return value == "--tags" || value == "--no-tags";
    }
    return false;
  }

 private:
  [[nodiscard]] bool IsSafeSubsection(const GitVariable& variable) const {
    const std::string& name = variable.subsection;
    if (!NamesArePlain(variable)) return false;
    if (name.empty()) return true;
    // git passes such a value on as an argument.
    if (variable.value.starts_with('-') && variable.name != "tagopt") return false;
    return variable.section != "remote" || (IsNoPath(name) && remotes_.contains(name));
  }

  std::set<std::string> remotes_ = {};
  bool never_ = true;  // anything but `false` of kSafeFalse
};

// The statements that a command may not write, in order; absent if they cannot be determined.
std::optional<std::vector<Statement>> Unsafe(std::string_view text) {
  std::optional<std::vector<Statement>> statements = Statements(text).Read();
  if (!statements) return std::nullopt;
  const SafeJudge judge(text);
  std::erase_if(*statements,
                [&](const Statement& each) { return each.variable && judge.IsSafe(*each.variable); });
  return statements;
}

std::string KeyIn(const Statement& statement) {
  if (!statement.variable)
    return Quoted(Stripped(statement.text.substr(0, statement.text.find_first_of("\r\n"))));
  const GitVariable& variable = *statement.variable;
  return variable.section + "." + (variable.subsection.empty() ? "" : Escaped(variable.subsection) + ".") +
         variable.name;
}

}  // namespace

std::optional<std::vector<GitVariable>> ReadPlainGitConfig(std::string_view text) {
  std::optional<std::vector<Statement>> statements = Statements(text).Read();
  if (!statements || text.find('\r') != std::string_view::npos) return std::nullopt;
  std::vector<GitVariable> variables;
  for (Statement& each : *statements) {
    if (!each.variable || each.text.find('"') != std::string::npos) return std::nullopt;
    variables.push_back(std::move(*each.variable));
  }
  return variables;
}

std::string UnsafeChange(std::string_view before, std::string_view after) {
  if (before == after) return "";
  if (after.size() > kMaxGitConfigBytes) return "it is too long";
  const std::optional<std::vector<Statement>> had = Unsafe(before);
  const std::optional<std::vector<Statement>> has = Unsafe(after);
  if (!had || !has) return "its lines can be read in two ways";
  const auto same = [](const Statement& left, const Statement& right) {
    return left.context == right.context && left.text == right.text;
  };
  const auto [old, now] = std::mismatch(had->begin(), had->end(), has->begin(), has->end(), same);
  if (now != has->end()) return KeyIn(*now);
  return old == had->end() ? "" : KeyIn(*old) + " is gone";
}

bool IsAllSafe(std::string_view text) {
  const std::optional<std::vector<Statement>> unsafe = Unsafe(text);
  return unsafe && unsafe->empty();
}

std::vector<GitChange> ReviewGitConfigs(const GitSnapshot& before, const Host& host) {
  std::vector<GitChange> changes;
  for (const GitSnapshot::Text& config : before.configs) {
    const Lookup lookup = host.LookAt(config.path);
    std::string why = "it is no file of its own";
    if (lookup.Is(FileType::kRegular)) {
      // Read first: this replaces a file with a second name by a copy, which has none.
      const Result<std::string> text = host.ReadFile(config.path, kMaxGitConfigBytes + 1);
      why = text ? UnsafeChange(config.text, *text) : text.error().message;
    }
    if (why.empty()) continue;
    changes.push_back({.kind = GitChange::Kind::kConfig,
                       .path = config.path,
                       .part = lookup.status ? config.path : "",
                       .text = config.text,
                       .why = std::move(why)});
  }
  return changes;
}

}  // namespace mxc
