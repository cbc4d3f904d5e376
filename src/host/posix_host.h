// What every POSIX system answers alike. The file of each operating system adds what differs.
#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mxc/host.h"

namespace mxc {

// Empty: it has no name.
[[nodiscard]] std::string CurrentDirectory();
[[nodiscard]] Identity CurrentIdentity();
// At most `limit` bytes of an open file. `path` is for errors.
[[nodiscard]] Result<std::string> ReadOpened(int fd, const std::string& path, std::size_t limit);
// Of st_mode.
[[nodiscard]] FileType FileTypeOf(std::uint32_t mode);
[[nodiscard]] inline std::uint64_t Nanoseconds(const timespec& time) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  return static_cast<std::uint64_t>(time.tv_sec) * kSecond + static_cast<std::uint64_t>(time.tv_nsec);
}

class PosixHost : public Host {
 public:
  [[nodiscard]] Identity Caller() const override { return caller_; }
  // Where the caller stood, wherever this process has gone since.
  [[nodiscard]] std::string WorkingDirectory() const override { return here_; }
  [[nodiscard]] bool Interactive() const override;
  [[nodiscard]] std::optional<std::string> Environment(std::string_view name) const override;
  [[nodiscard]] Lookup LookAt(const std::string& path) const override;
  [[nodiscard]] Result<std::string> ReadLink(const std::string& path) const override;
  [[nodiscard]] bool MayAccess(const std::string& path, Access access) const override;
  [[nodiscard]] bool MayExecute(const std::string& path) const override;
  [[nodiscard]] Result<std::vector<std::string>> ListDirectory(const std::string& path) const override;
  [[nodiscard]] Result<std::vector<DirectoryEntry>> ListEntries(const std::string& path,
                                                                const NameFilter& wanted) const override;
  [[nodiscard]] std::uint64_t Clock() const override;
  [[nodiscard]] std::optional<std::uint64_t> Time() const override;
  [[nodiscard]] Result<std::string> ReadFile(const std::string& path, std::size_t limit) const override;
  [[nodiscard]] std::optional<std::string> FindTool(std::string_view name) const override;
  [[nodiscard]] ToolRun Try(const std::vector<std::string>& argv, std::uint32_t limit_ms) const override;

 private:
  std::string here_ = CurrentDirectory();
  Identity caller_ = CurrentIdentity();
};

// An executable file that nobody but root can replace: it, every directory and every symlink on the way
// belong to root and are writable by root alone.
[[nodiscard]] bool OnlyRootCanReplace(const Host& host, const std::string& path);

// Starts `argv` with an empty environment and no input, in "/", in a process group of its own, and ends that
// group after `limit_ms` or when the tool has ended.
[[nodiscard]] ToolRun RunTool(const std::vector<std::string>& argv, std::uint32_t limit_ms);

}  // namespace mxc
