#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <functional>
#include <utility>

#include "base/path.h"
#include "base/quoted.h"
#include "cleanup/directory_identity.h"
#include "cleanup/guarded_paths.h"
#include "cleanup/named_place.h"
#include "cleanup/placeholders.h"

namespace mxc {
namespace {

// A thousand repositories have fifteen thousand example hooks, 60 MB of them.
constexpr KeepRoom kRoom{.files = 50000, .bytes = std::size_t{128} * 1024 * 1024};
constexpr int kDirectoryItself = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr int kListed = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

bool IsIn(std::string_view path, std::string_view directory) {
  return path.size() > directory.size() && path.starts_with(directory) &&
         (directory == "/" || path[directory.size()] == '/');
}

// The path, and those of the directories above it that are below the grant.
void ForEachOnTheWay(const GuardedPath& guarded, const std::function<void(const std::string&)>& visit) {
  std::string path = guarded.path;
  do {
    visit(path);
    path.resize(path.rfind('/'));
  } while (path.size() > guarded.grant.size());
}

// "" when it has none.
std::string PathOf(int directory) {
  std::string text(PATH_MAX, '\0');
  const std::string link = "/proc/self/fd/" + std::to_string(directory);
  const ssize_t size = ::readlink(link.c_str(), text.data(), text.size());
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return text;
}

Error CannotRemember(const std::string& path, int number) {
  if (number == EFBIG) {
    return {.code = ErrorCode::kSetupFailed,
            .message = "there is more than can be put back among what `protect` names, with " + Quoted(path),
            .pointer = "/filesystem/protect",
            .hint = "grant less, or write \"protect\": []"};
  }
  Error error = SystemError(ErrorCode::kSetupFailed, "read " + Quoted(path) + " to put it back", number);
  error.pointer = "/filesystem/protect";
  error.hint = "make it readable, or write \"protect\": []";
  return error;
}

Error Replaced(const std::string& path) {
  return SetupFailed(Quoted(path) + " was replaced while the sandbox was being set up",
                     "run the command again; something else is writing there");
}

// Whether something stands at the first name below `above` on the way to `path`.
bool Leads(int directory, const std::string& above, const std::string& path) {
  struct stat status {};
  const std::string next{NextOnTheWay(above, path)};
  return ::fstatat(directory, std::string(NameOf(next)).c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
}

// Takes away what is not wanted, as MakeAgain.
MadeAgain TakenAway(int directory, const std::string& name) {
  KeptFile nothing;
  return MakeAgain(directory, name, nothing);
}

}  // namespace

bool GuardedPaths::NoteDirectory(const std::string& path, int borrowed) {
  Directory& directory = directories_[path];
  struct stat status {};
  if (::fstat(borrowed, &status) != 0) return false;
  if (directory.there) return true;
  directory.device = status.st_dev;
  directory.inode = status.st_ino;
  directory.identity = IdentityOf(borrowed);
  directory.mode = status.st_mode;
  directory.there = true;
  return true;
}

Status GuardedPaths::RememberMissing(Place& place, GuardedPaths& guarded) {
  guarded.directories_[place.directory];
  for (place.above = place.directory;;) {
    place.above = std::string(ParentOf(place.above));
    const Result<NamedPlace> found = OpenPlace(JoinPath(place.above, "."));
    if (!found && place.above != "/") continue;
    if (!found || !guarded.NoteDirectory(place.above, found->directory.Get()))
      return CannotRemember(place.path.path, errno);
    place.above_leads = Leads(found->directory.Get(), place.above, place.path.path);
    return Done{};
  }
}

Status GuardedPaths::RememberOne(GuardedPath path, KeepRoom& room, GuardedPaths& guarded) {
  Place place{.path = std::move(path)};
  place.directory = ParentOf(place.path.path);
  place.name = NameOf(place.path.path);
  if (const Result<NamedPlace> found = OpenPlace(place.path.path)) {
    const int fd = found->directory.Get();
    struct stat status {};
    if (!guarded.NoteDirectory(place.directory, fd)) return CannotRemember(place.path.path, errno);
    const auto& object = place.path.object;
    const bool is_link = !place.path.link.empty();
    if (!object && !is_link)
      RemoveStalePlaceholder(fd, place.name);  // of which the policy has taken no notice
    const bool stands = ::fstatat(fd, place.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
    const bool same = object && status.st_dev == object->device && status.st_ino == object->inode;
    if (!is_link && (stands ? !same : object.has_value())) return Replaced(place.path.path);
    if (Keep(fd, place.name, room, place.kept) != 0) return CannotRemember(place.path.path, errno);
    if (is_link && (!S_ISLNK(place.kept.mode) || place.kept.text != place.path.link))
      return Replaced(place.path.path);
  } else if (place.path.object || !place.path.link.empty()) {
    return Replaced(place.path.path);
  } else if (Status missing = RememberMissing(place, guarded); !missing) {
    return missing;
  }
  guarded.places_.push_back(std::move(place));
  return Done{};
}

Result<GuardedPaths> GuardedPaths::Remember(std::vector<GuardedPath> paths) {
  GuardedPaths guarded;
  KeepRoom room = kRoom;
  std::sort(paths.begin(), paths.end(), [](const GuardedPath& left, const GuardedPath& right) {
    return left.path.size() < right.path.size();
  });
  for (GuardedPath& path : paths) {
    // What stands in a remembered directory is remembered with it.
    const bool inside = std::any_of(guarded.places_.begin(), guarded.places_.end(), [&](const Place& place) {
      return S_ISDIR(place.kept.mode) && IsIn(path.path, place.path.path);
    });
    if (inside) continue;
    if (Status kept = RememberOne(std::move(path), room, guarded); !kept) return kept.error();
  }
  return guarded;
}

void GuardedPaths::Open() {
  for (auto& [path, directory] : directories_) {
    static_cast<void>(directory.opened.Release());  // in the cleanup process these numbers are others'
    if (!directory.there) continue;
    const Result<NamedPlace> place = OpenPlace(path == "/" ? "/." : path + "/.");
    struct stat status {};
    UniqueFd opened{place ? ::openat(place->directory.Get(), ".", kListed) : -1};
    directory.failure = opened ? ESTALE : errno;
    if (!opened || ::fstat(opened.Get(), &status) != 0) continue;
    if (status.st_dev == directory.device && status.st_ino == directory.inode)
      directory.opened = std::move(opened);
  }
}

int GuardedPaths::LockOne(const Place& place) {
  const bool missing = !place.above.empty();
  Directory& directory = directories_.find(missing ? place.above : place.directory)->second;
  errno = directory.failure;
  if (!directory.opened) return -1;
  if (!directory.locked && ::flock(directory.opened.Get(), LOCK_EX | LOCK_NB) != 0) return -1;
  directory.locked = true;
  // It was read before the lock: another run may have restored it since.
  errno = ESTALE;
  const int fd = directory.opened.Get();
  const bool same = missing ? Leads(fd, place.above, place.path.path) == place.above_leads
                            : IsAsKept(fd, place.name, place.kept);
  return same ? 0 : -1;
}

std::size_t GuardedPaths::OpenAlone() {
  Open();
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (LockOne(places_[i]) != 0) return i;
  }
  return places_.size();
}

bool GuardedPaths::Locks(std::string_view directory) const {
  const auto found = directories_.find(directory);
  return found != directories_.end() && found->second.locked;
}

void GuardedPaths::Note(const std::string& path, const MadeAgain& made, bool gone) {
  PutBackPath& noted = found_[path];
  const std::string before = std::exchange(noted.aside, {});
  noted = {.path = path,
           .aside = made.aside.empty() ? before : JoinPath(ParentOf(path), made.aside),
           .failure = made.failure,
           .gone = gone || noted.gone,
           .missing = !made.failure.empty() && !made.stands};
}

// The same way down leads from it to the directory that is known. Only what is in the grant is renamed.
bool GuardedPaths::MoveBack(const Place& place, const std::string& path, int borrowed_here) const {
  const Directory& known = directories_.find(place.directory)->second;
  const std::string way = place.directory.substr(path.size());
  UniqueFd moved{known.opened ? ::openat(known.opened.Get(), ".", kDirectoryItself) : -1};
  for (auto up = std::count(way.begin(), way.end(), '/'); moved && up > 0; --up)
    moved = UniqueFd{::openat(moved.Get(), "..", kDirectoryItself)};
  struct stat status {};
  if (!moved || ::fstat(moved.Get(), &status) != 0) return false;
  const std::string from = PathOf(moved.Get());
  const Result<NamedPlace> down = OpenPlace(from + way + "/.");
  struct stat led {};
  if (!IsIn(from, place.path.grant) || !down || ::fstat(down->directory.Get(), &led) != 0 ||
      led.st_dev != known.device || led.st_ino != known.inode)
    return false;
  const Result<NamedPlace> there = OpenPlace(from);
  if (!there || ::fstatat(there->directory.Get(), there->name.c_str(), &led, AT_SYMLINK_NOFOLLOW) != 0 ||
      led.st_dev != status.st_dev || led.st_ino != status.st_ino)
    return false;
  const WritableDirectory opened_from{there->directory.Get()};
  const WritableDirectory opened_to{borrowed_here};
  const WritableDirectory opened{moved.Get()};  // its ".." is written
  const std::string name{NameOf(path)};
  return ::renameat(there->directory.Get(), there->name.c_str(), borrowed_here, name.c_str()) == 0;
}

// Component by component, as OpenPlace: the command could put a link anywhere below its grant.
UniqueFd GuardedPaths::OpenOther(const std::string& directory, const Place& place) {
  UniqueFd here{::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)};
  for (std::size_t from = 1; here && from < directory.size();) {
    const std::size_t end = std::min(directory.find('/', from), directory.size());
    const std::string name = directory.substr(from, end - from);
    UniqueFd next{::openat(here.Get(), name.c_str(), kDirectoryItself)};
    const std::string path = directory.substr(0, end);
    if (!next && errno == ENOTDIR && IsIn(path, place.path.grant)) {
      const MadeAgain taken = TakenAway(here.Get(), name);
      const bool again = taken.failure.empty() && MoveBack(place, path, here.Get());
      Note(path, taken, !again);
      if (again) next = UniqueFd{::openat(here.Get(), name.c_str(), kDirectoryItself)};
    }
    here = std::move(next);
    from = end + 1;
  }
  const Directory& known = directories_.find(directory)->second;
  struct stat status {};
  if (!here || ::fstat(here.Get(), &status) != 0) return UniqueFd{};
  const bool same = known.there && status.st_dev == known.device && status.st_ino == known.inode;
  return same ? UniqueFd{} : std::move(here);
}

// Without the right to search the directory, everything in it would look changed.
bool GuardedPaths::GiveRightsBack(const std::string& path) {
  const Directory& known = directories_.find(path)->second;
  if (!known.opened || !GiveOwnersRightsBack(known.opened.Get(), known.mode & 07777U)) return false;
  Note(path, {});
  return true;
}

bool GuardedPaths::PutBackOne(Place& place) {
  const bool closed = GiveRightsBack(place.directory);
  const int known = directories_.find(place.directory)->second.opened.Get();
  struct stat status {};
  // A directory that was removed has no links left.
  const bool stands = known >= 0 && ::fstat(known, &status) == 0 && status.st_nlink > 0;
  bool changed = closed;
  const bool same = !stands || IsAsKept(known, place.name, place.kept);
  if (same && place.failed) {
    place.failed = false;
    Note(place.path.path, {});
  }
  if (!same) {
    const MadeAgain made = MakeAgain(known, place.name, place.kept);
    changed = changed || made.changed;
    place.failed = !made.failure.empty();
    place.missing = place.failed && !made.stands;
    Note(place.path.path, made);
    if (place.kept.other_owner && found_[place.path.path].failure.empty())
      found_[place.path.path].failure = "its owner or group is another, what it says was put back";
  }
  const std::size_t noted = found_.size();
  const UniqueFd other = OpenOther(place.directory, place);
  if (other && ::fstatat(other.Get(), place.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
      !IsAsKept(other.Get(), place.name, place.kept)) {
    const MadeAgain taken = TakenAway(other.Get(), place.name);
    changed = changed || taken.changed;
    Note(place.path.path, taken, place.kept.mode != 0);
  }
  return changed || found_.size() != noted;
}

bool GuardedPaths::PutBack() {
  bool changed = false;
  for (Place& place : places_) changed = PutBackOne(place) || changed;
  return changed;
}

std::vector<PutBackPath> GuardedPaths::Found() const {
  std::vector<PutBackPath> found;
  for (const auto& [path, each] : found_) {
    found.push_back(each);
    struct stat status {};
    found.back().gone = each.gone && ::lstat(path.c_str(), &status) != 0;
    if (::lstat(each.aside.c_str(), &status) != 0) found.back().aside.clear();
  }
  return found;
}

GuardedPaths::Left GuardedPaths::LeftOf(const Place& place) const {
  const Directory& directory = directories_.find(place.above.empty() ? place.directory : place.above)->second;
  return {.path = place.path.path,
          .directory = directory.identity,
          .above = place.above,
          .mode = directory.mode & 07777U,
          .kept = place.kept,
          .missing = place.missing};
}

std::vector<GuardedPaths::Left> GuardedPaths::NotRestored() const {
  std::vector<Left> left;
  for (const Place& place : places_) {
    if (place.failed) left.push_back(LeftOf(place));
  }
  return left;
}

std::vector<GuardedPaths::Left> GuardedPaths::All() const {
  std::vector<Left> all;
  all.reserve(places_.size());
  for (const Place& place : places_) all.push_back(LeftOf(place));
  return all;
}

std::set<std::string> GuardedPaths::Directories() const {
  std::set<std::string> paths;
  for (const Place& place : places_)
    ForEachOnTheWay(place.path, [&](const std::string& path) { paths.emplace(ParentOf(path)); });
  return paths;
}

std::set<std::string, std::less<>> GuardedPaths::Names() const {
  std::set<std::string, std::less<>> names;
  for (const Place& place : places_)
    ForEachOnTheWay(place.path, [&](const std::string& path) { names.emplace(NameOf(path)); });
  return names;
}

std::vector<std::string> GuardedPaths::Objects() const {
  std::vector<std::string> paths;
  // NOLINTNEXTLINE(misc-no-recursion): as deep as KeepRoom::levels
  const auto add = [&](const auto& self, const std::string& path, const KeptFile& kept) -> void {
    if (S_ISDIR(kept.mode) || S_ISREG(kept.mode)) paths.push_back(path);
    for (const auto& [name, entry] : kept.entries) self(self, path + "/" + name, entry);
  };
  for (const Place& place : places_) add(add, place.path.path, place.kept);
  return paths;
}

}  // namespace mxc
