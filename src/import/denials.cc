#include "import/denials.h"

#include <algorithm>
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

// `path` or a directory above it is what `pattern` stands for. Both without the first slash.
bool CoversByPattern(std::string_view pattern, std::string_view path) {
  constexpr std::string_view kAnyDepthPattern = "**";
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
    const Result<std::string> expanded = ExpandPath(path, places_, host_);
    if (!expanded || IsGlob(*expanded)) return false;
    const Result<Walked> walked = walker_.Walk(*expanded);
    return walked && !walked->status;
  }

 private:
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

// A grant of writing shows it, or something of it.
bool IsShownForWriting(const Named& denial, const std::vector<Named>& grants) {
  return std::any_of(grants.begin(), grants.end(), [&](const Named& grant) {
    return AnyCovers(grant.names, denial.names) || AnyCovers(denial.names, grant.names);
  });
}

void DenyWriting(const std::vector<Named>& denials, const std::vector<Named>& grants,
                 DenialComparison& comparison, Imported& imported) {
  for (const Named& denial : denials) {
    if (!HasPattern(denial.path) && !IsShownForWriting(denial, grants)) continue;
    if (!comparison.IsMissing(denial.path)) {
      imported.read_only.push_back(denial.path);
      if (HasPattern(denial.path))
        imported.warnings.push_back(denial.path +
                                    " is denied where it exists: a command can make what matches it later");
      continue;
    }
    // A read-only entry for what does not exist holds nothing: a command could make it.
    imported.denied.push_back(denial.path);
    imported.warnings.push_back(denial.path +
                                " is not there: it is denied as a whole, so that no command makes it");
  }
}

void KeepNames(const std::vector<Named>& names, const std::vector<Named>& grants,
               DenialComparison& comparison, Imported& imported) {
  std::string missing;
  for (const Named& name : names) {
    if (!IsShownForWriting(name, grants)) continue;
    const bool there = !comparison.IsMissing(name.path);
    (there ? imported.read_only : imported.denied).push_back(name.path);
    if (!there) missing += (missing.empty() ? "" : ", ") + name.path;
  }
  if (!missing.empty())
    imported.warnings.push_back(missing + ": denied as a whole, because " + imported.source +
                                " lets no command make them");
}

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
  if (written->size() * denials > kMaxCompared)
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
  DenyWriting(*unwritable, kept, comparison, imported);
  const auto names = AllNamesOf(imported.kept, comparison);
  if (!names) return names.error();
  KeepNames(*names, kept, comparison, imported);
  return Done{};
}

}  // namespace mxc
