#include "review/destroys.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "mxc/fold.h"
#include "review/destructive_table.h"

namespace mxc {
namespace {

// "+main" and ":main" among what is pushed, here or in a setting of the remote.
bool ForcesRef(const Words& words) {
  return std::any_of(words.begin() + 1, words.end(), [](const std::string& word) {
    const std::string folded = Folded(word);
    return (word.size() > 1 && (word.front() == '+' || word.front() == ':')) ||
           folded.find(".push=+") != std::string::npos || folded.find(".push=:") != std::string::npos ||
           folded.find(".mirror=") != std::string::npos || folded.ends_with(".mirror");
  });
}

// `git fetch . +old:main`: over a branch, not over what a remote had.
bool FetchesOver(const Words& words) {
  const bool forced = HasFlag(words, "-f|--force");
  return std::any_of(words.begin() + 2, words.end(), [&](std::string_view word) {
    const std::size_t setting = Folded(word).find(".fetch=");
    if (setting != std::string_view::npos) word.remove_prefix(setting + 7);
    const std::size_t colon = word.find(':');
    if (colon == std::string_view::npos || word.find("//") != std::string_view::npos) return false;
    if (!forced && !word.starts_with('+')) return false;
    return colon + 1 != word.size() && !IsOneOf(word.substr(colon + 1), "refs/remotes/*|refs/tags/*|/*");
  });
}

// ":(top)x", ":/x", ":!x" of gitglossary(7): whether it may be all there is.
bool NamesAll(std::string_view pathspec, const Roots& roots) {
  std::string_view magic;
  if (pathspec.starts_with(":(")) {
    magic = pathspec.substr(0, pathspec.find(')'));
    pathspec.remove_prefix(std::min(magic.size() + 1, pathspec.size()));
  } else if (pathspec.starts_with(':')) {
    magic = pathspec.substr(0, pathspec.find_first_not_of(":/!^"));
    pathspec.remove_prefix(magic.size());
  }
  const bool excludes = magic.find_first_of("!^") != std::string_view::npos ||
                        magic.find("exclude") != std::string_view::npos ||
                        magic.find("attr") != std::string_view::npos;
  const std::string path(pathspec);
  return excludes || WithoutPatternsAtEnd(path).empty() || roots.Has(path);
}

// `git checkout .`; what restores the index alone discards nothing.
bool DiscardsAll(const Words& words, const Roots& roots) {
  const bool restores =
      words[1] == "restore" && (!HasFlag(words, "-S|--staged") || HasFlag(words, "-W|--worktree"));
  const bool removes = words[1] == "rm" && HasFlag(words, "-f|--force") && !HasFlag(words, "--cached");
  if (!restores && !removes && words[1] != "checkout") return false;
  return std::any_of(words.begin() + 2, words.end(), [&](const std::string& word) {
    if (word.starts_with("--pathspec-f")) return true;
    return !word.starts_with('-') && word.find(kUnknownText) == std::string::npos && NamesAll(word, roots);
  });
}

bool IsDisk(std::string_view path) {
  if (!path.starts_with("/dev/")) return false;
  path.remove_prefix(5);
  return path == std::string_view(&kUnknownText, 1) ||
         IsOneOf(path, "sd*|hd*|vd*|xvd*|nvme*|mmcblk*|dm-*|md*|mapper/*|disk/*|loop*|mem|kmem");
}

// All of what an option names is not known: it may be one.
bool WritesDevice(const Words& words, std::string_view option) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    if (!word.starts_with(option)) return false;
    const std::string_view path = std::string_view(word).substr(option.size());
    return IsDisk(path) || (!option.empty() && path == std::string_view(&kUnknownText, 1));
  });
}

// Of find(1).
bool FindDeletes(const Words& words) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "-delete") return true;
    if (IsOneOf(words[i], "-exec|-execdir|-ok|-okdir") && i + 1 < words.size() &&
        IsOneOf(NameOf(words[i + 1]), "rm|unlink|shred"))
      return true;
  }
  return false;
}

std::optional<Destruction> DeletesRoots(std::string_view program, const Words& words, Names names,
                                        const Roots& roots) {
  const bool read = names == Names::kRead && std::any_of(words.begin() + 1, words.end(), IsUnknown);
  const bool recursive = HasFlag(words, "-r|-R|--recursive");
  const bool changes = IsOneOf(program, "chmod|chown|chgrp") && HasFlag(words, "-R|--recursive");
  const bool removes = (program == "rm" && recursive) || IsOneOf(program, "rimraf|del-cli") ||
                       (IsUnknown(program) && recursive && HasFlag(words, "-f|--force")) ||
                       (program.ends_with("tar") && HasFlag(words, "--remove-files")) ||
                       (program == "zip" && HasFlag(words, "-m|--move")) ||
                       (read && IsOneOf(program, "rm|unlink"));
  const bool finds = program == "find" && FindDeletes(words) && FindsRoots(words, roots);
  if (!removes && !finds && !changes) return std::nullopt;
  const std::string source = IsUnknown(program) ? "rm(1)" : std::string(program) + "(1)";
  if (!finds && read)
    return Destruction{.what = changes ? "changes modes or owners of what its text does not name"
                                       : "deletes what its text does not name",
                       .source = source};
  const bool named = std::any_of(words.begin() + 1, words.end(), [&](const std::string& word) {
    return !word.starts_with('-') && roots.Has(word);
  });
  if (!finds && !named) return std::nullopt;
  return Destruction{.what = changes ? "changes modes or owners of all that may be written"
                                     : "deletes all that may be written, or what holds it",
                     .source = source};
}

}  // namespace

std::optional<Destruction> Destroys(const Words& words, Names names, const Roots& roots) {
  const std::string_view program = NameOf(words.front());
  // A program that is not known may be any that is told what to do by a verb.
  const bool any = IsUnknown(program);
  for (const DestructiveRow& row : DestructiveRows()) {
    if (any ? row.verbs.empty() : !IsOneOf(program, row.programs)) continue;
    if (!HasVerbs(words, row.verbs)) continue;
    if (row.programs == "git" && words[1] != row.verbs.substr(0, row.verbs.find(' '))) continue;
    if (row.flags.empty() || HasFlag(words, row.flags))
      return Destruction{.what = std::string(row.what), .source = std::string(row.source)};
  }
  if (program == "git" && words.size() > 1 && IsOneOf(words[1], "push|send-pack") && ForcesRef(words))
    return Destruction{.what = "rewrites or deletes what others have fetched", .source = "git-push(1)"};
  if (program == "git" && words.size() > 2 && IsOneOf(words[1], "fetch|pull") && FetchesOver(words))
    return Destruction{.what = "discards commits or files that are nowhere else", .source = "git-fetch(1)"};
  if (program == "git" && words.size() > 1 && DiscardsAll(words, roots))
    return Destruction{.what = "discards commits or files that are nowhere else",
                       .source = "git-" + words[1] + "(1)"};
  if (program == "dd" && WritesDevice(words, "of="))
    return Destruction{.what = "writes over a disk", .source = "dd(1)"};
  if (program == "tee" && WritesDevice(words, ""))
    return Destruction{.what = "writes over a disk", .source = "tee(1)"};
  return DeletesRoots(program, words, names, roots);
}

bool RedirectsToDevice(const Words& words, const Expansion& expansion) {
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] != ">") continue;
    const std::vector<std::string> files = expansion.Expand(words[i + 1]);
    if (std::any_of(files.begin(), files.end(), [](const std::string& file) { return IsDisk(file); }))
      return true;
  }
  return false;
}

std::optional<Destruction> FindStatement(const std::vector<ShellCommand>& commands) {
  std::string all;
  for (const ShellCommand& command : commands) {
    for (const std::string& word : command.words) all += Folded(word) + " ";
    all += Folded(command.input) + " ";
  }
  // Without comments of SQL, and as it stands: the "/*" of a pattern begins none.
  std::string bare = all;
  for (std::size_t at = bare.find("/*"); at != std::string::npos; at = bare.find("/*", at)) {
    const std::size_t end = bare.find("*/", at + 2);
    bare.replace(at, end == std::string::npos ? std::string::npos : end + 2 - at, " ");
  }
  all += bare;
  std::replace_if(
      all.begin(), all.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  all.erase(std::unique(all.begin(), all.end(), [](char a, char b) { return a == ' ' && b == ' '; }),
            all.end());
  for (const DestructiveStatement& statement : DestructiveStatements()) {
    if (all.find(statement.text) == std::string::npos) continue;
    for (const ShellCommand& command : commands) {
      const bool client =
          std::any_of(command.words.begin(), command.words.end(),
                      [&](const std::string& word) { return IsOneOf(NameOf(word), statement.programs); });
      if (!client) continue;
      return Destruction{.command = Shown(command.words),
                         .what = "deletes data of a database",
                         .source = std::string(statement.source)};
    }
  }
  return std::nullopt;
}

}  // namespace mxc
