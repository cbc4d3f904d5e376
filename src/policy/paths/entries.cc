#include "policy/paths/entries.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <utility>

#include "policy/paths/examination.h"
#include "policy/paths/glob.h"
#include "policy/paths/mounts.h"
#include "policy/paths/placeholders.h"

namespace mxc {
namespace {

Error NeverFromHost(const PathEntry& written, const std::string& path) {
  const std::string node{PrivateNodeOf(path)};
  const std::string subject = written.path == path ? "" : " stands for " + Quoted(path);
  return Conflict(Quoted(written.path) + subject + ": the host's " + node + " never appears inside",
                  written.pointer, "remove the entry; the sandbox has what programs need of " + node);
}

Status CheckGrantedType(const PathEntry& written, const Walked& walked) {
  const std::string_view type = TypeName(walked.status->object.type);
  if (type.empty()) return Done{};
  return Conflict(
      Quoted(written.path) + " is " + std::string(type) + ": only files and directories are granted",
      written.pointer, "its other end is outside the sandbox; remove the entry");
}

Status CheckDelegation(const PathEntry& written, Access access, const Walked& walked, const Host& host) {
  if (host.MayAccess(walked.path, access)) return Done{};
  const std::string remedy = RemedyFor(host, walked.path);
  const std::string verb = access == Access::kReadWrite ? "read and write" : "read";
  return Conflict("the caller (uid " + std::to_string(host.Caller().uid) + ") may not " + verb + " " +
                      Quoted(written.path) + " of " + std::string(ListName(access)),
                  written.pointer,
                  remedy.empty() ? "grant only what the caller can access, or change its mode" : remedy);
}

// Inside, root has no capability to override permissions: to files of other users it has the rights of
// others.
void WarnOfForeignOwner(const PathEntry& written, Access access, const FileStatus& status, const Host& host,
                        std::vector<Warning>& warnings) {
  const Identity caller = host.Caller();
  if (!caller.IsRoot() || status.uid == caller.uid) return;
  constexpr std::uint32_t kRead = 4, kWrite = 2, kSearch = 1;
  std::uint32_t needed = access == Access::kReadWrite ? kRead | kWrite : kRead;
  if (status.object.type == FileType::kDirectory) needed |= kSearch;
  const std::uint32_t allowed = status.gid == caller.gid ? status.mode >> 3U : status.mode;
  if ((allowed & needed) == needed) return;
  warnings.push_back({.category = "foreign-owner",
                      .message = fmt::format(
                          "{} of {} belongs to uid {} and has the mode {:o}: the command cannot {} there, "
                          "because root has no privileges inside; run mxc-exec as that user, or change "
                          "the owner",
                          Quoted(written.path), ListName(access), status.uid, status.mode & 07777U,
                          (allowed & kRead) == 0 ? "read" : "write"),
                      .pointer = written.pointer});
}

// `path` as written. Users of docker may write HOST:INSIDE.
void WarnOfMissing(std::string_view path, Access access, const std::string& pointer,
                   std::vector<Warning>& warnings) {
  const bool renames = path.find(":/") != std::string_view::npos;
  warnings.push_back(
      {.category = "path-missing",
       .message = Quoted(path) + " of " + std::string(ListName(access)) +
                  " does not exist: nothing is granted" +
                  (renames ? "; what is granted keeps its path, but for --workspace DIR:PATH" : ""),
       .pointer = pointer});
}

// Whether all links stay among programs, as links of packages do ("/opt/app/current"): these are followed for
// read-only grants.
bool StaysAmongPrograms(const Walked& walked) {
  const auto among = [](std::string_view path) {
    return IsAtOrBelow(path, "/opt") || IsAtOrBelow(path, "/usr");
  };
  return among(walked.path) && std::all_of(walked.links.begin(), walked.links.end(), [&](const LinkMet& met) {
           return met.owner == 0 && among(met.link.path);
         });
}

Examined ExamineGrant(const PathEntry& written, Access access, Walked walked, Examination& all) {
  std::vector<Warning>& warnings = all.warnings;
  if (IsNeverFromHost(walked.path)) return NeverFromHost(written, walked.path);
  if (!walked.status || walked.folded_missing) {
    // The command may be able to create it below a read-write entry: HoldMissing decides.
    if (access == Access::kReadOnly)
      return std::optional<ExaminedEntry>{ExaminedEntry{.wanted = access,
                                                        .access = Access::kDenied,
                                                        .pointer = written.pointer,
                                                        .written = written.path,
                                                        .walked = std::move(walked)}};
    WarnOfMissing(written.path, access, written.pointer, warnings);
    return std::optional<ExaminedEntry>{};
  }
  if (const Status status = CheckGrantedType(written, walked); !status) return status.error();
  if (access == Access::kReadWrite) WarnOfWholeHost(walked.path, written, warnings);
  if (const Status status = CheckDelegation(written, access, walked, all.host); !status)
    return status.error();
  WarnOfForeignOwner(written, access, *walked.status, all.host, warnings);
  const std::string what = std::string(Name(access)) + " " + Quoted(written.path);
  const bool programs = access == Access::kReadOnly && StaysAmongPrograms(walked);
  const Status links = programs ? Done{} : CheckGrantedLinks(written, what, walked, all.host, all.walker);
  ExaminedEntry entry{
      .wanted = access, .access = access, .pointer = written.pointer, .walked = std::move(walked)};
  if (!links && all.links == GrantedLinks::kRoots) entry.planted = links.error();
  return std::optional<ExaminedEntry>{std::move(entry)};
}

// Whether `path` is granted, or above a grant. A command can give a granted directory any mode, so it is no
// placeholder.
bool LeadsToGrant(const std::string& path, const std::vector<ExaminedEntry>& granted) {
  return std::any_of(granted.begin(), granted.end(), [&](const ExaminedEntry& entry) {
    return entry.wanted != Access::kDenied && entry.walked.status && IsAtOrBelow(entry.walked.path, path);
  });
}

// Treats another run's placeholder as a missing file, whose name this run has to hold as well. A run that
// holds no names treats it as an object of the host.
void SeeThroughPlaceholder(Walked& walked, const Examination& all) {
  const std::optional<FileStatus> there = walked.status;
  std::string held = walked.status ? walked.path : std::string(ParentOf(walked.first_missing));
  while (!LeadsToGrant(held, all.entries) && IsPlaceholder(all.host, held, all.walker.LookAt(held))) {
    walked.status.reset();
    walked.look_alike = there;
    walked.first_missing = held;
    walked.behind_file = false;
    held = ParentOf(held);
  }
}

Examined ExamineDenial(const PathEntry& written, Walked walked, std::vector<Warning>& warnings) {
  if (walked.path == "/") {
    return Conflict("'/' is denied: no command could start", written.pointer,
                    "nothing of the host is visible unless it is granted; remove the entry");
  }
  if (walked.path == "/dev/null") {
    return Conflict("'/dev/null' is denied: no command could start, its standard streams use it",
                    written.pointer, "remove the entry; the sandbox has a /dev of its own");
  }
  // The walk ends only at links of /proc and /dev, whose targets depend on the process.
  if (walked.Is(FileType::kSymlink)) {
    return Conflict(Quoted(written.path) + " cannot be denied: " + Quoted(walked.path) +
                        " is a link that differs for each process",
                    written.pointer, "remove the entry");
  }
  if (walked.behind_file) {
    return Conflict(Quoted(written.path) + " cannot be denied: " + Quoted(ParentOf(walked.first_missing)) +
                        " is not a directory",
                    written.pointer, "deny the file itself");
  }
  if (walked.Is(FileType::kRegular) && walked.status->links > 1) {
    warnings.push_back({.category = "hard-link",
                        .message = Quoted(written.path) + " has " + std::to_string(walked.status->links) +
                                   " names: the denial holds for this one",
                        .pointer = written.pointer});
  }
  return std::optional<ExaminedEntry>{ExaminedEntry{.wanted = Access::kDenied,
                                                    .access = Access::kDenied,
                                                    .pointer = written.pointer,
                                                    .walked = std::move(walked)}};
}

// "/srv/[id]/x" is also a path if a directory "[id]" exists, even if "x" is missing. Links below the base do
// not count: a command may have created them.
bool IsMissingPlace(const std::string& path, PathWalker& walker) {
  const std::string parent{ParentOf(path)};
  if (IsGlob(path.substr(parent.size()))) return false;
  const Result<Walked> base = walker.Walk(GlobBase(path));
  const Result<Walked> above = walker.Walk(parent);
  return base && above && above->Is(FileType::kDirectory) && above->links.size() == base->links.size() &&
         !walker.LookAt(path).status;
}

// Whether a file has exactly the name of the pattern. Links below the base do not count: a command may have
// created them.
bool IsPresent(const std::string& path, PathWalker& walker) {
  const Result<Walked> base = walker.Walk(GlobBase(path));
  const Result<Walked> literal = walker.Walk(path);
  return base && literal && literal->status && literal->links.size() == base->links.size();
}

// A file with the name of a read-only pattern becomes the grant instead. A command may have created it, so
// the matches of the pattern in read-write grants, which come before, stay read-only.
Status HoldMatches(const PathEntry& written, Examination& all) {
  const auto before = static_cast<std::ptrdiff_t>(all.entries.size());
  const std::size_t told = all.warnings.size();
  if (Status status = ExamineGlob(written, Access::kReadOnly, all); !status) return status;
  all.warnings.resize(told);
  const RuleSet rules = RulesOf({all.entries.begin(), all.entries.begin() + before});
  const auto is_only_read = [&](const ExaminedEntry& entry) {
    const PathRule* const around = rules.Covering(entry.walked.path);
    return around == nullptr || around->access != Access::kReadWrite;
  };
  all.entries.erase(std::remove_if(all.entries.begin() + before, all.entries.end(), is_only_read),
                    all.entries.end());
  return Done{};
}

Status ExamineOne(const PathEntry& written, Access access, Examination& all) {
  // Write access is given by name only: a user who creates files there would choose what a pattern matches.
  if (IsGlob(written.path) && access != Access::kReadWrite) {
    const bool read_only = access == Access::kReadOnly;
    const bool named =
        IsMissingPlace(written.path, all.walker) || (read_only && IsPresent(written.path, all.walker));
    if (Status status = read_only && named ? HoldMatches(written, all) : ExamineGlob(written, access, all);
        !status)
      return status;
    if (!named) return Done{};
  }
  Examined examined = Examine(written, access, all);
  if (!examined) return examined.error();
  if (*examined) all.entries.push_back(std::move(**examined));
  return Done{};
}

bool IsMissingGrant(const ExaminedEntry& entry) {
  return entry.wanted == Access::kReadOnly && (!entry.walked.status || entry.walked.folded_missing);
}

// A command can create it only where the caller may.
bool CouldBeCreated(const Walked& walked, const Host& host, PathWalker& walker) {
  const std::string above{ParentOf(walked.first_missing)};
  if (host.MayAccess(above, Access::kReadWrite)) return true;
  const Lookup& lookup = walker.LookAt(above);
  return lookup.status && lookup.status->uid == host.Caller().uid;
}

// Below a read-write grant, the name of a missing read-only entry is held like a denied one, so that the
// command cannot create it. Elsewhere the entry is left out.
Status HoldMissing(const Host& host, PathWalker& walker, std::vector<ExaminedEntry>& entries,
                   std::vector<Warning>& warnings) {
  if (std::none_of(entries.begin(), entries.end(), IsMissingGrant)) return Done{};
  std::vector<ExaminedEntry> others;
  std::copy_if(entries.begin(), entries.end(), std::back_inserter(others), std::not_fn(IsMissingGrant));
  const RuleSet rules = RulesOf(others);
  std::vector<ExaminedEntry> held;
  for (ExaminedEntry& entry : entries) {
    if (!IsMissingGrant(entry)) {
      held.push_back(std::move(entry));
      continue;
    }
    const std::string& path = entry.walked.path;
    const PathRule* around = rules.Covering(path);
    const bool writable = around != nullptr && around->access == Access::kReadWrite;
    const bool held_back = entry.walked.status || CouldBeCreated(entry.walked, host, walker);
    if (writable && !held_back && entry.walked.look_alike) {  // the command could write to it
      entry.walked.status = std::exchange(entry.walked.look_alike, std::nullopt);
      entry.walked.first_missing.clear();
      entry.access = Access::kReadOnly;
      held.push_back(std::move(entry));
      continue;
    }
    if (!writable || !held_back) {
      WarnOfMissing(entry.written, Access::kReadOnly, entry.pointer, warnings);
      continue;
    }
    if (entry.walked.status) {  // the path leads through a missing directory and ".."
      entry.access = Access::kReadOnly;
      held.push_back(std::move(entry));
      continue;
    }
    if (entry.walked.behind_file) {
      return Conflict(Quoted(path) + " of readonlyPaths cannot be kept from being created: " +
                          Quoted(ParentOf(entry.walked.first_missing)) + " is not a directory",
                      entry.pointer, "name the file itself, or remove the entry");
    }
    warnings.push_back(
        {.category = "path-held",
         .message = Quoted(path) + " of readonlyPaths does not exist, and cannot be created during the run",
         .pointer = entry.pointer});
    held.push_back(std::move(entry));
  }
  entries = std::move(held);
  return Done{};
}

}  // namespace

std::string_view TypeName(FileType type) {
  switch (type) {
    case FileType::kSocket:
      return "a socket";
    case FileType::kCharacterDevice:
    case FileType::kBlockDevice:
      return "a device";
    case FileType::kFifo:
      return "a named pipe";
    case FileType::kSymlink:
      return "a symbolic link";
    case FileType::kRegular:
    case FileType::kDirectory:
      return "";
  }
  return "";
}

Examined Examine(const PathEntry& written, Access access, Examination& all) {
  Result<Walked> walked = all.walker.Walk(written.path);
  if (!walked) {
    const std::string remedy = RemedyFor(all.host, written.path);
    return Conflict(Quoted(written.path) + " of " + std::string(ListName(access)) +
                        " cannot be resolved: " + walked.error().message,
                    written.pointer,
                    remedy.empty()
                        ? "make the directories above it searchable for the caller, or remove the entry"
                        : remedy);
  }
  if (access != Access::kReadWrite) SeeThroughPlaceholder(*walked, all);
  if (access == Access::kDenied) return ExamineDenial(written, std::move(*walked), all.warnings);
  return ExamineGrant(written, access, std::move(*walked), all);
}

bool IsPlacedByRoot(const LinkMet& met, const Host& host, PathWalker& walker) {
  constexpr std::array<std::string_view, 9> kInstalled = {"/usr",   "/etc",   "/bin",    "/sbin", "/lib",
                                                          "/lib32", "/lib64", "/libx32", "/nix"};
  constexpr std::array<std::string_view, 2> kWork = {"/opt", "/usr/local"};  // packages, and root's own files
  constexpr std::uint32_t kWriteByOthers = 022;
  if (IsRootsAlone(met)) return true;
  if (met.owner != 0) return false;
  const std::string_view above = ParentOf(met.link.path);
  const auto in = [&](std::string_view directory) { return IsAtOrBelow(above, directory); };
  if (std::find(kWork.begin(), kWork.end(), above) != kWork.end()) return true;
  const bool work = std::any_of(kWork.begin(), kWork.end(), in);
  if (!work && std::any_of(kInstalled.begin(), kInstalled.end(), in)) return true;
  if (host.Caller().IsRoot()) return false;
  for (std::string_view at = above;; at = ParentOf(at)) {
    const Lookup& lookup = walker.LookAt(std::string(at));
    if (!lookup.status || lookup.status->uid != 0 || (lookup.status->mode & kWriteByOthers) != 0)
      return false;
    if (at == "/") return true;
  }
}

Status CheckGrantedLinks(const PathEntry& written, std::string_view what, const Walked& walked,
                         const Host& host, PathWalker& walker) {
  for (const LinkMet& met : walked.links) {
    if (IsPlacedByRoot(met, host, walker)) continue;
    return Conflict(std::string(what) + " leads through the symbolic link " + Quoted(met.link.path),
                    written.pointer, "write the real path, " + Quoted(walked.path));
  }
  return Done{};
}

void WarnOfWholeHost(std::string_view path, const PathEntry& written, std::vector<Warning>& warnings) {
  if (path != "/") return;
  warnings.push_back({.category = "whole-host-writable",
                      .message = "'/' is read-write: every file of the host that the caller may write",
                      .pointer = written.pointer});
}

Result<std::vector<ExaminedEntry>> ExamineEntries(const Config& config, const Host& host, PathWalker& walker,
                                                  std::vector<Warning>& warnings, GrantedLinks links) {
  struct List {
    const std::vector<PathEntry>& written;
    Access access;
  };
  const List lists[] = {{config.read_write, Access::kReadWrite},
                        {config.read_only, Access::kReadOnly},
                        {config.denied, Access::kDenied}};
  Examination all{.host = host, .walker = walker, .warnings = warnings, .links = links};
  for (const List& list : lists) {
    for (const PathEntry& written : list.written) {
      if (Status status = ExamineOne(written, list.access, all); !status) return status.error();
    }
  }
  WarnOfSnapshots(config, all);
  if (Status held = HoldMissing(host, walker, all.entries, warnings); !held) return held.error();
  return std::move(all.entries);
}

}  // namespace mxc
