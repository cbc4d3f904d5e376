#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <span>
#include <utility>
#include <variant>

#include "base/pipe.h"
#include "spawn/inherited_files.h"

namespace mxc {
namespace {

struct OpenContext {
  std::vector<UniqueFd>& files;
  OpenedFiles& opened;
  std::span<const int> sockets = {};  // those that are left
};

Error Replaced(const std::string& path) {
  return SetupFailed("'" + path + "' was replaced while the sandbox was being set up",
                     "run the command again; something else is renaming files below this path");
}

// Sealed, so that a child that got hold of the descriptor can change neither its options nor its filter.
Result<UniqueFd> SealedFile(const char* name, std::span<const std::byte> bytes) {
  UniqueFd file{::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING)};
  if (!file) return SystemError(ErrorCode::kSetupFailed, "create a memory file", errno);
  if (!WriteAll(file.Get(), {reinterpret_cast<const char*>(bytes.data()), bytes.size()}))  // NOLINT(*-cast)
    return SystemError(ErrorCode::kSetupFailed, "write a memory file", errno);
  constexpr int kSeals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
  if (::lseek(file.Get(), 0, SEEK_SET) != 0 || ::fcntl(file.Get(), F_ADD_SEALS, kSeals) != 0) {
    return SystemError(ErrorCode::kSetupFailed, "seal a memory file", errno);
  }
  return file;
}

int OpenPath(const PathFile& file) {
  // Policy paths are canonical: a symbolic link anywhere on the way was put there after they were resolved.
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC | O_NOFOLLOW;
  how.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  const long fd = ::syscall(SYS_openat2, AT_FDCWD, file.path.c_str(), &how, sizeof how);
  if (fd >= 0 || file.any_object || (errno != ENOSYS && errno != EPERM)) return static_cast<int>(fd);
  // Linux < 5.6, or a container's filter. Device and inode are compared either way.
  return ::open(file.path.c_str(), O_PATH | O_CLOEXEC | O_NOFOLLOW);
}

Result<UniqueFd> Open(const PathFile& file, OpenContext& /*context*/) {
  UniqueFd fd{OpenPath(file)};
  if (!fd) {
    const int number = errno;
    if (number == ELOOP || number == ENOENT || number == ENOTDIR) {
      Error error = Replaced(file.path);
      error.outdated = number == ENOENT;
      return error;
    }
    return SystemError(ErrorCode::kSetupFailed, "open '" + file.path + "'", number);
  }
  struct stat status {};
  if (::fstat(fd.Get(), &status) != 0) {
    return SystemError(ErrorCode::kSetupFailed, "examine '" + file.path + "'", errno);
  }
  if (file.any_object) {  // a directory between two checked paths, or a placeholder of ours
    const bool directory = file.object.type == FileType::kDirectory;
    if (directory ? !S_ISDIR(status.st_mode) : !S_ISREG(status.st_mode)) return Replaced(file.path);
  } else if (status.st_dev != file.object.device || status.st_ino != file.object.inode) {
    return Replaced(file.path);
  }
  return fd;
}

Result<UniqueFd> Open(const ArgumentFile& file, OpenContext& context) {
  std::string text;
  for (const Piece& piece : file.arguments) {
    text += Render(piece, context.files);
    text += '\0';
  }
  return SealedFile("arguments", std::as_bytes(std::span(text)));
}

Result<UniqueFd> Open(const TextFile& file, OpenContext& /*context*/) {
  return SealedFile("text", std::as_bytes(std::span(file.text)));
}

// A pipe: the reading end into `reading`, the writing end as the result.
Result<UniqueFd> OpenPipe(UniqueFd& reading) {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return SystemError(ErrorCode::kSetupFailed, "create a pipe", errno);
  reading.Reset(ends[0]);
  return UniqueFd{ends[1]};
}

Result<UniqueFd> Open(const StatusPipe& /*file*/, OpenContext& context) {
  Result<UniqueFd> writing = OpenPipe(context.opened.status);
  if (!writing) return writing;
  // Only our end: bubblewrap expects to be able to block.
  if (::fcntl(context.opened.status.Get(), F_SETFL, O_NONBLOCK) != 0) {
    return SystemError(ErrorCode::kSetupFailed, "prepare the status pipe", errno);
  }
  return writing;
}

Result<UniqueFd> Open(const InfoPipe& /*file*/, OpenContext& context) {
  return OpenPipe(context.opened.info);
}

// Opens the pipe again for reading and writing, so that it has a writer as long as somebody waits on it: end
// of file would be taken for permission.
Result<UniqueFd> Open(const BlockPipe& /*file*/, OpenContext& context) {
  UniqueFd reading;
  Result<UniqueFd> writing = OpenPipe(reading);
  if (!writing) return writing;
  context.opened.block = std::move(*writing);
  const std::string path = "/proc/self/fd/" + std::to_string(reading.Get());
  UniqueFd both{::open(path.c_str(), O_RDWR | O_CLOEXEC)};
  if (!both) return SystemError(ErrorCode::kSetupFailed, "open a pipe", errno);
  return both;
}

Result<UniqueFd> Open(const OwnProgram& /*file*/, OpenContext& /*context*/) {
  UniqueFd program{::open("/proc/self/exe", O_PATH | O_CLOEXEC)};
  if (!program) return SystemError(ErrorCode::kSetupFailed, "open the program itself", errno);
  return program;
}

Result<UniqueFd> Open(const HostProc& /*file*/, OpenContext& /*context*/) {
  UniqueFd proc{::open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC)};
  if (!proc) return SystemError(ErrorCode::kSetupFailed, "open /proc", errno);
  return proc;
}

Result<UniqueFd> Open(const SessionSocket& /*file*/, OpenContext& context) {
  if (context.sockets.empty()) return SetupFailed("there is no socket to hand over");
  UniqueFd socket{::fcntl(context.sockets.front(), F_DUPFD_CLOEXEC, 3)};
  context.sockets = context.sockets.subspan(1);
  if (!socket) return SystemError(ErrorCode::kSetupFailed, "hand a socket over", errno);
  return socket;
}

Result<UniqueFd> MoveTo(UniqueFd fd, int lowest) {
  if (fd.Get() >= lowest) return fd;
  UniqueFd moved{::fcntl(fd.Get(), F_DUPFD_CLOEXEC, lowest)};
  if (!moved) return SystemError(ErrorCode::kSetupFailed, "place a descriptor", errno);
  return moved;
}

}  // namespace

Result<UniqueFd> SealedFile(const char* name, std::string_view text) {
  return SealedFile(name, std::as_bytes(std::span(text)));
}

Result<OpenedFiles> OpenFiles(const std::vector<InheritedFile>& list, int lowest,
                              std::span<const int> sockets) {
  OpenedFiles opened;
  OpenContext context{.files = opened.files, .opened = opened, .sockets = sockets};
  opened.files.reserve(list.size());
  for (const InheritedFile& file : list) {
    Result<UniqueFd> fd = std::visit([&](const auto& kind) { return Open(kind, context); }, file);
    if (!fd) return fd.error();
    Result<UniqueFd> placed = MoveTo(std::move(*fd), lowest);
    if (!placed) return placed.error();
    opened.files.push_back(std::move(*placed));
  }
  return opened;
}

Status VerifyPaths(const std::vector<PathFile>& paths) {
  OpenedFiles none;
  OpenContext context{.files = none.files, .opened = none};
  for (const PathFile& path : paths) {
    if (Result<UniqueFd> fd = Open(path, context); !fd) return fd.error();
  }
  return Done{};
}

std::string Render(const Piece& piece, const std::vector<UniqueFd>& files) {
  if (const auto* text = std::get_if<std::string>(&piece)) return *text;
  if (const auto* secret = std::get_if<Secret>(&piece)) return secret->Reveal();
  const auto& number = std::get<FileNumber>(piece);
  return (number.as_path ? "/proc/self/fd/" : "") + std::to_string(files.at(number.file).Get());
}

}  // namespace mxc
