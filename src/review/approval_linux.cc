#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <ctime>
#include <string_view>

#include "base/own_files.h"
#include "base/runtime_directory.h"
#include "base/shared_file.h"
#include "hash/sha256.h"
#include "review/approval.h"

namespace mxc {
namespace {

constexpr std::string_view kPrefix = "sha256:";
constexpr std::size_t kHashDigits = 2 * Sha256::kBytes;

Result<UniqueFd> OpenNotes() {
  const Result<RuntimeDirectory> place = RuntimeDirectory::Open();
  if (!place) return place.error();
  return place->MakeBelow(kApprovalNotes);
}

bool IsFresh(std::time_t made) {
  constexpr std::uint64_t kMsPerSecond = 1000;
  const std::time_t age = std::time(nullptr) - made;
  return age >= 0 && static_cast<std::uint64_t>(age) * kMsPerSecond <= kApprovalMs;
}

// It becomes a file's name.
bool IsApproval(std::string_view text) {
  return text.starts_with(kPrefix) && text.size() == kPrefix.size() + kHashDigits &&
         text.find_first_not_of("0123456789abcdef", kPrefix.size()) == std::string_view::npos;
}

// Each refusal leaves one.
void RemoveOld(int notes) {
  DIR* const listing = ::fdopendir(::openat(notes, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (listing == nullptr) return;
  while (const dirent* const entry = ::readdir(listing)) {
    struct stat status {};
    const bool old = IsApproval(entry->d_name) &&
                     ::fstatat(notes, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
                     !IsFresh(status.st_mtime);
    if (old) ::unlinkat(notes, entry->d_name, 0);
  }
  ::closedir(listing);
}

// 0: the file system names no mounts.
int MountOf(int fd) {
  file_handle none{};  // no room: the mount is told nevertheless
  int mount = 0;
  ::name_to_handle_at(fd, "", &none, &mount, AT_EMPTY_PATH);
  return mount;
}

}  // namespace

std::string IdentityOfPlace(const std::string& path) {
  const UniqueFd place{::open(path.c_str(), O_PATH | O_CLOEXEC)};
  struct stat status {};
  if (!place || ::fstat(place.Get(), &status) != 0) return {};
  return fmt::format("{} {} {} {}", status.st_dev, status.st_ino, IdentityOfFile(place.Get()),
                     MountOf(place.Get()));
}

bool IsPlace(const std::string& path, const FileObject& object) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && status.st_dev == object.device &&
         status.st_ino == object.inode;
}

Result<std::string> LeaveNote(const std::string& request_hash) {
  const Result<UniqueFd> notes = OpenNotes();
  if (!notes) return notes.error();
  RemoveOld(notes->Get());
  std::array<unsigned char, 32> random{};
  if (!FillRandom(random)) return SetupFailed("the system gives no random bytes");
  const std::string approval =
      std::string(kPrefix) + Sha256Text(request_hash + std::string(random.begin(), random.end()));
  const UniqueFd note{
      ::openat(notes->Get(), approval.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)};
  // With the time: a command under Landlock alone can change that of the file.
  const std::string text = request_hash + std::to_string(std::time(nullptr));
  if (note && WriteSome(note.Get(), text) == static_cast<std::int64_t>(text.size())) return approval;
  return SystemError(ErrorCode::kSetupFailed, "note what is to be approved", errno);
}

// Of several that approve at once, one takes it away: the name never comes back.
Result<NoteTaken> TakeNote(const std::string& approval, const std::string& request_hash) {
  if (!IsApproval(approval)) return NoteTaken::kNone;
  const Result<UniqueFd> notes = OpenNotes();
  if (!notes) return notes.error();
  const UniqueFd note = OpenKept(notes->Get(), approval);
  if (!note) return NoteTaken::kNone;
  constexpr std::size_t kTimeDigits = 20;
  std::string text(kHashDigits + kTimeDigits, '\0');
  text.resize(static_cast<std::size_t>(std::max<std::int64_t>(ReadSome(note.Get(), text), 0)));
  std::time_t made = 0;
  if (text.size() > kHashDigits) std::from_chars(text.data() + kHashDigits, text.data() + text.size(), made);
  if (!IsFresh(made)) return NoteTaken::kNone;
  if (text.substr(0, kHashDigits) != request_hash) return NoteTaken::kOther;
  return ::unlinkat(notes->Get(), approval.c_str(), 0) == 0 ? NoteTaken::kTaken : NoteTaken::kNone;
}

}  // namespace mxc
