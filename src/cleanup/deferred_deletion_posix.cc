#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string_view>
#include <utility>

#include "base/quoted.h"
#include "base/unique_fd.h"
#include "cleanup/deferred_deletion.h"

namespace mxc {
namespace {

#ifdef O_PATH
constexpr int kWay = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
#else
constexpr int kWay = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
#endif

struct Place {
  UniqueFd directory = {};
  std::string name = {};
};

// Component by component: another run could have put a link anywhere on the way.
Result<Place> Open(const std::string& path) {
  UniqueFd directory{::open("/", kWay)};
  std::string_view rest = std::string_view(path).substr(1);
  for (std::size_t slash = rest.find('/'); directory && slash != std::string_view::npos;
       slash = rest.find('/')) {
    const std::string name{rest.substr(0, slash)};
    directory = UniqueFd{::openat(directory.Get(), name.c_str(), kWay)};
    rest.remove_prefix(slash + 1);
  }
  if (!directory) return SystemError(ErrorCode::kSetupFailed, "open the directory of " + Quoted(path), errno);
  return Place{.directory = std::move(directory), .name = std::string(rest)};
}

// The command may have taken the right to write in a directory away from us; not more than it has itself.
class Opened {
 public:
  explicit Opened(int directory) : directory_(directory) {
    constexpr mode_t kOwner = S_IWUSR | S_IXUSR;
    struct stat status {};
    if (::fstat(directory, &status) != 0 || status.st_uid != ::geteuid()) return;
    mode_ = status.st_mode & 07777U;
    opened_ = (mode_ & kOwner) != kOwner && ::fchmodat(directory, ".", mode_ | kOwner, 0) == 0;
  }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  ~Opened() {
    if (opened_) ::fchmodat(directory_, ".", mode_, 0);
  }

 private:
  int directory_;
  mode_t mode_ = 0;
  bool opened_ = false;
};

}  // namespace

Result<std::string> SetAside(const std::string& path, const std::string& into) {
  const std::size_t slash = path.rfind('/');
  const std::string wanted = (into.empty() ? path.substr(0, slash) : into) + path.substr(slash);
  const Result<Place> from = Open(path);
  if (!from) return from.error();
  const Result<Place> to = Open(wanted);
  if (!to) return to.error();
  const Opened opened_from{from->directory.Get()};
  const Opened opened_to{to->directory.Get()};
  constexpr int kAttempts = 1000;
  for (int i = 1; i <= kAttempts; ++i) {
    const std::string ending = i == 1 ? ".untrusted" : ".untrusted-" + std::to_string(i);
    const std::string name = to->name + ending;
    struct stat there {};
    if (::fstatat(to->directory.Get(), name.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0) continue;
    if (::renameat(from->directory.Get(), from->name.c_str(), to->directory.Get(), name.c_str()) == 0)
      return wanted + ending;
    break;
  }
  return SystemError(ErrorCode::kSetupFailed, "rename " + Quoted(path), errno);
}

Status MakeLink(const std::string& path, const std::string& text) {
  const Result<Place> place = Open(path);
  if (!place) return place.error();
  const Opened opened{place->directory.Get()};
  if (::symlinkat(text.c_str(), place->directory.Get(), place->name.c_str()) == 0) return Done{};
  return SystemError(ErrorCode::kSetupFailed, "create the link " + Quoted(path), errno);
}

}  // namespace mxc
