#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>

#include "base/remove_tree.h"

namespace mxc {
namespace {

constexpr int kDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

// A directory's own mode may keep its owner out. It is changed by the object, because another may have been
// put at the name, a link for instance. Where this fails, opening it does. -1: no directory.
int OpenAndLetUsIn(int directory, const char* name) {
  const int object = ::openat(directory, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (object < 0) return -1;
  std::array<char, 32> path{"/proc/self/fd/"};
  *std::to_chars(path.data() + 14, path.data() + path.size() - 1, object).ptr = '\0';
  if (::chmod(path.data(), 0700) != 0) errno = 0;
  return object;
}

int OpenDirectory(int directory, const char* name) {
  const int object = OpenAndLetUsIn(directory, name);
  if (object < 0) return -1;
  const int opened = ::openat(object, ".", kDirectory);
  ::close(object);
  return opened;
}

// What stands deeper than one level is moved up to the top first, so nothing has to be remembered.
class Remover {
 public:
  explicit Remover(int top) : top_(top) {}

  // One walk over the top level; false when nothing could be done.
  bool Round() {
    done_ = 0;
    Walk(top_, &Remover::RemoveAtTop);
    return done_ != 0;
  }

 private:
  using Visit = void (Remover::*)(int directory, const char* name);

  void Walk(int directory, Visit visit) {
    alignas(dirent) std::array<char, 8192> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init)
    static_assert(sizeof(dirent::d_off) == 8, "the layout of getdents64");
    ::lseek(directory, 0, SEEK_SET);
    long count = 0;
    while ((count = ::syscall(SYS_getdents64, directory, buffer.data(), buffer.size())) > 0) {
      for (long at = 0; at < count;) {
        const auto* entry = reinterpret_cast<const dirent*>(buffer.data() + at);
        at += entry->d_reclen;
        if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0) continue;
        (this->*visit)(directory, entry->d_name);
      }
    }
  }

  bool Remove(int directory, const char* name) {
    const bool gone = ::unlinkat(directory, name, 0) == 0 || ::unlinkat(directory, name, AT_REMOVEDIR) == 0;
    if (gone) ++done_;
    return gone;
  }

  void RemoveAtTop(int top, const char* name) {
    if (Remove(top, name)) return;
    const int inner = OpenDirectory(top, name);
    if (inner < 0) return;
    Walk(inner, &Remover::RemoveOrLift);
    ::close(inner);
    Remove(top, name);
  }

  void RemoveOrLift(int directory, const char* name) {
    if (Remove(directory, name)) return;
    const int object = OpenAndLetUsIn(directory, name);
    if (object >= 0) ::close(object);
    for (;;) {
      std::array<char, 32> lifted{"lifted-"};
      char* const end = lifted.data() + lifted.size() - 1;
      *std::to_chars(lifted.data() + 7, end, ++counter_).ptr = '\0';
      const long moved = ::syscall(SYS_renameat2, directory, name, top_, lifted.data(), RENAME_NOREPLACE);
      if (moved == 0) ++done_;
      if (moved == 0 || errno != EEXIST) return;
    }
  }

  int top_;
  std::uint64_t counter_ = 0;
  std::uint64_t done_ = 0;
};

}  // namespace

void RemoveTree(const char* path) {
  const int top = OpenDirectory(AT_FDCWD, path);
  if (top < 0) return;
  Remover remover{top};
  while (remover.Round()) {
  }
  ::close(top);
  ::rmdir(path);
}

}  // namespace mxc
