#include "policy/git_config.h"

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
  explicit Reader(std::string_view text) : rest_(text) {}

  GitConfig Read() {
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
    return std::move(config_);
  }

 private:
  void SkipLine() {
    const std::size_t end = rest_.find('\n');
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end);
  }

  // `[core]`, `[includeIf "gitdir:~/work/"]`; a variable may follow on the same line.
  void ReadSection() {
    const std::size_t name_end = rest_.find_first_of(" \t\"]\n");
    section_ = Folded(rest_.substr(1, name_end == std::string_view::npos ? name_end : name_end - 1));
    bool quoted = false;
    std::size_t i = 1;
    for (; i < rest_.size() && rest_[i] != '\n' && (quoted || rest_[i] != ']'); ++i) {
      if (rest_[i] == '\\')
        ++i;
      else if (rest_[i] == '"')
        quoted = !quoted;
    }
    rest_.remove_prefix(i < rest_.size() ? i + 1 : rest_.size());
  }

  void ReadVariable() {
    const std::size_t name_end = rest_.find_first_of("=\n");
    const std::string name = Folded(Trim(rest_.substr(0, name_end)));
    const bool has_value = name_end != std::string_view::npos && rest_[name_end] == '=';
    rest_.remove_prefix(name_end == std::string_view::npos ? rest_.size() : name_end + (has_value ? 1 : 0));
    Take(name, has_value ? ReadValue() : "true");
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
        rest_.remove_prefix(1);
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

  void Take(const std::string& name, std::string value) {
    if (section_ == "core" && name == "hookspath")
      config_.hooks_path = std::move(value);
    else if (section_ == "core" && name == "fsmonitor")
      config_.fsmonitor = std::move(value);
    else if (section_ == "core" && name == "worktree")
      config_.work_tree = std::move(value);
    else if ((section_ == "include" || section_ == "includeif") && name == "path")
      config_.includes.push_back(std::move(value));
  }

  std::string_view rest_;
  std::string section_ = {};
  GitConfig config_ = {};
};

}  // namespace

GitConfig ReadGitConfig(std::string_view text) { return Reader(text).Read(); }

}  // namespace mxc
