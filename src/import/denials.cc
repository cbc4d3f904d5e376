#include "import/denials.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/paths/glob.h"
#include "policy/paths/paths.h"
#include "profiles/expand_document.h"

namespace mxc {
namespace {

using PathNames = std::set<std::string>;

std::string_view FirstComponent(std::string_view path) { return path.substr(0, path.find('/')); }

std::string_view BehindFirst(std::string_view path) {
  return path.substr(std::min(path.size(), FirstComponent(path).size() + 1));
}

constexpr std::string_view kAnyDepthPattern = "**";

// `path` or a directory above it is what `pattern` stands for. Both without the first slash.
bool CoversByPattern(std::string_view pattern, std::string_view path) {
  bool retry = false;  // from here a "**" takes one component more
  std::string_view retry_pattern;
  std::string_view retry_path;
  while (!pattern.empty()) {
    if (FirstComponent(pattern) == kAnyDepthPattern) {
      pattern = BehindFirst(pattern);
      retry = true;
      retry_pattern = pattern;
      retry_path = path;
    } else if (!path.empty() && MatchesName(FirstComponent(pattern), FirstComponent(path))) {
      pattern = BehindFirst(pattern);
      path = BehindFirst(path);
    } else if (retry && !retry_path.empty()) {
      retry_path = BehindFirst(retry_path);
      pattern = retry_pattern;
      path = retry_path;
    } else {
      return false;
    }
  }
  return true;
}

using Patterns = std::set<std::string_view>;

// `pattern`, and what is left of it where a "**" at its beginning stands for no directory.
void Reach(std::string_view pattern, Patterns& reached) {
  reached.insert(pattern);
  for (; FirstComponent(pattern) == kAnyDepthPattern; pattern = BehindFirst(pattern))
    reached.insert(BehindFirst(pattern));
}

// The patterns for the part of a path below `directory` that `pattern` matches as a whole. Both without the
// first slash.
Patterns RestsBelow(std::string_view pattern, std::string_view directory) {
  Patterns rests;
  Reach(pattern, rests);
  for (; !directory.empty(); directory = BehindFirst(directory)) {
    Patterns next;
    for (const std::string_view rest : rests) {
      if (FirstComponent(rest) == kAnyDepthPattern) {
        Reach(rest, next);
      } else if (!rest.empty() && MatchesName(FirstComponent(rest), FirstComponent(directory))) {
        Reach(BehindFirst(rest), next);
      }
    }
    rests = std::move(next);
  }
  rests.erase("");
  return rests;
}

class DenialComparison {
 public:
  DenialComparison(const std::string& directory, const Host& host)
      : host_(host), walker_(host), places_{.directory = directory} {}

  // As written, and where its links lead.
  Result<PathNames> NamesOf(const std::string& path) {
    const Result<std::string> expanded = ExpandPath(path, places_, host_);
    if (!expanded) return expanded.error();
    const std::string folded = FoldLexically(*expanded);
    const std::string base = IsGlob(folded) ? GlobBase(folded) : folded;
    PathNames names{folded};
    if (const Result<Walked> walked = walker_.Walk(base); walked) {
      const std::string_view rest = std::string_view(folded).substr(base.size());
      names.insert(IsGlob(folded)
                       ? Below(walked->path, rest.starts_with('/') ? rest : "/" + std::string(rest))
                       : walked->path);
    }
    return names;
  }

  bool IsMissing(const std::string& path) {
    const std::optional<Walked> walked = WalkPlain(path);
    return walked && !walked->status;
  }

  // Nothing is below it.
  bool IsFile(const std::string& path) {
    const std::optional<Walked> walked = WalkPlain(path);
    return walked && walked->Is(FileType::kRegular);
  }

 private:
  // None for a pattern, and for what cannot be looked at.
  std::optional<Walked> WalkPlain(const std::string& path) {
    const Result<std::string> expanded = ExpandPath(path, places_, host_);
    if (!expanded || IsGlob(*expanded)) return std::nullopt;
    Result<Walked> walked = walker_.Walk(*expanded);
    return walked ? std::optional(std::move(*walked)) : std::nullopt;
  }

  const Host& host_;
  PathWalker walker_;
  ExpansionPlaces places_;
};

bool Covers(const std::string& denied, const std::string& path) {
  if (!IsGlob(denied)) return IsAtOrBelow(path, denied);
  return CoversByPattern(std::string_view(denied).substr(1), std::string_view(path).substr(1));
}

bool AnyCovers(const PathNames& denied, const PathNames& paths) {
  return std::any_of(denied.begin(), denied.end(), [&](const std::string& one) {
    return std::any_of(paths.begin(), paths.end(),
                       [&](const std::string& path) { return Covers(one, path); });
  });
}

struct Named {
  std::string path = {};  // as in the configuration
  PathNames names = {};
};

Result<std::vector<Named>> AllNamesOf(const std::vector<std::string>& paths, DenialComparison& comparison) {
  std::vector<Named> all;
  for (const std::string& path : paths) {
    Result<PathNames> names = comparison.NamesOf(path);
    if (!names) return names.error();
    all.push_back({.path = path, .names = std::move(*names)});
  }
  return all;
}

bool IsUnwritable(const Named& grant, const std::vector<Named>& denials) {
  return std::any_of(denials.begin(), denials.end(),
                     [&](const Named& denial) { return AnyCovers(denial.names, grant.names); });
}

// A grant of reading below a denial opens it again, for writing too.
bool IsUnreadable(const Named& grant, const std::vector<Named>& denials, const std::vector<Named>& readable) {
  return std::any_of(denials.begin(), denials.end(), [&](const Named& denial) {
    if (!AnyCovers(denial.names, grant.names)) return false;
    return std::none_of(readable.begin(), readable.end(), [&](const Named& read) {
      return AnyCovers(read.names, grant.names) && AnyCovers(denial.names, read.names);
    });
  });
}

std::string JoinText(const std::string& directory, std::string_view rest) {
  return (directory == "/" ? "" : directory) + "/" + std::string(rest);
}

PathNames BasesOf(const Named& pattern) {
  PathNames bases;
  for (const std::string& name : pattern.names) bases.insert(GlobBase(name));
  return bases;
}

// Writes denials of writing as entries of a configuration. A read-only entry is a grant, and the most
// specific entry wins: one that is below a denial of reading would open what that denies. So a path becomes
// read-only only where the settings let it be read and a grant of writing shows it, and a pattern is denied
// in each directory below it that is denied.
class WriteDenials {
 public:
  struct Settings {
    const std::vector<Named>& grants;    // of writing
    const std::vector<Named>& denied;    // of reading
    const std::vector<Named>& readable;  // below a denial too
  };

  WriteDenials(const Settings& settings, DenialComparison& comparison, Imported& imported)
      : settings_(settings), comparison_(comparison), imported_(imported) {}

  void Add(const Named& denial) {
    if (HasPattern(denial.path)) return AddPattern(denial);
    if (!IsShown(denial)) return;
    if (!comparison_.IsMissing(denial.path)) return AddOnce(denial.path, imported_.read_only);
    // A read-only entry for what does not exist holds nothing: a command could make it.
    AddOnce(denial.path, imported_.denied);
    imported_.warnings.push_back(denial.path +
                                 " is not there: it is denied as a whole, so that no command makes it");
  }

  void Keep(const std::vector<Named>& names) {
    std::string missing;
    for (const Named& name : names) {
      if (!IsShown(name)) continue;
      const bool there = !comparison_.IsMissing(name.path);
      AddOnce(name.path, there ? imported_.read_only : imported_.denied);
      if (!there) missing += (missing.empty() ? "" : ", ") + name.path;
    }
    if (!missing.empty())
      imported_.warnings.push_back(missing + ": denied as a whole, because " + imported_.source +
                                   " lets no command make them");
  }

 private:
  // For writing, and no denial of reading hides it.
  [[nodiscard]] bool IsShown(const Named& path) const {
    return std::any_of(settings_.grants.begin(), settings_.grants.end(),
                       [&](const Named& grant) { return AnyCovers(grant.names, path.names); }) &&
           !IsUnreadable(path, settings_.denied, settings_.readable);
  }

  void AddPattern(const Named& pattern) {
    const std::vector<Named> shown = IsShown({.names = BasesOf(pattern)})
                                         ? std::vector<Named>{pattern}
                                         : BelowEach(settings_.grants, pattern);
    for (const Named& part : shown) {
      AddOnce(part.path, imported_.read_only);
      DenyAgain(part);
    }
    if (!shown.empty())
      imported_.warnings.push_back(pattern.path +
                                   " is denied where it exists: a command can make what matches it later");
  }

  // `pattern` for what is below each of `directories`.
  [[nodiscard]] static std::vector<Named> BelowEach(const std::vector<Named>& directories,
                                                    const Named& pattern) {
    std::vector<Named> parts;
    for (const Named& directory : directories) {
      Patterns rests;
      for (const std::string& name : pattern.names) {
        for (const std::string& above : directory.names)
          rests.merge(RestsBelow(std::string_view(name).substr(1), std::string_view(above).substr(1)));
      }
      for (const std::string_view rest : rests) {
        Named part{.path = JoinText(directory.path, rest)};
        for (const std::string& above : directory.names) part.names.insert(JoinText(above, rest));
        parts.push_back(std::move(part));
      }
    }
    return parts;
  }

  // What `pattern` matches in a directory that is denied.
  void DenyAgain(const Named& pattern) {
    const PathNames bases = BasesOf(pattern);
    for (const Named& denial : settings_.denied) {
      if (HasPattern(denial.path)) {
        DenyAgainBelow(denial, pattern);
      } else if (!AnyCovers(denial.names, bases) && !comparison_.IsFile(denial.path)) {
        for (const Named& part : BelowEach({denial}, pattern)) AddOnce(part.path, imported_.denied);
      }
    }
  }

  // Of two patterns the last name alone is compared: what it denies too many is denied anyway.
  void DenyAgainBelow(const Named& denial, const Named& pattern) {
    const PathNames bases = BasesOf(pattern);
    const PathNames of_denial = BasesOf(denial);
    if (!AnyCovers(bases, of_denial) && !AnyCovers(of_denial, bases)) return;
    const std::string& name = *pattern.names.begin();
    const std::string_view last = std::string_view(name).substr(name.rfind('/') + 1);
    AddOnce(denial.path + "/**/" + std::string(last), imported_.denied);
  }

  static void AddOnce(const std::string& path, std::vector<std::string>& list) {
    if (std::find(list.begin(), list.end(), path) == list.end()) list.push_back(path);
  }

  Settings settings_;
  DenialComparison& comparison_;
  Imported& imported_;
};

}  // namespace

Status LetDenialsWin(const std::string& directory, const Host& host, Imported& imported) {
  DenialComparison comparison(directory, host);
  const auto unwritable = AllNamesOf(imported.no_write, comparison);
  if (!unwritable) return unwritable.error();
  const auto denied = AllNamesOf(imported.denied, comparison);
  if (!denied) return denied.error();
  const auto written = AllNamesOf(imported.read_write, comparison);
  if (!written) return written.error();
  const auto readable = AllNamesOf(imported.read_only, comparison);
  if (!readable) return readable.error();
  constexpr std::size_t kMaxCompared = 1000000;
  const std::size_t denials = unwritable->size() + denied->size() * (1 + readable->size());
  if ((written->size() + unwritable->size()) * denials > kMaxCompared)
    return CannotImport("these settings",
                        "there are too many grants and denials to be compared with each other");
  std::vector<Named> kept;
  imported.read_write.clear();
  for (const Named& grant : *written) {
    if (IsUnwritable(grant, *unwritable) || IsUnreadable(grant, *denied, *readable)) {
      LeaveOut("writing " + grant.path, "another entry denies it there, and wins", imported);
      continue;
    }
    kept.push_back(grant);
    imported.read_write.push_back(grant.path);
  }
  // Of two entries for one path the stricter counts in a configuration.
  std::erase_if(imported.read_only, [&](const std::string& path) {
    return std::find(imported.read_write.begin(), imported.read_write.end(), path) !=
           imported.read_write.end();
  });
  WriteDenials denials_of_writing({.grants = kept, .denied = *denied, .readable = *readable}, comparison,
                                  imported);
  for (const Named& denial : *unwritable) denials_of_writing.Add(denial);
  const auto names = AllNamesOf(imported.kept, comparison);
  if (!names) return names.error();
  denials_of_writing.Keep(*names);
  return Done{};
}

}  // namespace mxc
