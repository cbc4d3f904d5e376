// The machine, as the stages before Launch see it. src/host implements it; tests/support/fake_host.h
// answers from a map and records the questions.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mxc/containment.h"
#include "mxc/error.h"
#include "mxc/file_object.h"
#include "mxc/identity.h"
#include "mxc/windows/host.h"

namespace mxc {

struct FileStatus {
  FileObject object = {};
  std::uint32_t mode = 0;  // permission bits, S_ISUID and friends included
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::uint64_t links = 1;
  std::uint64_t size = 0;  // bytes of a regular file
  // st_ctime: nanoseconds since 1970, which no user can set. Absent where it is not this kernel's: only a
  // disk's is.
  std::optional<std::uint64_t> changed = {};
};

// Why a path could not be looked at.
enum class LookupFailure { kMissing, kDenied, kOther };

struct Lookup {
  std::optional<FileStatus> status = {};
  LookupFailure failure = LookupFailure::kMissing;  // meaningful without status
  std::string reason = {};                          // strerror text, for messages

  // There is one, of this type.
  [[nodiscard]] bool Is(FileType type) const { return status && status->object.type == type; }
};

struct DirectoryEntry {
  std::string name = {};
  FileType type = FileType::kRegular;
  std::uint64_t inode = 0;  // 0: not known; of a mount point that of the directory below
};

// Where Host::LiveSockets looks for sockets.
struct SocketPlaces {
  std::vector<std::string> directories = {};
  // "/" and what is mounted below it, where only a grant of it shows that.
  std::vector<std::string> whole_host = {};
  std::vector<std::string> skipped = {};  // and what is below
  // mxc-exec's own, whose sockets are bound through a descriptor of the directory.
  std::vector<std::string> own = {};
};

// Which names a listing is about; empty: all.
using NameFilter = std::function<bool(std::string_view name)>;

struct ToolRun {
  bool started = false;
  bool timed_out = false;
  int exit_code = 0;
  std::string out = {};  // bounded
  std::string err = {};  // bounded
};

// The system's own directories of programs, in the order of Host::FindTool.
inline constexpr std::string_view kToolDirectories[] = {"/usr/bin/", "/bin/",           "/usr/sbin/",
                                                        "/sbin/",    "/usr/local/bin/", "/usr/local/sbin/"};

class Host {
 public:
  Host() = default;
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;
  virtual ~Host() = default;

  [[nodiscard]] virtual OperatingSystem System() const = 0;
  [[nodiscard]] virtual Identity Caller() const = 0;
  // Empty when it has no name: removed, out of reach, or too deep.
  [[nodiscard]] virtual std::string WorkingDirectory() const = 0;
  [[nodiscard]] virtual bool Interactive() const = 0;  // standard input and output are a terminal
  [[nodiscard]] virtual std::optional<std::string> Environment(std::string_view name) const = 0;
  // What this kernel's Landlock can do, as landlock_create_ruleset(2) counts it; 0: there is none.
  [[nodiscard]] virtual int LandlockAbi() const = 0;
  [[nodiscard]] virtual WindowsFacts Windows() const { return {}; }
  // May the caller change who has access to this object? Windows only.
  [[nodiscard]] virtual bool MayChangeAccess(const std::string& /*path*/) const { return false; }

  // lstat: the object the path itself names.
  [[nodiscard]] virtual Lookup LookAt(const std::string& path) const = 0;
  [[nodiscard]] virtual Result<std::string> ReadLink(const std::string& path) const = 0;
  // May the caller's real identity read (and, for kReadWrite, write) this object? access(2).
  [[nodiscard]] virtual bool MayAccess(const std::string& path, Access access) const = 0;
  // The same for executing it: access(2), which knows of mounts where nobody may. POSIX only.
  [[nodiscard]] virtual bool MayExecute(const std::string& /*path*/) const { return false; }
  [[nodiscard]] virtual Result<std::vector<std::string>> ListDirectory(const std::string& path) const = 0;
  // With their types and in no order: what a search reads of each directory. Directories are listed whatever
  // their name is.
  [[nodiscard]] virtual Result<std::vector<DirectoryEntry>> ListEntries(const std::string& path,
                                                                        const NameFilter& wanted) const = 0;
  // What below `directory` the caller may read and others may not: files, and directories as a whole; also
  // what could not be looked at. Links are left out. Linux only.
  [[nodiscard]] virtual std::vector<std::string> ListClosed(const std::string& /*directory*/) const {
    return {};
  }
  // Sockets in `places` that a process has bound: all that the kernel lists in this network namespace, and
  // those of others that a bounded search meets. Linux only.
  [[nodiscard]] virtual std::vector<std::string> LiveSockets(const SocketPlaces& /*places*/) const {
    return {};
  }
  // Whether what is mounted at and below `directory` can be shown so that the kernel judges everybody as
  // others, root too (base/unmapped_owners.h): it is tried. Linux only.
  [[nodiscard]] virtual bool CanUnmapOwners(const std::string& /*directory*/) const { return false; }
  // An extended attribute of what `path` names. Absent too where it may not be read. Linux only.
  [[nodiscard]] virtual std::optional<std::string> Attribute(const std::string& /*path*/,
                                                             const std::string& /*name*/) const {
    return std::nullopt;
  }
  // Of a clock that never steps back, in milliseconds.
  [[nodiscard]] virtual std::uint64_t Clock() const = 0;
  // Nanoseconds since 1970; absent where FileStatus::changed is.
  [[nodiscard]] virtual std::optional<std::uint64_t> Time() const { return std::nullopt; }
  // When the first of the caller's runs began that go on now, with a grant at, above or below one of `roots`,
  // by Time(); absent when none does. Linux only.
  [[nodiscard]] virtual std::optional<std::uint64_t> OldestRun(
      const std::vector<std::string>& /*roots*/) const {
    return std::nullopt;
  }
  // At most `limit` bytes.
  [[nodiscard]] virtual Result<std::string> ReadFile(const std::string& path, std::size_t limit) const = 0;

  // Absolute path of a tool in one of kToolDirectories, never from PATH: a workspace must not choose our
  // helpers. Files another user could replace are passed over.
  [[nodiscard]] virtual std::optional<std::string> FindTool(std::string_view name) const = 0;
  // Runs a trusted tool with an empty environment and no input, and ends it after `limit_ms`.
  [[nodiscard]] virtual ToolRun Try(const std::vector<std::string>& argv, std::uint32_t limit_ms) const = 0;
};

// Asks another one: what stands in front of it overrides the questions that it answers itself.
class ForwardingHost : public Host {
 public:
  explicit ForwardingHost(const Host& host) : host_(host) {}  // borrowed

  [[nodiscard]] OperatingSystem System() const override { return host_.System(); }
  [[nodiscard]] Identity Caller() const override { return host_.Caller(); }
  [[nodiscard]] std::string WorkingDirectory() const override { return host_.WorkingDirectory(); }
  [[nodiscard]] bool Interactive() const override { return host_.Interactive(); }
  [[nodiscard]] std::optional<std::string> Environment(std::string_view name) const override {
    return host_.Environment(name);
  }
  [[nodiscard]] int LandlockAbi() const override { return host_.LandlockAbi(); }
  [[nodiscard]] WindowsFacts Windows() const override { return host_.Windows(); }
  [[nodiscard]] bool MayChangeAccess(const std::string& path) const override {
    return host_.MayChangeAccess(path);
  }
  [[nodiscard]] Lookup LookAt(const std::string& path) const override { return host_.LookAt(path); }
  [[nodiscard]] Result<std::string> ReadLink(const std::string& path) const override {
    return host_.ReadLink(path);
  }
  [[nodiscard]] bool MayAccess(const std::string& path, Access access) const override {
    return host_.MayAccess(path, access);
  }
  [[nodiscard]] bool MayExecute(const std::string& path) const override { return host_.MayExecute(path); }
  [[nodiscard]] Result<std::vector<std::string>> ListDirectory(const std::string& path) const override {
    return host_.ListDirectory(path);
  }
  [[nodiscard]] Result<std::vector<DirectoryEntry>> ListEntries(const std::string& path,
                                                                const NameFilter& wanted) const override {
    return host_.ListEntries(path, wanted);
  }
  [[nodiscard]] std::vector<std::string> ListClosed(const std::string& directory) const override {
    return host_.ListClosed(directory);
  }
  [[nodiscard]] std::vector<std::string> LiveSockets(const SocketPlaces& places) const override {
    return host_.LiveSockets(places);
  }
  [[nodiscard]] bool CanUnmapOwners(const std::string& directory) const override {
    return host_.CanUnmapOwners(directory);
  }
  [[nodiscard]] std::optional<std::string> Attribute(const std::string& path,
                                                     const std::string& name) const override {
    return host_.Attribute(path, name);
  }
  [[nodiscard]] std::uint64_t Clock() const override { return host_.Clock(); }
  [[nodiscard]] std::optional<std::uint64_t> Time() const override { return host_.Time(); }
  [[nodiscard]] std::optional<std::uint64_t> OldestRun(const std::vector<std::string>& roots) const override {
    return host_.OldestRun(roots);
  }
  [[nodiscard]] Result<std::string> ReadFile(const std::string& path, std::size_t limit) const override {
    return host_.ReadFile(path, limit);
  }
  [[nodiscard]] std::optional<std::string> FindTool(std::string_view name) const override {
    return host_.FindTool(name);
  }
  [[nodiscard]] ToolRun Try(const std::vector<std::string>& argv, std::uint32_t limit_ms) const override {
    return host_.Try(argv, limit_ms);
  }

 protected:
  [[nodiscard]] const Host& Asked() const { return host_; }

 private:
  const Host& host_;
};

}  // namespace mxc
