// The machine, for the stages before Launch. src/host implements it; tests/support/fake_host.h answers from a
// map and records the questions.
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
  std::uint32_t mode = 0;  // permission bits, with S_ISUID and the like
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::uint64_t links = 1;
  std::uint64_t size = 0;  // bytes of a regular file
  // st_ctime in nanoseconds since 1970, which no user can set. Absent unless this kernel sets it, as on local
  // disks.
  std::optional<std::uint64_t> changed = {};
};

// Why lstat failed.
enum class LookupFailure { kMissing, kDenied, kOther };

struct Lookup {
  std::optional<FileStatus> status = {};
  LookupFailure failure = LookupFailure::kMissing;  // meaningful without status
  std::string reason = {};                          // strerror text, for messages

  // Whether the object exists and has this type.
  [[nodiscard]] bool Is(FileType type) const { return status && status->object.type == type; }
};

struct DirectoryEntry {
  std::string name = {};
  FileType type = FileType::kRegular;
  std::uint64_t inode = 0;  // d_ino; 0: not known; for a mount point, of the directory under the mount
};

// Names of the attributes (Host::Attribute) that hold access control lists: the object's own, and the default
// one that a directory gives to new entries.
inline constexpr const char* kAccessAcl = "system.posix_acl_access";
inline constexpr const char* kDefaultAcl = "system.posix_acl_default";

// The places in which Host::LiveSockets looks for sockets.
struct SocketPlaces {
  std::vector<std::string> directories = {};
  // "/" and mounts below it that only a grant of "/" shows.
  std::vector<std::string> whole_host = {};
  std::vector<std::string> skipped = {};  // with everything below
  // Directories of mxc-exec's own, whose sockets are bound through a descriptor of the directory.
  std::vector<std::string> own = {};
};

// Selects the names of a listing; empty: all.
using NameFilter = std::function<bool(std::string_view name)>;

struct ToolRun {
  bool started = false;
  bool timed_out = false;
  int exit_code = 0;
  std::string out = {};  // bounded
  std::string err = {};  // bounded
};

// The system's program directories, in the order of Host::FindTool.
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
  // Empty if it has no path: removed, unreachable, or too deep.
  [[nodiscard]] virtual std::string WorkingDirectory() const = 0;
  // The path that this program was started by, absolute. Absent where a script names it in its first line.
  // Linux only.
  [[nodiscard]] virtual std::optional<std::string> CalledAs() const { return std::nullopt; }
  [[nodiscard]] virtual bool Interactive() const = 0;  // standard input and output are a terminal
  [[nodiscard]] virtual std::optional<std::string> Environment(std::string_view name) const = 0;
  // Landlock's ABI version (landlock_create_ruleset(2)); 0: there is no Landlock.
  [[nodiscard]] virtual int LandlockAbi() const = 0;
  [[nodiscard]] virtual WindowsFacts Windows() const { return {}; }
  // Whether the caller may change this object's access control list. Windows only.
  [[nodiscard]] virtual bool MayChangeAccess(const std::string& /*path*/) const { return false; }

  // lstat(2).
  [[nodiscard]] virtual Lookup LookAt(const std::string& path) const = 0;
  [[nodiscard]] virtual Result<std::string> ReadLink(const std::string& path) const = 0;
  // Whether the caller's real identity may read (for kReadWrite: also write) this object: access(2).
  [[nodiscard]] virtual bool MayAccess(const std::string& path, Access access) const = 0;
  // Whether the caller may make files in this directory. Tried: access(2) does not know what the Landlock
  // domain of an outer sandbox refuses.
  [[nodiscard]] virtual bool MayMakeFilesIn(const std::string& directory) const {
    return MayAccess(directory, Access::kReadWrite);
  }
  // Whether the caller's real identity may execute this object: access(2), which respects noexec mounts.
  // POSIX only.
  [[nodiscard]] virtual bool MayExecute(const std::string& /*path*/) const { return false; }
  [[nodiscard]] virtual Result<std::vector<std::string>> ListDirectory(const std::string& path) const = 0;
  // Names with types, in no order. Lists directories whatever their name is.
  [[nodiscard]] virtual Result<std::vector<DirectoryEntry>> ListEntries(const std::string& path,
                                                                        const NameFilter& wanted) const = 0;
  // Files and whole directories below `directory` that the caller may read and others may not, and those that
  // could not be examined. Leaves links out. Linux only.
  [[nodiscard]] virtual std::vector<std::string> ListClosed(const std::string& /*directory*/) const {
    return {};
  }
  // Sockets in `places` that a process has bound: all that the kernel lists for this network namespace, and
  // those of other namespaces that a bounded search finds. Linux only.
  [[nodiscard]] virtual std::vector<std::string> LiveSockets(const SocketPlaces& /*places*/) const {
    return {};
  }
  // Tries whether the mounts at and below `directory` can be idmapped so that everybody, root included, has
  // the permissions of others (base/unmapped_owners.h). Linux only.
  [[nodiscard]] virtual bool CanUnmapOwners(const std::string& /*directory*/) const { return false; }
  // An extended attribute of `path` itself; absent also if it may not be read. Linux only.
  [[nodiscard]] virtual std::optional<std::string> Attribute(const std::string& /*path*/,
                                                             const std::string& /*name*/) const {
    return std::nullopt;
  }
  // A monotonic clock, in milliseconds.
  [[nodiscard]] virtual std::uint64_t Clock() const = 0;
  // Nanoseconds since 1970, by the clock of FileStatus::changed: no later change has an earlier time. Absent
  // if FileStatus::changed is.
  [[nodiscard]] virtual std::optional<std::uint64_t> Time() const { return std::nullopt; }
  // The start, by Time(), of the caller's oldest run that still goes on and has a grant at, above or below
  // one of `roots`; absent: there is none. Linux only.
  [[nodiscard]] virtual std::optional<std::uint64_t> OldestRun(
      const std::vector<std::string>& /*roots*/) const {
    return std::nullopt;
  }
  // At most `limit` bytes.
  [[nodiscard]] virtual Result<std::string> ReadFile(const std::string& path, std::size_t limit) const = 0;
  // The same of a regular file of an image, opened as a process whose root is `root` would: no link leads out
  // of it. Linux only.
  [[nodiscard]] virtual Result<std::string> ReadFileIn(const std::string& /*root*/, const std::string& path,
                                                       std::size_t /*limit*/) const {
    return Error{.code = ErrorCode::kUnsupported, .message = "open '" + path + "' in an image"};
  }

  // Absolute path of a tool in one of kToolDirectories, never from PATH: a workspace must not choose our
  // helpers. Skips files that another user could replace.
  [[nodiscard]] virtual std::optional<std::string> FindTool(std::string_view name) const = 0;
  // Runs a trusted tool with an empty environment and no input, and ends it after `limit_ms`.
  [[nodiscard]] virtual ToolRun Try(const std::vector<std::string>& argv, std::uint32_t limit_ms) const = 0;
};

// Forwards to another host. A subclass overrides the questions that it answers itself.
class ForwardingHost : public Host {
 public:
  explicit ForwardingHost(const Host& host) : host_(host) {}  // borrowed

  [[nodiscard]] OperatingSystem System() const override { return host_.System(); }
  [[nodiscard]] Identity Caller() const override { return host_.Caller(); }
  [[nodiscard]] std::string WorkingDirectory() const override { return host_.WorkingDirectory(); }
  [[nodiscard]] std::optional<std::string> CalledAs() const override { return host_.CalledAs(); }
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
  [[nodiscard]] bool MayMakeFilesIn(const std::string& directory) const override {
    return host_.MayMakeFilesIn(directory);
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
  [[nodiscard]] Result<std::string> ReadFileIn(const std::string& root, const std::string& path,
                                               std::size_t limit) const override {
    return host_.ReadFileIn(root, path, limit);
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
