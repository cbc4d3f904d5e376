#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/quoted.h"
#include "hash/pinned_program.h"
#include "hash/sha256.h"

namespace mxc {
namespace {

Result<std::string> Sha256Of(int file, const std::string& path) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  Sha256 hash;
  std::array<char, 65536> buffer;  // NOLINT(*-member-init): read fills it
  for (off_t at = 0;;) {
    const ssize_t size = ::pread(file, buffer.data(), buffer.size(), at);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return SystemError(ErrorCode::kSetupFailed, "read " + Quoted(path), errno);
    if (size == 0) break;
    hash.Feed({buffer.data(), static_cast<std::size_t>(size)});
    at += size;
  }
  std::string digits;
  for (const std::uint8_t byte : hash.Finish()) digits += {kDigits[byte >> 4U], kDigits[byte & 15U]};
  return digits;
}

Result<UniqueFd> Open(const std::string& path) {
  UniqueFd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (!file) return SystemError(ErrorCode::kSetupFailed, "open " + Quoted(path), errno);
  return file;
}

}  // namespace

Result<PinnedProgram> OpenPinned(const std::string& path, const std::string& sha256) {
  if (sha256.empty()) return PinnedProgram{.executable = path};
  Result<UniqueFd> file = Open(path);
  if (!file) return file.error();
  const Result<std::string> found = Sha256Of(file->Get(), path);
  if (!found) return found.error();
  if (*found != sha256)
    return Conflict(
        "the helper " + Quoted(path) + " is not the file that is pinned: its SHA-256 is " + *found +
            ", and it has to be " + sha256,
        {},
        "install the file that is pinned, or have the pin changed: mxc-exec --probe=json prints the "
        "present hashes");
  std::string executable = "/proc/self/fd/" + std::to_string(file->Get());
  return PinnedProgram{.file = std::move(*file), .executable = std::move(executable)};
}

Result<std::string> Sha256OfFile(const std::string& path) {
  const Result<UniqueFd> file = Open(path);
  return file ? Sha256Of(file->Get(), path) : Result<std::string>(file.error());
}

}  // namespace mxc
