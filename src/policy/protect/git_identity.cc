#include "policy/protect/git_identity.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "mxc/limits.h"
#include "policy/paths/homes.h"
#include "policy/protect/git/config.h"
#include "policy/protect/git/places.h"
#include "policy/protect/protect.h"

namespace mxc {
namespace {

struct IdentityKey {
  std::string_view section;
  std::string_view name;     // folded
  std::string_view written;  // its usual spelling
};
constexpr IdentityKey kIdentityKeys[] = {
    {"user", "name", "name"}, {"user", "email", "email"}, {"init", "defaultbranch", "defaultBranch"}};

// The filters of git-lfs as it installs them, which turn pointers into files. No other filter is passed in:
// it may name any program.
struct LfsKey {
  std::string_view name;
  std::string_view value;
};
constexpr LfsKey kLfsKeys[] = {{"clean", "git-lfs clean -- %f"},
                               {"smudge", "git-lfs smudge -- %f"},
                               {"smudge", "git-lfs smudge --skip -- %f"},
                               {"process", "git-lfs filter-process"},
                               {"process", "git-lfs filter-process --skip"},
                               {"required", "true"}};

constexpr std::string_view kSafeDirectories = "[safe]\n\tdirectory = *\n";

// As git writes it: "a \"b\"".
std::string InQuotes(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (c == '\n') {
      quoted += "\\n";
    } else if (c == '\t') {
      quoted += "\\t";
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

constexpr std::string_view kIgnore = ".gitignore_held";

// `path` as a pattern that matches only itself (gitignore(5)).
std::string PatternOf(std::string_view path) {
  std::string pattern;
  for (const char c : path) {
    if (std::string_view("\\*?[]! #").find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

// Patterns for masks and stand-ins in work trees, which git would see as new files that it cannot add.
std::string Ignored(const RuleSet& rules, PathWalker& walker) {
  std::string patterns;
  for (const PathRule& rule : rules.All()) {
    const bool held = rule.access == Access::kDenied || rule.placeholder_kind;
    if (!held || rule.origin == Origin::kBaseline || rule.path.find('\n') != std::string::npos) continue;
    for (std::string above = rule.path; above != "/";) {
      above = ParentOf(above);
      if (!rules.Visible(above) || IsNamedGit(above)) break;
      if (!walker.LookAt(JoinPath(above, ".git")).status) continue;
      const std::string_view rest = std::string_view(rule.path).substr(above == "/" ? 0 : above.size());
      if (rest != "/.git") patterns += PatternOf(rest) + "\n";
      break;
    }
  }
  return patterns;
}

class IdentityReader {
 public:
  IdentityReader(const Host& host, PathWalker& walker, const RuleSet& rules, const MayHandIn& may_hand_in)
      : host_(host),
        walker_(walker),
        rules_(rules),
        may_hand_in_(may_hand_in),
        home_(CanonicalHome(host, walker)) {}

  std::vector<HomeFile> Read() {
    std::string text;
    for (const ConfigFile& file : Files()) text += TextOf(file, 0);
    // Ours come last, so that no pattern reverts them.
    if (std::string ignored = CallersIgnored() + Ignored(rules_, walker_); !ignored.empty()) {
      text += "[core]\n\texcludesFile = ~/" + std::string(kIgnore) + "\n";
      files_.push_back({.name = std::string(kIgnore), .text = std::move(ignored)});
    }
    files_.push_back({.name = ".gitconfig", .text = text + std::string(kSafeDirectories)});
    return std::move(files_);
  }

 private:
  struct ConfigFile {
    std::string path = {};
    bool of_git = false;  // git reads it by itself
  };
  [[nodiscard]] std::vector<ConfigFile> Files() const;
  // The keys of `file`, as text of a configuration.
  [[nodiscard]] std::string TextOf(const ConfigFile& file, int depth);
  [[nodiscard]] std::string TextOf(const GitVariable& variable, const std::string& base, int depth);
  [[nodiscard]] std::string Expanded(std::string_view written, const std::string& base) const;
  [[nodiscard]] std::string Condition(std::string_view written, const std::string& base) const;
  [[nodiscard]] bool IsLfs(const GitVariable& variable) const;
  [[nodiscard]] bool MayBeChangedInside(const Walked& walked) const;
  void TakeExcludes(const GitVariable& variable, const std::string& file);
  // The path in ~/.config, or in XDG_CONFIG_HOME; "": there is neither.
  [[nodiscard]] std::string InConfigHome(std::string_view name) const;
  [[nodiscard]] std::string CallersIgnored();

  const Host& host_;
  PathWalker& walker_;
  const RuleSet& rules_;
  const MayHandIn& may_hand_in_;
  std::string home_;
  std::optional<std::string> excludes_ = {};  // core.excludesFile
  std::size_t read_ = 0;
  std::vector<HomeFile> files_ = {};
};

// In the order in which git reads them.
std::vector<IdentityReader::ConfigFile> IdentityReader::Files() const {
  std::vector<ConfigFile> files;
  if (!host_.Environment("GIT_CONFIG_NOSYSTEM")) {
    const std::optional<std::string> system = host_.Environment("GIT_CONFIG_SYSTEM");
    files.push_back({.path = system.value_or("/etc/gitconfig"), .of_git = !system});
  }
  if (std::optional<std::string> global = host_.Environment("GIT_CONFIG_GLOBAL")) {
    files.push_back({.path = std::move(*global)});
    return files;
  }
  if (std::string file = InConfigHome("git/config"); !file.empty())
    files.push_back({.path = std::move(file), .of_git = true});
  if (!home_.empty()) files.push_back({.path = JoinPath(home_, ".gitconfig"), .of_git = true});
  return files;
}

std::string IdentityReader::Expanded(std::string_view written, const std::string& base) const {
  if (written.starts_with('/')) return std::string(written);
  if (written.starts_with("~/")) return home_.empty() ? "" : JoinPath(home_, written.substr(2));
  return written.empty() || written.starts_with('~') ? "" : JoinPath(base, written);
}

bool IdentityReader::IsLfs(const GitVariable& variable) const {
  if (variable.subsection != "lfs") return false;
  const bool installed = std::any_of(std::begin(kLfsKeys), std::end(kLfsKeys), [&](const LfsKey& key) {
    return variable.Is("filter", key.name) && variable.value == key.value;
  });
  const auto there = [&](const char* path) { return walker_.LookAt(path).status && rules_.Visible(path); };
  return installed && (there("/usr/bin/git-lfs") || there("/usr/local/bin/git-lfs"));
}

// Whether the command can change it, and so choose what it receives.
bool IdentityReader::MayBeChangedInside(const Walked& walked) const {
  const auto writable = [this](const std::string& path) {
    const PathRule* const rule = rules_.Covering(path);
    return rule != nullptr && rule->access == Access::kReadWrite;
  };
  return writable(walked.path) || LeadsThrough(walked, writable);
}

void IdentityReader::TakeExcludes(const GitVariable& variable, const std::string& file) {
  if (!variable.Is("core", "excludesfile") || !variable.subsection.empty()) return;
  const Result<Walked> walked = walker_.Walk(file);
  const bool whole = variable.value.starts_with('/') || variable.value.starts_with("~/");
  excludes_ = whole && walked && !MayBeChangedInside(*walked) ? Expanded(variable.value, "") : "";
}

std::string IdentityReader::InConfigHome(std::string_view name) const {
  const std::optional<std::string> set = host_.Environment("XDG_CONFIG_HOME");
  if (set && set->starts_with('/')) return JoinPath(*set, name);
  return home_.empty() ? "" : JoinPath(JoinPath(home_, ".config"), name);
}

// The patterns of core.excludesFile, which the caller ignores in every repository. The key may name any file,
// so only a file whose name is that of such a list is read, and only if no command can have chosen it.
std::string IdentityReader::CallersIgnored() {
  constexpr std::size_t kMostBytes = 65536;
  const std::string path = excludes_.value_or(InConfigHome("git/ignore"));
  if (!path.starts_with('/')) return "";
  const Result<Walked> walked = walker_.Walk(path);
  if (!walked || !walked->Is(FileType::kRegular) || MayBeChangedInside(*walked)) return "";
  if (!may_hand_in_(*walked, !excludes_)) return "";
  const std::string_view name = NameOf(walked->path);
  const bool named =
      name.find("ignore") != std::string_view::npos || name.find("exclude") != std::string_view::npos;
  const bool trusted = walked->status->uid == host_.Caller().uid || walked->status->uid == 0;
  const PathRule* const rule = rules_.Covering(walked->path);
  if (!named || !trusted || (rule != nullptr && rule->access == Access::kDenied)) return "";
  Result<std::string> text = host_.ReadFile(walked->path, kMostBytes + 1);
  if (!text || text->size() > kMostBytes || text->find('\0') != std::string::npos) return "";
  if (!text->empty() && !text->ends_with('\n')) *text += '\n';
  return std::move(*text);
}

// Expands "gitdir:~/work/" with the caller's home, and "gitdir:./" with the file's directory.
std::string IdentityReader::Condition(std::string_view written, const std::string& base) const {
  for (const std::string_view kind : {"gitdir:", "gitdir/i:"}) {
    if (!written.starts_with(kind)) continue;
    const std::string_view pattern = written.substr(kind.size());
    if (pattern.starts_with("~/") && !home_.empty())
      return std::string(kind) + home_ + std::string(pattern.substr(1));
    if (pattern.starts_with("./")) return std::string(kind) + base + std::string(pattern.substr(1));
  }
  return std::string(written);
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as kDeepest
std::string IdentityReader::TextOf(const GitVariable& variable, const std::string& base, int depth) {
  const auto* const key =
      std::find_if(std::begin(kIdentityKeys), std::end(kIdentityKeys), [&](const IdentityKey& each) {
        return variable.Is(each.section, each.name) && variable.subsection.empty();
      });
  if (key != std::end(kIdentityKeys) && variable.value.find('\0') == std::string::npos)
    return "[" + std::string(key->section) + "]\n\t" + std::string(key->written) + " = " +
           InQuotes(variable.value) + "\n";
  if (IsLfs(variable))
    return "[filter \"lfs\"]\n\t" + variable.name + " = " + InQuotes(variable.value) + "\n";
  const bool conditional = variable.Is("includeif", "path");
  if (!conditional && !variable.Is("include", "path")) return "";
  std::string text = TextOf(ConfigFile{.path = Expanded(variable.value, base)}, depth + 1);
  if (!conditional || text.empty() ||
      variable.subsection.find_first_of(std::string_view("\n\0", 2)) != std::string::npos)
    return conditional ? "" : text;
  const std::string name = ".gitconfig-" + std::to_string(files_.size() + 1);
  files_.push_back({.name = name, .text = std::move(text)});
  return "[includeIf " + InQuotes(Condition(variable.subsection, base)) + "]\n\tpath = " + name + "\n";
}

// NOLINTNEXTLINE(misc-no-recursion): the same
std::string IdentityReader::TextOf(const ConfigFile& from, int depth) {
  constexpr int kDeepest = 10;  // git's own bound
  const std::string& file = from.path;
  if (!file.starts_with('/') || depth > kDeepest || ++read_ > kMaxGitConfigFiles) return "";
  const Result<Walked> walked = walker_.Walk(file);
  if (!walked || !may_hand_in_(*walked, from.of_git)) return "";
  const Result<std::optional<std::string>> text = ReadGitFile(file, host_, walker_);
  if (!text || !*text) return "";
  const std::string base{ParentOf(file)};
  std::string found;
  for (const GitVariable& variable : ReadGitConfig(**text)) {
    if (depth == 0) TakeExcludes(variable, file);
    found += TextOf(variable, base, depth);
  }
  return found;
}

}  // namespace

std::vector<HomeFile> GitIdentity(const Host& host, PathWalker& walker, const RuleSet& rules,
                                  const MayHandIn& may_hand_in) {
  return IdentityReader(host, walker, rules, may_hand_in).Read();
}

}  // namespace mxc
