#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/own_files.h"
#include "base/quoted.h"

namespace mxc {
namespace {

#if defined(__linux__)
constexpr int kLook = O_PATH;
#elif defined(O_SEARCH)
constexpr int kLook = O_SEARCH;
#else
constexpr int kLook = O_RDONLY;
#endif

// The kernel's own bound (MAXSYMLINKS).
constexpr int kMaxLinks = 40;

bool IsSame(const struct stat& left, const struct stat& right) {
  return left.st_dev == right.st_dev && left.st_ino == right.st_ino;
}

bool IsNullDevice(const struct stat& status) {
  struct stat null {};
  return S_ISCHR(status.st_mode) && ::stat("/dev/null", &null) == 0 && status.st_rdev == null.st_rdev;
}

constexpr const char* kOfKernel = "it is in a file system of the kernel";

// What was found where a file of ours should be, `fd` or an entry of that directory; empty: nothing is wrong
// with it.
std::string WrongWith(const struct stat& status, int fd, OwnFile file) {
  const bool may_be_null = file == OwnFile::kLog || file == OwnFile::kResult;
  if (may_be_null && IsNullDevice(status)) return "";
  if (S_ISLNK(status.st_mode)) return "it is a symbolic link";
  if (!S_ISREG(status.st_mode)) return "it is not a regular file";
  if (IsOfKernel(fd)) return kOfKernel;
  if (status.st_uid != ::geteuid()) return fmt::format("it belongs to uid {}", status.st_uid);
  if (status.st_nlink > 1) return fmt::format("it has {} names", status.st_nlink);
  return "";
}

// The way to a file of ours, one component at a time, with each directory held open: what is renamed or
// replaced behind us changes nothing.
class OpenWay {
 public:
  // `make`: the mode of directories that are made where they are missing; 0: none are.
  explicit OpenWay(std::string_view path, mode_t make = 0) : make_(make) { Push(path); }

  // The directory that the last component stands in. False: `Problem` says why.
  bool Walk() {
    if (!directory_) Enter(::open(".", kLook | O_DIRECTORY | O_CLOEXEC));
    while (problem_.empty() && pending_.size() > 1) Step();
    const bool named = !pending_.empty() && Last() != "." && Last() != "..";
    if (problem_.empty() && !named) problem_ = std::generic_category().message(EISDIR);
    return problem_.empty();
  }
  // The last component as well.
  UniqueFd WalkAll() {
    if (!directory_) Enter(::open(".", kLook | O_DIRECTORY | O_CLOEXEC));
    while (problem_.empty() && !pending_.empty()) Step();
    return problem_.empty() ? std::move(directory_) : UniqueFd{};
  }
  [[nodiscard]] int Directory() const { return directory_.Get(); }
  [[nodiscard]] const std::string& Last() const { return pending_.back(); }
  [[nodiscard]] const std::string& Problem() const { return problem_; }
  // It is a link that was not followed.
  [[nodiscard]] bool Refused() const { return refused_; }

 private:
  void Push(std::string_view path) {
    if (path.starts_with('/')) Enter(::open("/", kLook | O_DIRECTORY | O_CLOEXEC));
    const bool directory = path.ends_with('/');
    std::vector<std::string> names;
    for (std::size_t at = 0; at < path.size();) {
      const std::size_t end = std::min(path.find('/', at), path.size());
      if (end > at) names.emplace_back(path.substr(at, end - at));
      at = end + 1;
    }
    if (directory) names.emplace_back(".");
    pending_.insert(pending_.end(), names.rbegin(), names.rend());
  }

  void Enter(int fd) {
    const int number = errno;
    directory_.Reset(fd);
    if (!directory_) problem_ = std::generic_category().message(number);
  }

  void Step() {
    const std::string name = std::move(pending_.back());
    pending_.pop_back();
    constexpr int kFlags = kLook | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    int fd = ::openat(directory_.Get(), name.c_str(), kFlags);
    if (fd < 0 && errno == ENOENT && make_ != 0 &&
        (::mkdirat(directory_.Get(), name.c_str(), make_) == 0 || errno == EEXIST))
      fd = ::openat(directory_.Get(), name.c_str(), kFlags);
    const int number = errno;
    struct stat status {};
    const bool link = fd < 0 &&
                      ::fstatat(directory_.Get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
                      S_ISLNK(status.st_mode);
    if (link) return Follow(name, status);
    errno = number;
    Enter(fd);
  }

  // Nobody but root puts links there.
  void Follow(const std::string& name, const struct stat& status) {
    struct stat here {};
    struct stat trusted {};
    bool followed = false;
    for (const char* directory : {"/", "/usr", "/var"}) {
      followed = followed || (status.st_uid == 0 && ::fstat(directory_.Get(), &here) == 0 &&
                              ::stat(directory, &trusted) == 0 && IsSame(here, trusted));
    }
    std::string text(PATH_MAX, '\0');
    const ssize_t size =
        followed ? ::readlinkat(directory_.Get(), name.c_str(), text.data(), text.size()) : 0;
    if (size <= 0 || ++links_ > kMaxLinks) {
      refused_ = true;
      problem_ = "the symbolic link " + Quoted(name) + " is on the way";
      return;
    }
    text.resize(static_cast<std::size_t>(size));
    Push(text);
  }

  UniqueFd directory_ = {};
  std::vector<std::string> pending_ = {};  // last first
  std::string problem_ = {};
  bool refused_ = false;
  int links_ = 0;
  mode_t make_ = 0;
};

int FlagsOf(OwnFile file) {
  const bool read = file == OwnFile::kAudit || file == OwnFile::kHead;
  const bool appended = file == OwnFile::kAudit || file == OwnFile::kLog;
  return (read ? O_RDWR : O_WRONLY) | (appended ? O_APPEND : 0) | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC;
}

// Looked at before it is opened, because opening a device or a pipe may do something, and afterwards, because
// by then it may be another.
UniqueFd OpenExisting(const OpenWay& way, OwnFile file, std::string& problem) {
  struct stat status {};
  if (::fstatat(way.Directory(), way.Last().c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno != ENOENT) problem = std::generic_category().message(errno);
    return UniqueFd{};
  }
  problem = WrongWith(status, way.Directory(), file);
  if (!problem.empty()) return UniqueFd{};
  const int flags = FlagsOf(file) | O_NONBLOCK;
  UniqueFd fd{::openat(way.Directory(), way.Last().c_str(), flags)};
  if (!fd && errno == ENOENT) return fd;
  if (!fd || ::fstat(fd.Get(), &status) != 0) {
    problem = std::generic_category().message(errno);
  } else {
    problem = WrongWith(status, fd.Get(), file);
  }
  return problem.empty() ? std::move(fd) : UniqueFd{};
}

UniqueFd OpenOrCreate(const OpenWay& way, OwnFile file, std::string& problem) {
  constexpr int kAttempts = 8;  // somebody may make and remove it meanwhile
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    UniqueFd fd = OpenExisting(way, file, problem);
    if (!fd && problem.empty() && IsOfKernel(way.Directory())) problem = kOfKernel;
    if (fd || !problem.empty()) return fd;
    const int flags = FlagsOf(file) | O_CREAT | O_EXCL;
    fd.Reset(::openat(way.Directory(), way.Last().c_str(), flags, 0600));
    if (fd) return fd;
    if (errno != EEXIST) {
      problem = std::generic_category().message(errno);
      return fd;
    }
  }
  problem = std::generic_category().message(EEXIST);
  return UniqueFd{};
}

}  // namespace

Result<UniqueFd> OpenOwnFile(const std::string& what, const std::string& path, OwnFile file) {
  OpenWay way(path);
  std::string problem;
  UniqueFd fd;
  if (way.Walk()) {
    fd = OpenOrCreate(way, file, problem);
  } else {
    problem = way.Problem();
  }
  struct stat status {};
  if (fd && file == OwnFile::kResult && ::fstat(fd.Get(), &status) == 0 && S_ISREG(status.st_mode) &&
      ::ftruncate(fd.Get(), 0) != 0) {
    problem = std::generic_category().message(errno);
  }
  if (problem.empty()) return fd;
  return SetupFailed(what + " " + Quoted(path) + ": " + problem);
}

Status CheckOwnFile(const std::string& what, const std::string& path, OwnFile file) {
  OpenWay way(path);
  struct stat status {};
  std::string problem;
  if (!way.Walk()) {
    if (way.Refused()) problem = way.Problem();
  } else if (::fstatat(way.Directory(), way.Last().c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) {
    problem = WrongWith(status, way.Directory(), file);
  }
  if (problem.empty()) return Done{};
  return Conflict(what + " " + Quoted(path) + ": " + problem, {},
                  "name a file of yours that no sandbox can write to, by its real path");
}

Result<UniqueFd> MakeDirectories(const std::string& path, std::uint32_t mode) {
  OpenWay way(path, static_cast<mode_t>(mode));
  const UniqueFd found = way.WalkAll();
  if (found) {
    // Of what was found only the place is known; now it can be listed and locked.
    UniqueFd directory{::openat(found.Get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (directory) return directory;
    return SystemError(ErrorCode::kSetupFailed, (mode == 0 ? "open " : "make ") + Quoted(path), errno);
  }
  return SetupFailed((mode == 0 ? "open " : "make ") + Quoted(path) + ": " + way.Problem());
}

Result<UniqueFd> OpenOwnDirectory(const std::string& path) { return MakeDirectories(path, 0); }

bool LeadsToFileOf(const std::string& path, int borrowed_fd) {
  struct stat named {};
  struct stat open {};
  return ::stat(path.c_str(), &named) == 0 && ::fstat(borrowed_fd, &open) == 0 && S_ISREG(open.st_mode) &&
         IsSame(named, open);
}

bool AreOfOneFile(int borrowed_fd, int other_fd) {
  struct stat one {};
  struct stat other {};
  return ::fstat(borrowed_fd, &one) == 0 && ::fstat(other_fd, &other) == 0 && S_ISREG(one.st_mode) &&
         IsSame(one, other);
}

bool HasOtherNames(int borrowed_fd) {
  struct stat status {};
  return ::fstat(borrowed_fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink > 1;
}

bool IsOpenDescriptor(int number) { return number >= 0 && ::fcntl(number, F_GETFD) >= 0; }

UniqueFd Duplicate(int borrowed_fd) { return UniqueFd{::fcntl(borrowed_fd, F_DUPFD_CLOEXEC, 3)}; }

std::int64_t ReadSome(int borrowed_fd, std::span<char> buffer) {
  return ::read(borrowed_fd, buffer.data(), buffer.size());
}

bool TakesText(int borrowed_fd) {
  pollfd poll{borrowed_fd, POLLOUT, 0};
  return ::poll(&poll, 1, 0) == 1 && (poll.revents & POLLOUT) != 0;
}

std::int64_t WriteSome(int borrowed_fd, std::string_view text) {
  return ::write(borrowed_fd, text.data(), text.size());
}

void IgnoreFileSizeLimit() { ::signal(SIGXFSZ, SIG_IGN); }

std::int64_t OwnProcessId() { return ::getpid(); }

std::uint32_t OwnUserId() { return ::getuid(); }

bool FillRandom(std::span<unsigned char> bytes) { return ::getentropy(bytes.data(), bytes.size()) == 0; }

std::string RandomName() {
  std::array<unsigned char, 8> bytes{};
  if (!FillRandom(bytes)) return fmt::format("{:016x}", ::getpid());
  return fmt::format("{:02x}", fmt::join(bytes, ""));
}

}  // namespace mxc
