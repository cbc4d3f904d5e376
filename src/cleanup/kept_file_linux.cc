#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <vector>

#include "base/own_files.h"
#include "base/pipe.h"
#include "base/quoted.h"
#include "base/unique_fd.h"
#include "cleanup/kept_file.h"
#include "cleanup/named_place.h"

namespace mxc {
namespace {

constexpr int kReadKept = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
constexpr mode_t kRights = 07777;

// Up to `limit` bytes and one more, which tells that there are more. -1 with errno.
int ReadKept(int file, std::size_t limit, std::string& text) {
  std::array<char, 16384> buffer{};
  while (text.size() <= limit) {
    const ssize_t count = ::read(file, buffer.data(), std::min(buffer.size(), limit + 1 - text.size()));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return static_cast<int>(count);
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return 0;
}

int ReadLinkAt(int directory, const std::string& name, std::string& text) {
  std::array<char, 4096> buffer{};
  const ssize_t count = ::readlinkat(directory, name.c_str(), buffer.data(), buffer.size());
  if (count < 0) return -1;
  text.assign(buffer.data(), static_cast<std::size_t>(count));
  return 0;
}

int KeepText(int directory, const std::string& name, KeepRoom& room, KeptFile& kept) {
  if (S_ISLNK(kept.mode)) return ReadLinkAt(directory, name, kept.text);
  const UniqueFd file{::openat(directory, name.c_str(), kReadKept)};
  if (!file || ReadKept(file.Get(), room.bytes, kept.text) != 0) return -1;
  if (kept.text.size() > room.bytes) {
    errno = EFBIG;
    return -1;
  }
  room.bytes -= kept.text.size();
  return 0;
}

// It is what the kernel still finds under that name.
UniqueFd OpenKeptDirectory(int directory, const std::string& name) {
  return UniqueFd{::openat(directory, name.c_str(), kReadKept | O_DIRECTORY)};
}

bool IsTextAsKept(int directory, const std::string& name, const KeptFile& kept) {
  std::string text;
  if (S_ISLNK(kept.mode)) return ReadLinkAt(directory, name, text) == 0 && text == kept.text;
  const UniqueFd file{::openat(directory, name.c_str(), kReadKept)};
  return file && ReadKept(file.Get(), kept.text.size(), text) == 0 && text == kept.text;
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as what was kept
bool IsTreeAsKept(int directory, const std::string& name, const KeptFile& kept) {
  const UniqueFd opened = OpenKeptDirectory(directory, name);
  std::vector<std::string> names;
  if (!opened || ListNames(opened.Get(), kept.entries.size(), names) != 0) return false;
  if (names.size() != kept.entries.size()) return false;
  return std::all_of(kept.entries.begin(), kept.entries.end(),
                     [&](const auto& entry) { return IsAsKept(opened.Get(), entry.first, entry.second); });
}

// Notes the owner and group that the copy has got. Where they are others, it loses the set-id bits, and its
// group the rights that not everybody has.
void NoteOwner(const struct stat& made, KeptFile& kept) {
  constexpr unsigned kGroupBits = 3;
  if (made.st_uid != kept.uid) kept.mode &= ~static_cast<mode_t>(S_ISUID);
  if (made.st_gid != kept.gid)
    kept.mode &= ~static_cast<mode_t>(S_ISGID | S_IRWXG) | ((kept.mode & S_IRWXO) << kGroupBits);
  kept.other_owner = kept.other_owner || made.st_uid != kept.uid || made.st_gid != kept.gid;
  kept.uid = made.st_uid;
  kept.gid = made.st_gid;
}

// Sets the mode after the owner: chown clears the set-id bits, and so does chmod for a group that the caller
// is not in.
int GiveRights(int file, KeptFile& kept) {
  struct stat made {};
  if (::fchown(file, kept.uid, kept.gid) != 0) {
    [[maybe_unused]] const int group = ::fchown(file, static_cast<uid_t>(-1), kept.gid);
    if (::fstat(file, &made) != 0) return -1;
    NoteOwner(made, kept);
  }
  if (::fchmod(file, kept.mode & kRights) != 0 || ::fstat(file, &made) != 0) return -1;
  kept.mode &= made.st_mode | ~static_cast<mode_t>(S_ISUID | S_ISGID);
  return 0;
}

int MakeLink(int directory, const std::string& name, KeptFile& kept) {
  struct stat made {};
  if (::symlinkat(kept.text.c_str(), directory, name.c_str()) != 0) return -1;
  if (::fchownat(directory, name.c_str(), kept.uid, kept.gid, AT_SYMLINK_NOFOLLOW) == 0) return 0;
  if (::fstatat(directory, name.c_str(), &made, AT_SYMLINK_NOFOLLOW) != 0) return -1;
  const mode_t mode = kept.mode;  // no link has another
  NoteOwner(made, kept);
  kept.mode = mode;
  return 0;
}

// Other kinds of files are not restored: git reads none of them.
bool IsMade(const KeptFile& kept) { return S_ISREG(kept.mode) || S_ISDIR(kept.mode) || S_ISLNK(kept.mode); }

// Under a name where nothing stands.
// NOLINTNEXTLINE(misc-no-recursion): the same
int Make(int directory, const std::string& name, KeptFile& kept) {
  if (S_ISLNK(kept.mode)) return MakeLink(directory, name, kept);
  if (S_ISREG(kept.mode)) {
    constexpr int kNew = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    const UniqueFd file{::openat(directory, name.c_str(), kNew, 0600)};
    return file && WriteAll(file.Get(), kept.text) ? GiveRights(file.Get(), kept) : -1;
  }
  if (::mkdirat(directory, name.c_str(), 0700) != 0) return -1;
  const UniqueFd opened = OpenKeptDirectory(directory, name);
  if (!opened) return -1;
  std::erase_if(kept.entries, [](const auto& entry) { return !IsMade(entry.second); });
  for (auto& [below, entry] : kept.entries) {
    if (Make(opened.Get(), below, entry) != 0) return -1;
    kept.other_owner = kept.other_owner || entry.other_owner;
  }
  return GiveRights(opened.Get(), kept);
}

// Returns an errno, with nothing left of it, or 0.
int MakeWhole(int directory, const std::string& name, KeptFile& kept) {
  if (Make(directory, name, kept) == 0) return 0;
  const int number = errno;
  static_cast<void>(RemoveNamed(directory, name));
  return number == 0 ? EIO : number;
}

// Once more, where the file system was full: in the room of what was renamed to `aside`; "": it is removed.
int MakeInItsRoom(int directory, const std::string& name, KeptFile& kept, int number, std::string& aside) {
  if (!IsOfNoRoom(number) || aside.empty()) return number;
  if (EmptyNamed(directory, aside)) number = MakeWhole(directory, name, kept);
  if (number == 0 || !RemoveNamed(directory, aside)) return number;
  aside.clear();
  return MakeWhole(directory, name, kept);
}

// Where the directory gives away no name: in the file itself, which is left empty if there is no room.
bool Overwrite(int directory, const std::string& name, KeptFile& kept) {
  if (!S_ISREG(kept.mode) || !EmptyNamed(directory, name)) return false;
  const UniqueFd file{::openat(directory, name.c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
  return file && WriteAll(file.Get(), kept.text) && GiveRights(file.Get(), kept) == 0;
}

// Keeps one copy of files with equal contents: a program may write the same file again and again.
std::string OneOfAlike(int directory, const std::string& name, const std::string& aside) {
  constexpr std::size_t kMostNames = 4096;
  KeepRoom room{.files = 1, .bytes = std::size_t{1} << 20U};
  KeptFile left;
  std::vector<std::string> names;
  if (Keep(directory, aside, room, left) != 0 || !S_ISREG(left.mode) ||
      ListNames(directory, kMostNames, names) != 0)
    return aside;
  for (const std::string& other : names) {
    struct stat status {};
    const bool alike = other != aside && other.starts_with(NameAside(name, "")) &&
                       ::fstatat(directory, other.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
                       S_ISREG(status.st_mode) && IsTextAsKept(directory, other, left);
    if (alike && ::unlinkat(directory, aside.c_str(), 0) == 0) return other;
  }
  return aside;
}

}  // namespace

// NOLINTNEXTLINE(misc-no-recursion): as deep as KeepRoom::levels
int Keep(int borrowed_directory, const std::string& name, KeepRoom& room, KeptFile& kept) {
  struct stat status {};
  if (::fstatat(borrowed_directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
    return errno == ENOENT ? 0 : -1;
  kept = {.mode = status.st_mode, .uid = status.st_uid, .gid = status.st_gid, .links = status.st_nlink};
  if (room.files == 0 || room.levels == 0) {
    errno = EFBIG;
    return -1;
  }
  --room.files;
  if (S_ISREG(kept.mode) || S_ISLNK(kept.mode)) return KeepText(borrowed_directory, name, room, kept);
  if (!S_ISDIR(kept.mode)) return 0;
  const UniqueFd opened = OpenKeptDirectory(borrowed_directory, name);
  std::vector<std::string> names;
  if (!opened || ListNames(opened.Get(), room.files, names) != 0) return -1;
  --room.levels;
  for (const std::string& below : names) {
    if (Keep(opened.Get(), below, room, kept.entries[below]) != 0) return -1;
  }
  ++room.levels;
  return 0;
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as what was kept
bool IsAsKept(int borrowed_directory, const std::string& name, const KeptFile& kept) {
  struct stat status {};
  if (::fstatat(borrowed_directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
    return errno == ENOENT && kept.mode == 0;
  const bool same = status.st_mode == kept.mode && status.st_uid == kept.uid && status.st_gid == kept.gid;
  if (!same || (S_ISREG(kept.mode) && status.st_nlink > kept.links)) return false;
  if (S_ISDIR(kept.mode)) return IsTreeAsKept(borrowed_directory, name, kept);
  return (!S_ISREG(kept.mode) && !S_ISLNK(kept.mode)) || IsTextAsKept(borrowed_directory, name, kept);
}

MadeAgain MakeAgain(int borrowed_directory, const std::string& name, KeptFile& kept) {
  const WritableDirectory writable{borrowed_directory};
  const std::string made = NameAside(name, "-" + RandomName());
  if (!IsMade(kept)) kept = {};
  // Before anything is taken away: programs of the host find one or the other.
  int number = kept.mode == 0 ? 0 : MakeWhole(borrowed_directory, made, kept);
  struct stat there {};
  const auto stands = [&] {
    return ::fstatat(borrowed_directory, name.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0;
  };
  MadeAgain done;
  if (stands()) {
    Result<std::string> aside = TakeAway(borrowed_directory, name);
    if (!aside) {
      static_cast<void>(RemoveNamed(borrowed_directory, made));
      done.changed = Overwrite(borrowed_directory, name, kept);
      if (!done.changed) done.failure = aside.error().message;
      done.stands = true;
      return done;
    }
    done.changed = true;
    done.aside = std::move(*aside);
    number = MakeInItsRoom(borrowed_directory, made, kept, number, done.aside);
  }
  if (number == 0 && kept.mode != 0 &&
      ::renameat(borrowed_directory, made.c_str(), borrowed_directory, name.c_str()) != 0) {
    number = errno;
    static_cast<void>(RemoveNamed(borrowed_directory, made));
  }
  done.changed = done.changed || number == 0;
  if (number != 0) {
    done.failure = SystemError(ErrorCode::kSetupFailed, "write " + Quoted(name), number).message;
    done.stands = stands();
  }
  if (!done.aside.empty()) done.aside = OneOfAlike(borrowed_directory, name, done.aside);
  return done;
}

}  // namespace mxc
