#include "policy/protect/git/environment.h"

#include <optional>
#include <utility>

#include "base/lists.h"
#include "mxc/fold.h"

namespace mxc {
namespace {

void Add(std::string_view key, std::string value, std::vector<GitVariable>& variables) {
  if (key.find('.') == std::string_view::npos) return;
  GitVariable variable = VariableOf(key, std::move(value));
  variable.section = Folded(variable.section);
  variable.name = Folded(variable.name);
  variables.push_back(std::move(variable));
}

// As git's sq_dequote: 'it'\''s', up to a character outside the quotes.
std::string Unquoted(std::string_view& text) {
  std::string word;
  while (text.starts_with('\'')) {
    const std::size_t end = text.find('\'', 1);
    word += text.substr(1, end == std::string_view::npos ? end : end - 1);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const bool escaped = text.size() > 2 && text[0] == '\\' && (text[1] == '\'' || text[1] == '!');
    if (!escaped) break;
    word += text[1];
    text.remove_prefix(2);
  }
  return word;
}

constexpr const char* kPrograms[] = {
    "GIT_EDITOR",        "GIT_SEQUENCE_EDITOR", "GIT_PAGER",   "GIT_SSH",  "GIT_SSH_COMMAND", "GIT_ASKPASS",
    "GIT_EXTERNAL_DIFF", "GIT_PROXY_COMMAND",   "SSH_ASKPASS", "VISUAL",   "EDITOR",          "PAGER",
    "LESSOPEN",          "LESSCLOSE",           "LESSKEY",     "LESSKEYIN"};

// Variables by which git, or a program that it starts, loads or runs files: lists (ld.so(8)) or single files,
// options of interpreters, commands of editors, and programs.
struct Loaded {
  const char* variable;
  const char* separators;
};
constexpr Loaded kLoaded[] = {{"LD_PRELOAD", " :"},
                              {"LD_AUDIT", ":"},
                              {"DYLD_INSERT_LIBRARIES", ":"},
                              {"BASH_ENV", ""},
                              {"NODE_OPTIONS", ""},
                              {"PERL5OPT", ""},
                              {"RUBYOPT", ""},
                              {"JAVA_TOOL_OPTIONS", ""},
                              {"JDK_JAVA_OPTIONS", ""},
                              {"_JAVA_OPTIONS", ""},
                              {"VIMINIT", ""},
                              {"EXINIT", ""},
                              {"MANPAGER", ""},
                              {"BROWSER", ":"},
                              {"LESSKEY_SYSTEM", ""},
                              {"LESSKEYIN_SYSTEM", ""},
                              {"LESS", ""},
                              {"SHELL", ""},
                              {"SSH_SK_HELPER", ""},
                              {"SSH_SK_PROVIDER", ""},
                              {"SSH_PKCS11_HELPER", ""},
                              {"SVN_SSH", ""}};

// Variables with directories, separated by colons, from which git and the programs that it starts load code:
// modules of its Perl programs, definitions of merge tools, scripts of vim, modules of libcrypto.
constexpr const char* kProgramDirectories[] = {"GITPERLLIB", "MERGE_TOOLS_DIR", "VIM",
                                               "VIMRUNTIME", "OPENSSL_MODULES", "OPENSSL_ENGINES"};

// Held like a template: its contents, or the name of a missing directory.
void AddDirectories(std::string_view list, std::vector<GitVariable>& variables) {
  while (!list.empty()) {
    const std::string_view path = TakePiece(list, ":");
    if (!path.empty())
      variables.push_back({.section = "init", .name = "templatedir", .value = std::string(path)});
  }
}

}  // namespace

std::vector<GitVariable> ReadGitParameters(std::string_view text) {
  std::vector<GitVariable> variables;
  while (!text.empty()) {
    if (!text.starts_with('\'')) {
      text.remove_prefix(1);
      continue;
    }
    const std::string key = Unquoted(text);
    if (text.starts_with('=')) {
      text.remove_prefix(1);
      Add(key, Unquoted(text), variables);
      continue;
    }
    const std::size_t equals = key.find('=');
    Add(std::string_view(key).substr(0, equals),
        equals == std::string::npos ? "true" : key.substr(equals + 1), variables);
  }
  return variables;
}

std::vector<GitVariable> GitEnvironment(const Host& host) {
  std::vector<GitVariable> variables =
      ReadGitParameters(host.Environment("GIT_CONFIG_PARAMETERS").value_or(""));
  for (int i = 0;; ++i) {
    const std::optional<std::string> key = host.Environment("GIT_CONFIG_KEY_" + std::to_string(i));
    std::optional<std::string> value = host.Environment("GIT_CONFIG_VALUE_" + std::to_string(i));
    if (!key || !value) break;
    Add(*key, std::move(*value), variables);
  }
  const auto add = [&](const char* name, std::string_view value) {
    if (!value.empty())
      variables.push_back({.section = "environment", .name = name, .value = std::string(value)});
  };
  for (const char* name : kPrograms) add(name, host.Environment(name).value_or(""));
  for (const Loaded& loaded : kLoaded) {
    const std::string value = host.Environment(loaded.variable).value_or("");
    for (std::string_view rest = value; !rest.empty();)
      add(loaded.variable, TakePiece(rest, loaded.separators));
  }
  if (std::optional<std::string> value = host.Environment("GIT_TEMPLATE_DIR"))
    variables.push_back({.section = "init", .name = "templatedir", .value = std::move(*value)});
  for (const char* name : kProgramDirectories) AddDirectories(host.Environment(name).value_or(""), variables);
  return variables;
}

}  // namespace mxc
