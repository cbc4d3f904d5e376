#include "policy/protect/git/instructions.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/lists.h"
#include "mxc/limits.h"
#include "policy/paths/paths.h"
#include "policy/protect/git/config.h"
#include "policy/protect/git/lists.h"
#include "policy/protect/git/places.h"

namespace mxc {
namespace {

// Messages, patches and finished steps, which are never executed.
constexpr std::string_view kTexts =
    "current-fixups|done|dropped|final-commit|git-rebase-todo.backup|gpg_sign_opt|info|message|"
    "message-fixup|message-squash|msg|msg-clean|patch|patch-merge-index";

// Hashes, and options that are on if the file exists. git does not execute them, but shell prompts show some.
constexpr std::string_view kWords =
    "abort-safety|allow_rerere_autoupdate|amend|applying|autostash|cdate_is_adate|"
    "drop_redundant_commits|head|ignore_date|interactive|keep|keep_redundant_commits|messageid|"
    "no-reschedule-failed-exec|no-verify|onto|orig-head|original-commit|quiet|quoted-cr|rebasing|"
    "rerere-autoupdate|reschedule-failed-exec|rewritten|rewritten-list|rewritten-pending|scissors|sign|"
    "signoff|squash-onto|stopped-sha|threeway|utf8|verbose";

// Harmless commands of a to-do list; `exec` is not among them.
constexpr std::string_view kCommands =
    "pick|p|revert|edit|e|reword|r|fixup|f|squash|s|break|b|drop|d|label|l|reset|t|merge|m|update-ref|"
    "u|noop";

// Others are programs named git-merge-NAME; with a slash, in the work tree.
constexpr std::string_view kStrategies = "ort|recursive|resolve|octopus|ours|subtree";

constexpr std::string_view kPickOptions =
    "allow-empty|allow-empty-message|allow-ff|allow-rerere-auto|default-msg-cleanup|edit|gpg-sign|"
    "mainline|drop-redundant-commits|keep-redundant-commits|no-commit|record-origin|signoff";

bool HasOnlyDigits(std::string_view text) {
  return text.find_first_not_of("0123456789") == std::string_view::npos;
}

// git writes and deletes what such a file names: refs, if below refs/, else its own files.
bool IsHead(std::string_view text) { return text == "detached HEAD\n" || IsRefName(TakePiece(text, "\n")); }

bool IsRefs(std::string_view text) {
  while (!text.empty()) {
    if (!IsRefName(TakePiece(text, "\n"))) return false;
  }
  return true;
}

// Three lines for each ref: name, old value, new value.
bool IsRefUpdates(std::string_view text) {
  for (int line = 0; !text.empty(); ++line) {
    const std::string_view name = TakePiece(text, "\n");
    if (line % 3 == 0 && !IsRefName(name)) return false;
  }
  return true;
}

// Every command of git begins with a letter.
bool IsHarmlessList(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return false;
  while (!text.empty()) {
    std::string_view line = TakePiece(text, "\n");
    line.remove_prefix(std::min(line.find_first_not_of(" \t\r\v\f"), line.size()));
    const std::string_view word = line.substr(0, line.find_first_of(" \t\r\v\f"));
    if (!word.empty() && HasOnlyLettersDigitsAnd("", word.substr(0, 1)) && !IsOneOf(word, kCommands))
      return false;
    if (word != "update-ref" && word != "u") continue;
    line.remove_prefix(std::min(line.find_first_not_of(" \t\r\v\f", word.size()), line.size()));
    if (!IsRefName(line.substr(0, line.find_first_of(" \t\r\v\f")))) return false;
  }
  return true;
}

bool IsStrategy(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  return IsOneOf(text, kStrategies);
}

bool IsPlain(std::string_view text) { return HasOnlyLettersDigitsAnd(" =_-'\"\n", text); }

// 'text', also in pieces: 'it'\''s'. The shell scripts of git once read such files.
bool TakeQuoted(std::string_view& text) {
  bool any = false;
  while (text.starts_with('\'') || text.starts_with("\\'") || text.starts_with("\\!")) {
    const std::size_t end = text.starts_with('\'') ? text.find('\'', 1) : 1;
    if (end == std::string_view::npos) return false;
    text.remove_prefix(end + 1);
    any = true;
  }
  return any;
}

bool IsQuotedWords(std::string_view text) {
  while (!text.empty()) {
    const bool space = text.starts_with(' ') || text.starts_with('\n');
    if (space) text.remove_prefix(1);
    if (!space && !TakeQuoted(text)) return false;
  }
  return true;
}

bool IsAuthor(std::string_view text) {
  constexpr std::string_view kNames[] = {"GIT_AUTHOR_NAME=", "GIT_AUTHOR_EMAIL=", "GIT_AUTHOR_DATE="};
  while (!text.empty()) {
    const auto* const name = std::find_if(std::begin(kNames), std::end(kNames),
                                          [text](std::string_view each) { return text.starts_with(each); });
    if (name == std::end(kNames)) return false;
    text.remove_prefix(name->size());
    if (!TakeQuoted(text) || !(text.empty() || text.starts_with('\n'))) return false;
    if (!text.empty()) text.remove_prefix(1);
  }
  return true;
}

bool IsPickOptions(std::string_view text) {
  const std::optional<std::vector<GitVariable>> variables = ReadPlainGitConfig(text);
  return variables && std::all_of(variables->begin(), variables->end(), [](const GitVariable& variable) {
           if (variable.section != "options" || !variable.subsection.empty()) return false;
           if (variable.name == "strategy") return IsStrategy(variable.value);
           if (variable.name == "strategy-option") return IsPlain(variable.value);
           return IsOneOf(variable.name, kPickOptions);
         });
}

// The progress of an operation: git's prompt puts it into a string that the shell expands.
bool IsNumber(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  return HasOnlyDigits(text);
}

bool IsWords(std::string_view text) { return HasOnlyLettersDigitsAnd(" _-\n", text); }

bool IsBlank(std::string_view text) { return text.find_first_not_of(" \n") == std::string_view::npos; }

struct Row {
  std::string_view name;
  bool (*harmless)(std::string_view text);
};

constexpr std::array<Row, 15> kJudged = {{{"git-rebase-todo", IsHarmlessList},
                                          {"end", IsNumber},
                                          {"last", IsNumber},
                                          {"msgnum", IsNumber},
                                          {"next", IsNumber},
                                          {"head-name", IsHead},
                                          {"refs-to-delete", IsRefs},
                                          {"update-refs", IsRefUpdates},
                                          {"todo", IsHarmlessList},
                                          {"strategy", IsStrategy},
                                          {"strategy_opts", IsPlain},
                                          {"opts", IsPickOptions},
                                          {"author-script", IsAuthor},
                                          {"apply-opt", IsBlank},
                                          {"BISECT_NAMES", IsQuotedWords}}};

// A file of a patch series: 0001.
bool IsPatch(std::string_view name) { return !name.empty() && HasOnlyDigits(name); }

bool IsHarmlessWhatever(std::string_view name) { return IsOneOf(name, kTexts) || IsPatch(name); }

// Missing for git as well, which has only the caller's rights.
bool IsMissing(const Lookup& lookup) { return !lookup.status && lookup.failure != LookupFailure::kOther; }

class Finder {
 public:
  explicit Finder(const Host& host) : host_(host) {}

  void LookForOperation(const std::string& whole) {
    const Lookup lookup = host_.LookAt(whole);
    if (IsMissing(lookup)) return;
    GitInstruction found{.whole = whole, .path = whole, .stamp = StampOf(lookup)};
    const std::optional<std::vector<DirectoryEntry>> entries = List(whole, lookup);
    if (!entries) return Judge(std::move(found));
    for (const DirectoryEntry& entry : *entries) {
      found.path = JoinPath(whole, entry.name);
      Judge(found);
    }
  }

  void LookForRemotes(const std::string& directory) {
    const Lookup lookup = host_.LookAt(directory);
    if (IsMissing(lookup)) return;
    const std::optional<std::vector<DirectoryEntry>> entries = List(directory, lookup);
    if (!entries) found_.push_back({.whole = directory, .path = directory});
    if (!entries) return;
    for (const DirectoryEntry& entry : *entries) {
      const std::string remote = JoinPath(directory, entry.name);
      found_.push_back(
          {.whole = remote, .path = remote, .stamp = StampOf(host_.LookAt(remote)), .text = Read(remote)});
    }
  }

  std::vector<GitInstruction> Take() { return std::move(found_); }

 private:
  // Absent if it is no directory, or cannot be listed.
  [[nodiscard]] std::optional<std::vector<DirectoryEntry>> List(const std::string& path,
                                                                const Lookup& lookup) const {
    if (!lookup.Is(FileType::kDirectory)) return std::nullopt;
    Result<std::vector<DirectoryEntry>> entries = host_.ListEntries(path, {});
    return entries ? std::optional(std::move(*entries)) : std::nullopt;
  }
  // git follows a link, and a file with a second name can be written by that name.
  [[nodiscard]] bool IsPlain(const std::string& path) const {
    const Lookup lookup = host_.LookAt(path);
    return lookup.Is(FileType::kRegular) && lookup.status->links == 1;
  }
  [[nodiscard]] std::optional<std::string> Read(const std::string& path) const {
    if (!IsPlain(path)) return std::nullopt;
    Result<std::string> text = host_.ReadFile(path, kMaxGitConfigBytes + 1);
    return text && text->size() <= kMaxGitConfigBytes ? std::optional(std::move(*text)) : std::nullopt;
  }
  void Judge(GitInstruction found) {
    const std::string_view name = NameOf(found.path);
    if (IsHarmlessWhatever(name) && IsPlain(found.path)) return;
    found.text = Read(found.path);
    if (!found.text || MayExecute(name, *found.text)) found_.push_back(std::move(found));
  }

  const Host& host_;
  std::vector<GitInstruction> found_ = {};
};

}  // namespace

bool MayExecute(std::string_view name, std::string_view text) {
  const auto* const row =
      std::find_if(kJudged.begin(), kJudged.end(), [name](const Row& each) { return each.name == name; });
  if (row != kJudged.end()) return !row->harmless(text);
  return IsOneOf(name, kWords) ? !IsWords(text) : !IsHarmlessWhatever(name);
}

std::vector<GitInstruction> FindInstructions(const std::string& git_directory, const Host& host) {
  Finder finder(host);
  for (std::string_view rest = kGitOperations; !rest.empty();)
    finder.LookForOperation(JoinPath(git_directory, TakePiece(rest, '|')));
  for (std::string_view rest = kGitRemotes; !rest.empty();)
    finder.LookForRemotes(JoinPath(git_directory, TakePiece(rest, '|')));
  return finder.Take();
}

}  // namespace mxc
