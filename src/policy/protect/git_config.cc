#include "policy/protect/git_config.h"

#include <utility>

#include "mxc/fold.h"

namespace mxc {
namespace {

std::string_view Trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {
    if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);  // git passes over it, too
  }

  std::vector<GitVariable> Read() {
    while (!rest_.empty()) {
      const char c = rest_.front();
      if (c == '[') {
        ReadSection();
      } else if (c == '#' || c == ';') {
        SkipLine();
      } else if (c == '\n' || c == ' ' || c == '\t' || c == '\r') {
        rest_.remove_prefix(1);
      } else {
        ReadVariable();
      }
    }
    return std::move(variables_);
  }

 private:
  void SkipLine() {
    const std::size_t end = rest_.find('\n');
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end);
  }

  // `[core]`, `[includeIf "gitdir:~/work/"]`, `[remote.origin]`; a variable may follow on the same line.
  void ReadSection() {
    std::string name;
    subsection_.clear();
    bool quoted = false;
    std::size_t i = 1;
    for (; i < rest_.size() && rest_[i] != '\n' && (quoted || rest_[i] != ']'); ++i) {
      const bool escaped = quoted && rest_[i] == '\\' && i + 1 < rest_.size();
      if (!escaped && rest_[i] == '"') {
        quoted = !quoted;
        continue;
      }
      if (escaped) ++i;
      if (quoted)
        subsection_ += rest_[i];
      else if (rest_[i] != ' ' && rest_[i] != '\t')
        name += rest_[i];
    }
    rest_.remove_prefix(i < rest_.size() ? i + 1 : rest_.size());
    const std::size_t dot = name.find('.');
    if (dot != std::string::npos) subsection_ = Folded(std::string_view(name).substr(dot + 1));
    section_ = Folded(std::string_view(name).substr(0, dot));
  }

  void ReadVariable() {
    const std::size_t name_end = rest_.find_first_of("=\n");
    const std::string name = Folded(Trim(rest_.substr(0, name_end)));
    const bool has_value = name_end != std::string_view::npos && rest_[name_end] == '=';
    rest_.remove_prefix(name_end == std::string_view::npos ? rest_.size() : name_end + (has_value ? 1 : 0));
    std::string value = has_value ? ReadValue() : "true";
    variables_.push_back(
        {.section = section_, .subsection = subsection_, .name = name, .value = std::move(value)});
  }

  // Up to the end of the line: quotes, escapes, a backslash that continues the line, comments.
  std::string ReadValue() {
    std::string value;
    bool quoted = false;
    std::size_t kept = 0;  // up to here spaces are part of the value
    for (; !rest_.empty() && rest_.front() != '\n'; rest_.remove_prefix(1)) {
      const char c = rest_.front();
      if (c == '"') {
        quoted = !quoted;
        kept = value.size();
      } else if (c == '\\' && rest_.size() > 1) {
        rest_.remove_prefix(rest_.substr(1).starts_with("\r\n") ? 2 : 1);
        if (rest_.front() != '\n') value += Escaped(rest_.front());
        kept = value.size();
      } else if (!quoted && (c == '#' || c == ';')) {
        SkipLine();
        break;
      } else if (quoted || !value.empty() || (c != ' ' && c != '\t')) {
        value += c;
        if (quoted || (c != ' ' && c != '\t' && c != '\r')) kept = value.size();
      }
    }
    value.resize(kept);
    return value;
  }

  static char Escaped(char c) {
    if (c == 'n') return '\n';
    return c == 't' ? '\t' : c;
  }

  std::string_view rest_;
  std::string section_ = {};
  std::string subsection_ = {};
  std::vector<GitVariable> variables_ = {};
};

}  // namespace

std::vector<GitVariable> ReadGitConfig(std::string_view text) { return Reader(text).Read(); }

}  // namespace mxc
