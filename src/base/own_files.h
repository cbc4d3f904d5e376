// Files of ours, outside every sandbox. Whoever can write below a directory can have left there what leads us
// somewhere else, so there is one way of opening them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/unique_fd.h"
#include "mxc/error.h"

namespace mxc {

enum class OwnFile {
  kLog,     // appended to
  kResult,  // replaced
  kAudit,   // appended to, and read
  kHead,    // read and replaced (shared_file.h)
};

// Beside an audit log: the hash of its last line.
[[nodiscard]] inline std::string AuditHeadPath(const std::string& path) { return path + ".head"; }

// For writing; made for the caller alone when missing, emptied (kResult) only after it was looked at. `what`
// is for messages: "open the audit log". Errors, kSetupFailed: it cannot be opened; a symbolic link on the
// way that others than root could have put there (only root's directly in "/", "/usr" and "/var" are
// followed), or one at the end; what is there is no regular file (kLog and kResult may be /dev/null) or one
// of a file system of the kernel, belongs to another user, or has more than one name.
[[nodiscard]] Result<UniqueFd> OpenOwnFile(const std::string& what, const std::string& path, OwnFile file);
// What stands there, or on the way, would be refused for what it is, and not because it cannot be opened.
// Errors: kConflict.
[[nodiscard]] Status CheckOwnFile(const std::string& what, const std::string& path, OwnFile file);
// Whether two paths lead to one regular file, or would where it is missing.
[[nodiscard]] bool LeadToOneFile(const std::string& left, const std::string& right);
// Whether the path leads to the regular file behind an open descriptor.
[[nodiscard]] bool LeadsToFileOf(const std::string& path, int borrowed_fd);
// Whether two descriptors are of one regular file.
[[nodiscard]] bool AreOfOneFile(int borrowed_fd, int other_fd);

#if !defined(_WIN32)
// In procfs, sysfs and their like, where what is written goes to the kernel and is no file.
[[nodiscard]] bool IsOfKernel(int borrowed_fd);
// A directory of ours, by the same rule for links. Errors: kSetupFailed.
[[nodiscard]] Result<UniqueFd> OpenOwnDirectory(const std::string& path);
// The same, made with those above it where it is missing; they get `mode` as well.
[[nodiscard]] Result<UniqueFd> MakeDirectories(const std::string& path, std::uint32_t mode);
#endif
// A regular file with more than one name: somebody else may have one of them.
[[nodiscard]] bool HasOtherNames(int borrowed_fd);
[[nodiscard]] bool IsOpenDescriptor(int number);
// Another descriptor of the same file, above the standard streams, that no child inherits.
[[nodiscard]] UniqueFd Duplicate(int borrowed_fd);
// Descriptors that were given to us. -1: errno says why.
[[nodiscard]] std::int64_t ReadSome(int borrowed_fd, std::span<char> buffer);
// One write, so that lines of several writers do not mix. Returns how much was taken.
[[nodiscard]] std::int64_t WriteSome(int borrowed_fd, std::string_view text);
// Writing a line would not wait for a reader, as far as this system can tell.
[[nodiscard]] bool TakesText(int borrowed_fd);
// Whether `size` bytes can be written without waiting for a reader, and after them `reserve` more.
[[nodiscard]] bool HasRoom(int borrowed_fd, std::size_t size, std::size_t reserve);
// Returns when what was written is on disk. False: errno says why.
[[nodiscard]] bool FlushToDisk(int borrowed_fd);
// A limit on the size of files must not end us where we write; children get their signals back as they were.
void IgnoreFileSizeLimit();

// Who writes them.
[[nodiscard]] std::int64_t OwnProcessId();
[[nodiscard]] std::uint32_t OwnUserId();
// Bytes that nobody can guess. False: the system gives none.
[[nodiscard]] bool FillRandom(std::span<unsigned char> bytes);
// 16 hexadecimal digits that nobody can guess.
[[nodiscard]] std::string RandomName();

}  // namespace mxc
