#include "ffi/loaded_from.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string_view>

#include "base/lists.h"
#include "base/unique_fd.h"

namespace mxc::ffi {
namespace {

struct MappedFile {
  std::string identity = {};  // device and inode, as /proc/self/maps has them
  std::string path = {};
};

std::string ReadMaps() {
  const UniqueFd maps{::open("/proc/self/maps", O_RDONLY | O_CLOEXEC)};
  std::string text;
  char part[4096];
  for (;;) {
    const ssize_t count = maps ? ::read(maps.Get(), &part[0], sizeof part) : 0;
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(&part[0], static_cast<std::size_t>(count));
  }
}

std::string_view TakeField(std::string_view& line) {
  const std::string_view field = line.substr(0, line.find(' '));
  line.remove_prefix(field.size());
  while (line.starts_with(' ')) line.remove_prefix(1);
  return field;
}

std::uintptr_t Number(std::string_view digits) {
  std::uintptr_t number = 0;
  for (const char digit : digits)
    number = number * 16 + static_cast<std::uintptr_t>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
  return number;
}

// "7f12a000-7f12b000 r-xp 00001000 08:01 1234    /usr/lib/libmxc_ffi.so"
MappedFile FileMappedAt(const void* address) {
  const std::string text = ReadMaps();
  for (std::string_view rest = text; !rest.empty();) {
    std::string_view line = TakePiece(rest, '\n');
    const std::string_view range = TakeField(line);
    const std::size_t dash = range.find('-');
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    if (dash == range.npos || at < Number(range.substr(0, dash)) || at >= Number(range.substr(dash + 1)))
      continue;
    TakeField(line);
    TakeField(line);
    std::string identity{TakeField(line)};
    identity.append(" ").append(TakeField(line));
    return {.identity = std::move(identity), .path = std::string(line)};
  }
  return {};
}

// Overlays and btrfs give stat(2) other numbers than the list of mappings: the file at the path is mapped,
// too, and both are asked of that list.
bool IsStill(const MappedFile& file) {
  const UniqueFd opened{::open(file.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)};
  if (!opened) return false;
  void* const page = ::mmap(nullptr, 1, PROT_READ, MAP_PRIVATE, opened.Get(), 0);
  if (page == MAP_FAILED) return false;
  const bool same = FileMappedAt(page).identity == file.identity;
  ::munmap(page, 1);
  return same;
}

std::string* noted_folder = nullptr;  // stays: nothing here is destroyed

[[gnu::constructor]] void NoteFolder() {
  const MappedFile file = FileMappedAt(reinterpret_cast<const void*>(&NoteFolder));
  noted_folder = new std::string;
  if (file.path.starts_with('/') && IsStill(file)) *noted_folder = file.path.substr(0, file.path.rfind('/'));
}

}  // namespace

const std::string& FolderOfLibrary() { return *noted_folder; }

}  // namespace mxc::ffi
