#include "policy/protect/git_programs.h"

#include <algorithm>
#include <set>

#include "base/lists.h"
#include "mxc/limits.h"
#include "policy/paths/entries.h"
#include "policy/paths/homes.h"
#include "policy/protect/git/places.h"

namespace mxc {
namespace {

// Whether `word` belongs to an alias of git's own commands: `-c core.pager=tools/x log`.
bool NamesNoFile(const GitVariable& variable, const ProgramWord& word) {
  return IsGitAlias(variable) && (word.run || !word.script);
}

// Whether it may be a path: no pattern, placeholder or address, and not searched on PATH.
bool MayBePath(const ProgramWord& word) {
  const bool text = word.text.find_first_of("*?%:=") != std::string::npos;
  const bool slash = word.text.find('/') != std::string::npos;
  return !text && (slash || word.script) && !word.text.starts_with('-');
}

}  // namespace

std::string GitPrograms::Expanded(const std::string& base, std::string_view written) const {
  if (written.starts_with(kOptionalPath)) written.remove_prefix(kOptionalPath.size());
  if (written.find('\0') != std::string_view::npos) return "";
  if (written.empty() || (base.empty() && !written.starts_with('/') && !written.starts_with('~'))) return "";
  if (!written.starts_with('~')) return Against(base, written);
  const std::size_t end = std::min(written.find('/'), written.size());
  const std::string_view user = written.substr(1, end - 1);
  const std::string home = user.empty() ? home_ : HomeOf(protector_.TheHost(), user);
  return home.starts_with('/') ? home + std::string(written.substr(end)) : "";
}

std::set<std::string> GitPrograms::PrefixesOfGit() const {
  std::set<std::string> prefixes = {"/usr", "/usr/local"};
  const auto add = [&](std::string_view program) {
    if (NameOf(ParentOf(program)) == "bin") prefixes.emplace(ParentOf(ParentOf(program)));
  };
  const std::string path = protector_.TheHost().Environment("PATH").value_or("");
  for (std::string_view rest = path; !rest.empty();) {
    const std::string_view directory = TakePiece(rest, ':');
    if (!directory.starts_with('/')) continue;
    const std::string program = JoinPath(FoldLexically(directory), "git");
    const Result<Walked> walked = protector_.Walker().Walk(program);
    if (!walked || !walked->status) continue;
    add(program);
    add(walked->path);
  }
  return prefixes;
}

void GitPrograms::ProtectNamed(const std::string& base, std::string_view written, WhenMissing missing) {
  const std::string path = Expanded(base, written);
  if (path.starts_with('/')) protector_.Protect(path, missing);
}

// Protects targets of links in a protected directory, and other names of its files: hooks are often links to
// scripts in the work tree.
// NOLINTNEXTLINE(misc-no-recursion): as deep as `depth`
Status GitPrograms::ProtectContents(const std::string& directory, int depth) {
  if (!directory.starts_with('/')) return Done{};
  const Result<Walked> walked = protector_.Walker().Walk(directory);
  if (!walked || !walked->Is(FileType::kDirectory)) return Done{};
  const Result<std::vector<DirectoryEntry>> entries = protector_.TheHost().ListEntries(walked->path, {});
  if (!entries) {
    return Conflict(
        "git's directory " + Quoted(walked->path) + " cannot be listed: " + entries.error().message,
        protector_.Pointer(), "make it one that you can list, or write \"protect\": []");
  }
  for (const DirectoryEntry& entry : *entries) {
    const std::string path = JoinPath(walked->path, entry.name);
    if (entry.name.ends_with(".sample")) continue;
    if (entry.type != FileType::kDirectory) {
      protector_.Protect(path, WhenMissing::kDirectory);
    } else if (depth > 0) {
      if (Status held = ProtectContents(path, depth - 1); !held) return held;
    }
  }
  return Done{};
}

Status GitPrograms::ProtectHooks(const std::string& base, std::string_view written) {
  const std::string path = Expanded(base, written);
  if (!path.starts_with('/')) return Done{};
  if (Status known = CheckPlace(path); !known) return known;
  protector_.Protect(path, WhenMissing::kDirectory);
  // husky generates `_` from the files beside it.
  if (const Result<Walked> walked = protector_.Walker().Walk(path); walked && walked->path.ends_with("/_")) {
    const std::string beside{ParentOf(walked->path)};
    if (protector_.Walker().LookAt(beside).status) protector_.Protect(beside, WhenMissing::kLeft);
  }
  return ProtectContents(path, 0);
}

// `hold`: also a missing program, whose name a directory holds, because that cannot be executed.
// NOLINTNEXTLINE(misc-no-recursion): once more, without leading slashes
void GitPrograms::ProtectProgram(const ProgramWord& word, const std::string& base, bool hold) {
  if (!MayBePath(word)) return;
  const bool slash = word.text.find('/') != std::string::npos;
  const std::string path = Expanded(base, word.text);
  if (!path.starts_with('/')) return;
  const Result<Walked> walked = protector_.Walker().Walk(path);
  if (!walked) return protector_.Protect(path, WhenMissing::kLeft);
  if (!walked->status) {
    if (hold && word.run && slash) protector_.Protect(path, WhenMissing::kDirectory);
    // "$(git rev-parse --show-toplevel)/tools/x"
    const std::size_t name = std::min(word.text.find_first_not_of('/'), word.text.size());
    if (name != 0 && base != "/")
      ProtectProgram({.text = word.text.substr(name), .run = word.run}, base, false);
    return;
  }
  const bool program = word.run || word.script || (walked->status->mode & 0111U) != 0;
  if (program && walked->Is(FileType::kRegular)) protector_.Protect(path, WhenMissing::kLeft);
}

// A path through a link of /proc, such as /proc/self/cwd/x, may lead into any grant. A descriptor itself,
// such as /dev/stdin, was opened by the caller.
Status GitPrograms::CheckPlace(const std::string& path) const {
  const Result<Walked> walked = protector_.Walker().Walk(path);
  if (!walked || !walked->Is(FileType::kSymlink)) return Done{};
  const std::string written = FoldLexically(path);
  const std::string_view above = ParentOf(written);
  if (above == "/dev" || above.ends_with("/fd")) return Done{};
  const std::string& from = protector_.From();
  return Conflict((from.empty() ? "git's configuration" : "the configuration of " + Quoted(from)) +
                      " names " + Quoted(path) + ", which leads through " + Quoted(walked->path) +
                      ": each process finds something else there",
                  protector_.Pointer(),
                  "write a path relative to the work tree, or one without /proc; or write \"protect\": []");
}

Status GitPrograms::ProtectTemplate(const std::string& base, std::string_view written) {
  constexpr int kDepth = 2;  // hooks and info, and their entries
  ProtectNamed(base, written, WhenMissing::kDirectory);
  return ProtectContents(Expanded(base, written), kDepth);
}

// git's own programs, in GIT_EXEC_PATH.
Status GitPrograms::ProtectPrograms(const std::string& directory) {
  if (Status known = CheckPlace(directory); !known) return known;
  protector_.Protect(directory, WhenMissing::kDirectory);
  return ProtectContents(directory, 0);
}

Status GitPrograms::ObeyWord(const ProgramWord& word, const std::string& base) {
  const std::string path = Expanded(base, word.text);
  const bool named = word.run || word.script || path.find("/cwd/") != std::string::npos ||
                     path.find("/root/") != std::string::npos;
  if (named && MayBePath(word)) {
    if (Status known = CheckPlace(path); !known) return known;
  }
  if (word.key == "core.hookspath") return ProtectHooks(base, word.text);
  const bool programs = word.key == "--exec-path" || word.key == "git_exec_path";
  if (programs && !path.empty()) return ProtectPrograms(path);
  if (word.key == "--template" || word.key == "git_template_dir" || word.key == "init.templatedir")
    return ProtectTemplate(base, word.text);
  ProtectProgram(word, base, true);
  return Done{};
}

Status GitPrograms::ObeyVariable(const GitVariable& variable, const std::string& base) {
  if (variable.Is("init", "templatedir")) {
    if (Status known = CheckPlace(Expanded(base, variable.value)); !known) return known;
    if (Status held = ProtectTemplate(base, variable.value); !held) return held;
  }
  if (variable.Is("core", "attributesfile")) {
    if (Status known = CheckPlace(Expanded(base, variable.value)); !known) return known;
    ProtectNamed(base, variable.value, WhenMissing::kFile);
  }
  const auto words = ProgramWords(CommandOf(variable));
  const auto paths = PathsInCommand(CommandOf(variable), IsGitAlias(variable));
  if (!words || !paths) return TooManyWords();
  for (const ProgramWord& word : *words) {
    if (NamesNoFile(variable, word)) continue;
    if (Status held = ObeyWord(word, base); !held) return held;
  }
  if (base.starts_with('/') && !IsGitAlias(variable)) {
    std::set<std::string> names = NamesBelowExpansions(CommandOf(variable));
    if (!names.empty()) called_[base].merge(names);
  }
  return AddNamed(*paths, base);
}

Status GitPrograms::AddNamed(const std::set<std::string>& paths, const std::string& base) {
  constexpr std::size_t kMaxNamedBytes = 4 * kMaxGitWordBytes;
  for (const std::string& written : paths) {
    std::string path = Expanded(base, written);
    if (!path.starts_with('/')) continue;
    named_bytes_ += path.size();
    named_.insert(std::move(path));
    if (named_.size() > kMaxGitWords || named_bytes_ > kMaxNamedBytes) return TooManyWords();
  }
  return Done{};
}

Error GitPrograms::TooManyWords() const {
  const std::string& from = protector_.From();
  return Conflict("the command lines of " + (from.empty() ? "git's configuration" : Quoted(from)) +
                      " bring the files that git may run to more than " + std::to_string(kMaxGitWords) +
                      ", or what they may be called to more than " + std::to_string(kMaxGitWordBytes) +
                      " bytes",
                  protector_.Pointer(), "shorten them, or write \"protect\": []");
}

Status GitPrograms::Obey(const GitSayings& said, const std::string& base) {
  for (const std::string& path : said.hooks) {
    if (Status held = ProtectHooks(base, path); !held) return held;
  }
  for (const GitVariable& variable : said.variables) {
    if (Status held = ObeyVariable(variable, base); !held) return held;
  }
  return Done{};
}

std::optional<std::set<std::string>> PathsInTrees(const GitVariable& variable, PathWalker& walker) {
  std::set<std::string> names;
  if (variable.Is("core", "hookspath") || variable.Is("init", "templatedir")) names.insert(variable.value);
  const auto words = ProgramWords(CommandOf(variable));
  if (!words) return std::nullopt;
  for (const ProgramWord& word : *words) {
    if (!MayBePath(word) || NamesNoFile(variable, word)) continue;
    // "$(git rev-parse --show-toplevel)/tools/x"
    const bool top = word.text.starts_with('/') && !walker.LookAt(word.text).status;
    names.insert(top ? word.text.substr(1) : word.text);
  }
  std::erase_if(names, [](const std::string& name) {
    return name.empty() || name.starts_with('/') || name.starts_with('~');
  });
  return names;
}

}  // namespace mxc
