#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/path.h"
#include "base/quoted.h"
#include "cleanup/directory_identity.h"
#include "cleanup/named_place.h"
#include "cleanup/put_back_record.h"
#include "cleanup/record_cbor.h"

namespace mxc {
namespace {

using Cbor = nlohmann::json;
using Left = GuardedPaths::Left;

constexpr std::string_view kPutBackUnreadable =
    ". What `protect` names in the read-write grants of that run may say what its command wrote, or be "
    "missing: look at it before you use git or mxc-exec there, and then remove the record";

// What is larger is reported, and not restored by a later call.
constexpr std::size_t kMostKeptBytes = std::size_t{16} << 20U;

// NOLINTNEXTLINE(misc-no-recursion): as deep as what was kept
std::size_t SizeOf(const KeptFile& kept) {
  constexpr std::size_t kOfEach = 100;
  std::size_t size = kOfEach + kept.text.size();
  for (const auto& [name, entry] : kept.entries) size += name.size() + SizeOf(entry);
  return size;
}

// NOLINTNEXTLINE(misc-no-recursion): the same
Cbor PackKept(const KeptFile& kept) {
  Cbor entries = Cbor::array();
  for (const auto& [name, entry] : kept.entries) entries.push_back(Cbor::array({name, PackKept(entry)}));
  return {{"mode", kept.mode},   {"uid", kept.uid},   {"gid", kept.gid},
          {"links", kept.links}, {"text", kept.text}, {"entries", entries}};
}

// NOLINTNEXTLINE(misc-no-recursion): the same
KeptFile KeptIn(const Cbor& packed) {
  KeptFile kept{.mode = packed.at("mode").get<mode_t>(),
                .uid = packed.at("uid").get<uid_t>(),
                .gid = packed.at("gid").get<gid_t>(),
                .links = packed.at("links").get<nlink_t>(),
                .text = packed.at("text").get<std::string>()};
  for (const Cbor& entry : packed.at("entries"))
    kept.entries[entry.at(0).get<std::string>()] = KeptIn(entry.at(1));
  return kept;
}

struct RecordedPath {
  Left left = {};
  bool whole = true;  // the record has its content
};

std::string PackPaths(const std::vector<Left>& all) {
  Cbor record = Cbor::array();
  std::size_t room = kMostKeptBytes;
  for (const Left& left : all) {
    const std::size_t size = SizeOf(left.kept);
    Cbor entry = {{"path", left.path},
                  {"directory", left.directory},
                  {"missing", left.missing},
                  {"above", left.above},
                  {"mode", left.mode}};
    if (size <= room) {
      entry["kept"] = PackKept(left.kept);
      room -= size;
    }
    record.push_back(std::move(entry));
  }
  std::string packed;
  Cbor::to_cbor(record, packed);
  return packed;
}

// nullopt: it is no record of ours.
std::optional<std::vector<RecordedPath>> UnpackPaths(const std::string& text) {
  std::vector<RecordedPath> paths;
  if (!IsRecordCbor(text)) return std::nullopt;
  const Cbor record = Cbor::from_cbor(text, true, false);
  if (!record.is_array()) return std::nullopt;
  try {
    for (const Cbor& entry : record) {
      RecordedPath path{.left = {.path = entry.at("path").get<std::string>(),
                                 .directory = entry.at("directory").get<std::string>(),
                                 .above = entry.value("above", ""),  // of an older program: none
                                 .mode = entry.value("mode", mode_t{0}),
                                 .missing = entry.at("missing").get<bool>()},
                        .whole = entry.contains("kept")};
      if (path.whole) path.left.kept = KeptIn(entry.at("kept"));
      paths.push_back(std::move(path));
    }
  } catch (const Cbor::exception&) {
    return std::nullopt;
  }
  return paths;
}

// What a later call has found out of one path.
struct PathVerdict {
  std::string problem = {};  // "": none
  bool stays = false;        // in the record
  bool once = false;         // later calls report it only if asked
};

std::string WhatOf(const Left& left) {
  return Quoted(left.path) + ", which `protect` named in an earlier run, ";
}

std::string GiveUp(const std::string& record) {
  return ": call `mxc-exec --recover` when that has changed, or see what stands there and then remove " +
         Quoted(record);
}

PathVerdict CannotBePutBack(const Left& left, const std::string& why, const std::string& record) {
  return {.problem = WhatOf(left) + "cannot be put back: " + why + GiveUp(record), .stays = true};
}

PathVerdict InAnotherDirectory(const Left& left) {
  return {.problem =
              WhatOf(left) +
              "is in another directory now: nothing is put back there, now or later. If you have not made "
              "that directory since, look at it before you use git or mxc-exec there"};
}

UniqueFd OpenListed(int place) { return UniqueFd{::openat(place, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)}; }

PathVerdict PutBackIn(int directory, const std::string& name, Left& left, const std::string& record) {
  if (IsAsKept(directory, name, left.kept)) return {};
  struct stat status {};
  const bool stands = ::fstatat(directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
  if (left.missing && stands)
    return {.problem = WhatOf(left) + "was missing, and has been made anew since: it is left as it is"};
  const MadeAgain made = MakeAgain(directory, name, left.kept);
  if (!made.failure.empty()) {
    left.missing = !made.stands;
    return {.problem = WhatOf(left) + (left.missing ? "is missing" : "may say what the command wrote") +
                       ", and cannot be put back: " + made.failure + GiveUp(record),
            .stays = true};
  }
  const std::string now = JoinPath(ParentOf(left.path), made.aside);
  return {.problem = WhatOf(left) + "is what it was again" +
                     (made.aside.empty() ? "" : "; what the command had made of it is " + Quoted(now))};
}

// The directory was missing as well. What stands on the way and is no directory leads nowhere but through a
// link, which the command can have made.
PathVerdict TakeAwayMade(Left& left, const std::string& record) {
  for (std::string path = left.above; path != left.path;) {
    path = NextOnTheWay(path, left.path);
    const Result<NamedPlace> place = OpenPlace(path);
    struct stat status {};
    if (!place) return CannotBePutBack(left, place.error().message, record);
    if (::fstatat(place->directory.Get(), place->name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return {};
    if (S_ISDIR(status.st_mode) && path != left.path) continue;
    if (!S_ISLNK(status.st_mode) && path != left.path) return {};
    Left here{.path = path};
    return PutBackIn(place->directory.Get(), place->name, here, record);
  }
  return {};
}

PathVerdict PutBackMissing(Left& left, const std::string& record) {
  const Result<NamedPlace> place = OpenPlace(JoinPath(left.above, "."));
  if (!place) {
    PathVerdict verdict = CannotBePutBack(left, place.error().message, record);
    verdict.once = true;
    return verdict;
  }
  if (!HasIdentity(place->directory.Get(), left.directory)) {
    struct stat status {};
    return ::lstat(left.path.c_str(), &status) == 0 ? InAnotherDirectory(left) : PathVerdict{};
  }
  static_cast<void>(GiveOwnersRightsBack(place->directory.Get(), left.mode));
  const UniqueFd directory = OpenListed(place->directory.Get());
  if (!directory || ::flock(directory.Get(), LOCK_EX | LOCK_NB) != 0) return {.stays = true};
  return TakeAwayMade(left, record);
}

PathVerdict PutBackLater(RecordedPath& path, const std::string& record) {
  Left& left = path.left;
  if (!path.whole) {
    return {.problem = WhatOf(left) +
                       "may say what the command wrote, or be missing, and was too large to be kept; see "
                       "what stands there before you use it"};
  }
  if (!left.above.empty()) return PutBackMissing(left, record);
  const Result<NamedPlace> place = OpenPlace(left.path);
  if (!place) {
    PathVerdict verdict = CannotBePutBack(left, place.error().message, record);
    verdict.once = true;
    return verdict;
  }
  if (!HasIdentity(place->directory.Get(), left.directory)) return InAnotherDirectory(left);
  const bool closed = GiveOwnersRightsBack(place->directory.Get(), left.mode);
  const UniqueFd directory = OpenListed(place->directory.Get());
  if (!directory) {
    const int number = errno;
    return CannotBePutBack(left, SystemError(ErrorCode::kSetupFailed, "open its directory", number).message,
                           record);
  }
  // The run, or another one that would take this for a change of its own command's.
  if (::flock(directory.Get(), LOCK_EX | LOCK_NB) != 0) return {.stays = true};
  PathVerdict verdict = PutBackIn(directory.Get(), place->name, left, record);
  if (closed && verdict.problem.empty()) verdict.problem = WhatOf(left) + "can be reached again";
  return verdict;
}

std::vector<std::string> GuardedPathsIn(const std::string& text) {
  std::vector<std::string> named;
  for (RecordedPath& path : UnpackPaths(text).value_or(std::vector<RecordedPath>{}))
    named.push_back(std::move(path.left.path));
  return named;
}

RecordVerdict JudgePaths(const LeftRecord& record, Recovery& recovery) {
  using What = RecordVerdict::What;
  std::optional<std::vector<RecordedPath>> paths = UnpackPaths(record.text);
  if (!paths) return {.what = What::kUnreadable};
  std::vector<Left> stay;
  std::vector<std::string> waits_for;
  bool reports = false;
  for (RecordedPath& path : *paths) {
    if (!record.IsFirstToName(path.left.directory, path.left.path)) continue;
    PathVerdict verdict = PutBackLater(path, record.path);
    if (verdict.stays) {
      waits_for.push_back(path.left.above.empty() ? path.left.path : JoinPath(path.left.above, "."));
      stay.push_back(path.left);
    }
    if (verdict.problem.empty()) continue;
    reports = true;
    if (!record.reported || !verdict.once || recovery.asked)
      recovery.found.problems.push_back(std::move(verdict.problem));
  }
  if (stay.empty()) return {.what = What::kRemove};
  const bool replaces = reports && (!record.reported || stay.size() < paths->size());
  return {.what = replaces ? What::kReplace : What::kKeep, .text = PackPaths(stay), .waits_for = waits_for};
}

}  // namespace

Result<PutBackRecord> PutBackRecord::Reserve() {
  Result<RunRecord> reserved = RunRecord::Reserve(kPutBackRecords);
  if (!reserved) return reserved.error();
  PutBackRecord record;
  record.record_ = std::move(*reserved);
  return record;
}

Status PutBackRecord::Write(const GuardedPaths& paths) { return record_.Write(PackPaths(paths.All())); }

void PutBackRecord::Settle(const GuardedPaths& paths) {
  const std::vector<Left> left = paths.NotRestored();
  if (left.empty()) return record_.Remove();
  record_.Leave(PackPaths(left));
}

RecordKind PutBackRecord::Kind() {
  return {.prefix = kPutBackRecords,
          .unreadable = kPutBackUnreadable,
          .judge = JudgePaths,
          .paths = GuardedPathsIn,
          .alone = true};
}

}  // namespace mxc
