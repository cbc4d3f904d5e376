#include "host/closed_files_linux.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <string_view>

#include "base/unique_fd.h"
#include "host/read_directory_linux.h"

namespace mxc {
namespace {

constexpr mode_t kForOthers = S_IROTH;
constexpr mode_t kDirectoryForOthers = S_IROTH | S_IXOTH;
// A system has some thousand files there, a few levels deep. What is beyond counts as closed.
constexpr std::size_t kMaxEntries = 100000;
constexpr std::size_t kMaxDepth = 64;

// A path is put together only where there is something to tell.
class Search {
 public:
  std::vector<std::string> Run(const std::string& directory) {
    path_ = directory;
    Enter(AT_FDCWD, directory.c_str(), 0);
    return std::move(closed_);
  }

 private:
  // The directories in a directory, each name with its NUL: the kernel's answer is read before one is
  // entered.
  using Names = std::string;

  void Enter(int above_fd, const char* name, std::size_t depth);
  void Judge(int directory_fd, const KernelDirectoryEntry& entry, std::string_view name, Names& below);
  void Close(std::string_view name) {
    std::string path = path_;
    if (!name.empty()) path.append("/").append(name);
    if (::access(path.c_str(), R_OK) == 0) closed_.push_back(std::move(path));
  }

  std::string path_ = {};  // of the directory we are in
  std::vector<std::string> closed_ = {};
  std::size_t seen_ = 0;
};

void Search::Judge(int directory_fd, const KernelDirectoryEntry& entry, std::string_view name, Names& below) {
  ++seen_;
  if (entry.type == DT_LNK) return;
  const auto enter_later = [&] { below.append(name).push_back('\0'); };
  if (entry.type == DT_DIR) return enter_later();
  struct stat status {};
  if (::fstatat(directory_fd, entry.name, &status, AT_SYMLINK_NOFOLLOW) != 0) return Close(name);
  if (S_ISLNK(status.st_mode)) return;
  if (S_ISDIR(status.st_mode)) return enter_later();
  if ((status.st_mode & kForOthers) == 0) Close(name);
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as kMaxDepth
void Search::Enter(int above_fd, const char* name, std::size_t depth) {
  const UniqueFd fd{::openat(above_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  struct stat status {};
  const bool open = fd && ::fstat(fd.Get(), &status) == 0 && seen_ < kMaxEntries && depth < kMaxDepth &&
                    (status.st_mode & kDirectoryForOthers) == kDirectoryForOthers;
  if (!open) return Close("");
  Names below;
  const auto judge = [&](const KernelDirectoryEntry& entry, std::string_view entry_name) {
    Judge(fd.Get(), entry, entry_name, below);
  };
  if (ReadDirectory(fd.Get(), judge) != 0) return Close("");
  const std::size_t here = path_.size();
  for (std::size_t at = 0; at < below.size(); at = below.find('\0', at) + 1) {
    path_.append("/").append(below.c_str() + at);
    Enter(fd.Get(), below.c_str() + at, depth + 1);
    path_.resize(here);
  }
}

}  // namespace

std::vector<std::string> FindClosedFiles(const std::string& directory) { return Search().Run(directory); }

}  // namespace mxc
