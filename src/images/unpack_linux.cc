// An archive is somebody else's: tar reads it in a sandbox of ours, which can write nothing but the directory
// it is unpacked into, with no capability and no network.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/lists.h"
#include "base/own_files.h"
#include "base/remove_tree.h"
#include "base/runtime_directory.h"
#include "base/runtime_places.h"
#include "base/shared_file.h"
#include "base/unique_fd.h"
#include "images/images.h"

namespace mxc {
namespace {

constexpr std::uint32_t kUnpackLimitMs = 600000;

Error Failed(const std::string& archive, const std::string& why, std::string hint = {}) {
  return {.code = ErrorCode::kSetupFailed,
          .message = "the image '" + archive + "' cannot be unpacked: " + why,
          .pointer = "/lxc",
          .hint = std::move(hint)};
}

// One run unpacks at a time. In a directory that no sandbox shows: a command that is shown the cache could
// keep whatever it can open there locked (flock).
Result<UniqueFd> WaitForTurn(const std::string& archive) {
  const Result<RuntimeDirectory> own = RuntimeDirectory::Open();
  if (!own) return own.error();
  constexpr int kFlags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC;
  TakeModeBack(own->descriptor.Get(), "images.lock", 0600);
  UniqueFd turn{::openat(own->descriptor.Get(), "images.lock", kFlags, 0600)};
  if (!turn) return SystemError(ErrorCode::kSetupFailed, "make 'images.lock' in '" + own->path + "'", errno);
  if (!LockFile(turn.Get(), kUnpackLimitMs))
    return Failed(archive, "another run has been unpacking one for too long");
  return turn;
}

// Every directory on the way, ours alone from the last that there is.
Status MakeCache(const std::string& path) {
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    ::mkdir(path.substr(0, end).c_str(), 0700);
    if (end == std::string::npos) break;
  }
  const UniqueFd directory{::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  struct stat status {};
  if (!directory || ::fstat(directory.Get(), &status) != 0)
    return SystemError(ErrorCode::kSetupFailed, "make '" + path + "'", errno);
  if (status.st_uid == ::geteuid() && (status.st_mode & 022U) == 0) return Done{};
  return Error{.code = ErrorCode::kSetupFailed,
               .message = "'" + path + "' belongs to somebody else, or others may write in it",
               .pointer = "/lxc",
               .hint = "remove it"};
}

// A newer archive of the same name gets a tree of its own: a sandbox may still use the older one.
std::optional<std::string> TreeName(const std::string& archive) {
  struct stat status {};
  if (::stat(archive.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return std::to_string(status.st_mtim.tv_sec) + "." + std::to_string(status.st_mtim.tv_nsec) + "-" +
         std::to_string(status.st_size);
}

// tar says of each device that it may not make it; /dev is the sandbox's own.
bool OnlyDevicesFailed(std::string_view said) {
  bool device = false;
  while (!said.empty()) {
    const std::string_view line = TakePiece(said, '\n');
    if (line.find(": Cannot mknod: ") != std::string_view::npos) {
      device = true;
    } else if (!line.ends_with(": Exiting with failure status due to previous errors")) {
      return false;
    }
  }
  return device;
}

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

// Files become the caller's, who is the one id that the container has; no set-id bit is kept.
Status Unpack(const Host& host, const std::string& archive, const std::string& tree) {
  const std::optional<std::string> tar = host.FindTool("tar");
  if (!tar || !host.FindTool("xz"))
    return Failed(archive, "tar or xz is not installed",
                  "install them, for instance with `apt-get install tar xz-utils`");
  const ToolRun run = host.Try({"/proc/self/exe",
                                "--containment",
                                "namespaces",
                                "--ro",
                                archive,
                                "--rw",
                                tree,
                                "--",
                                *tar,
                                "--extract",
                                "--xz",
                                "--file",
                                archive,
                                "--directory",
                                tree,
                                "--no-same-owner",
                                "--no-same-permissions",
                                "--anchored",
                                "--exclude=./dev/*",
                                "--exclude=dev/*"},
                               kUnpackLimitMs);
  if (run.timed_out) return Failed(archive, "it takes too long");
  if (!run.started || (run.exit_code != 0 && !OnlyDevicesFailed(run.err)))
    return Failed(archive, run.err.empty() ? "tar ended without a word" : FirstLine(run.err),
                  "remove it, and download it again");
  return Done{};
}

bool IsRootFilesystem(const std::string& tree) {
  struct stat status {};
  return ::lstat((tree + "/bin").c_str(), &status) == 0 || ::lstat((tree + "/usr").c_str(), &status) == 0;
}

// One that is locked is being unpacked by a run with another directory for locks.
bool IsInUse(const std::string& tree) {
  const UniqueFd directory{::open(tree.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  return directory && ::flock(directory.Get(), LOCK_EX | LOCK_NB) != 0;
}

void RemoveUnfinished(const Host& host, const std::string& cache) {
  const Result<std::vector<std::string>> names = host.ListDirectory(cache);
  if (!names) return;
  for (const std::string& name : *names) {
    if (!name.starts_with(kUnfinishedImage)) continue;
    std::string tree = cache;
    tree.append("/").append(name);
    if (!IsInUse(tree)) RemoveTree(tree.c_str());
  }
}

}  // namespace

Result<std::string> UnpackImage(const Host& host, const std::string& archive, const std::string& cache) {
  const std::optional<std::string> name = TreeName(archive);
  if (!name) return Failed(archive, "it cannot be read");
  const std::string tree = cache + "/" + *name;
  if (host.LookAt(tree).status) return tree;
  if (Status made = MakeCache(cache); !made) return made.error();
  const Result<UniqueFd> turn = WaitForTurn(archive);
  if (!turn) return turn.error();
  if (host.LookAt(tree).status) return tree;  // somebody else has, meanwhile
  RemoveUnfinished(host, cache);
  const std::string fresh = cache + "/" + kUnfinishedImage + RandomName();
  if (::mkdir(fresh.c_str(), 0700) != 0)
    return Failed(archive, "no directory can be made in '" + cache + "'");
  const UniqueFd in_use{::open(fresh.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  if (in_use) ::flock(in_use.Get(), LOCK_EX | LOCK_NB);
  Status unpacked = Unpack(host, archive, fresh);
  if (unpacked && !IsRootFilesystem(fresh)) unpacked = Failed(archive, "it holds no root file system");
  if (unpacked && ::rename(fresh.c_str(), tree.c_str()) == 0) return tree;
  RemoveTree(fresh.c_str());
  return unpacked ? Failed(archive, "its tree cannot be put in place") : unpacked.error();
}

}  // namespace mxc
