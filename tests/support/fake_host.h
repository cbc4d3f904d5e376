// A Host made of a map: tests say which files, tools and answers exist, and read back what was asked.
//
//   FakeHost host;
//   host.AddDirectory("/srv/work", {.uid = 1000}).AddSymlink("/srv/link", "work").AddFile("/etc/passwd",
//   "..."); host.SetCaller(1000, 1000).AddTool("bwrap", "/usr/bin/bwrap").Answer({"/usr/bin/bwrap",
//   "--version"}, {.out = "..."});
//   ...
//   EXPECT_THAT(host.Questions(), Contains("look /srv/link"));
//
// Parents of what is added come into being as root's directories. `/` always exists. Symlinks on the way to
// a path are followed as the kernel does. What was not told does not exist.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mxc/host.h"

namespace mxc {

struct FakeAttributes {
  std::uint32_t mode = 0755;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::uint64_t links = 1;
  bool readable = true;    // MayAccess for reading; root may always
  bool writable = true;    // MayAccess for writing; root may always
  bool executable = true;  // MayExecute, where the mode says so too
  std::optional<std::uint64_t> changed = {};
};

class FakeHost : public Host {
 public:
  FakeHost();

  FakeHost& AddDirectory(const std::string& path, FakeAttributes attributes = {});
  FakeHost& AddFile(const std::string& path, std::string contents = {}, FakeAttributes attributes = {});
  FakeHost& AddSymlink(const std::string& path, std::string text, FakeAttributes attributes = {});
  FakeHost& AddNode(const std::string& path, FileType type, FakeAttributes attributes = {});
  // `path` becomes another name of what stands at `existing`: a hard link, or a bind mount with all its
  // contents.
  FakeHost& AddAlias(const std::string& path, const std::string& existing);
  // The same for a bind mount, and /proc/self/mountinfo tells of it.
  FakeHost& AddBind(const std::string& path, const std::string& existing);
  // Looking at `path`, or at anything below it, fails.
  FakeHost& AddUnreadable(const std::string& path, LookupFailure failure = LookupFailure::kDenied,
                          std::string reason = "Permission denied");
  // A directory on a file system of its own, which /proc/self/mountinfo tells of. Without a disk the device's
  // major number is 0.
  FakeHost& AddMount(const std::string& path, const std::string& type, bool disk = false);
  // The same with the source and the options that /proc/self/mountinfo tells of.
  FakeHost& AddMount(const std::string& path, const std::string& type, const std::string& source,
                     const std::string& options);
  FakeHost& Remove(const std::string& path);

  FakeHost& SetSystem(OperatingSystem system);
  FakeHost& SetCaller(std::uint32_t uid, std::uint32_t gid);  // 1000:1000 by default
  FakeHost& SetCalledAs(std::string path);
  FakeHost& SetWorkingDirectory(std::string path);  // "/" by default
  FakeHost& SetInteractive(bool interactive);
  FakeHost& SetLandlockAbi(int abi);                   // 7 by default
  FakeHost& SetUnmapsOwners(bool able);                // false by default
  FakeHost& SetClockStep(std::uint64_t milliseconds);  // that pass with each question for the time; 0
  FakeHost& AddLiveSocket(const std::string& path);    // a node, and a process that has it bound
  FakeHost& SetEnvironment(const std::string& name, std::string value);
  FakeHost& AddAttribute(const std::string& path, const std::string& name, std::string value) {
    extended_[{path, name}] = std::move(value);
    return *this;
  }

  FakeHost& AddTool(const std::string& name, std::string path);
  // What Try() returns for exactly these arguments; anything else does not start.
  FakeHost& Answer(const std::vector<std::string>& argv, ToolRun run);

  // A machine with a merged /usr, /etc and /tmp, as Debian lays them out.
  FakeHost& AddDebian();

  // "look PATH", "readlink PATH", "access PATH", "execute PATH", "list PATH", "read PATH", "tool NAME", "run
  // A B C", in order.
  [[nodiscard]] const std::vector<std::string>& Questions() const { return questions_; }
  [[nodiscard]] bool Has(const std::string& path) const { return nodes_.count(KeyOf(path)) != 0; }
  // Where `path` leads with every link followed; none when that does not exist or cannot be looked at.
  [[nodiscard]] std::optional<std::string> CanonicalPath(const std::string& path) const;
  [[nodiscard]] FileObject ObjectAt(const std::string& path) const;  // of an existing path, links followed

  [[nodiscard]] OperatingSystem System() const override { return system_; }
  [[nodiscard]] Identity Caller() const override { return caller_; }
  [[nodiscard]] std::string WorkingDirectory() const override { return working_directory_; }
  [[nodiscard]] std::optional<std::string> CalledAs() const override { return called_as_; }
  [[nodiscard]] bool Interactive() const override { return interactive_; }
  [[nodiscard]] int LandlockAbi() const override { return landlock_abi_; }
  [[nodiscard]] std::optional<std::string> Environment(std::string_view name) const override;
  [[nodiscard]] Lookup LookAt(const std::string& path) const override;
  [[nodiscard]] Result<std::string> ReadLink(const std::string& path) const override;
  [[nodiscard]] bool MayAccess(const std::string& path, Access access) const override;
  [[nodiscard]] bool MayExecute(const std::string& path) const override;
  [[nodiscard]] Result<std::vector<std::string>> ListDirectory(const std::string& path) const override;
  [[nodiscard]] Result<std::vector<DirectoryEntry>> ListEntries(const std::string& path,
                                                                const NameFilter& wanted) const override;
  [[nodiscard]] std::vector<std::string> ListClosed(const std::string& directory) const override;
  [[nodiscard]] std::vector<std::string> LiveSockets(const SocketPlaces& places) const override;
  // What the last question for live sockets was about.
  [[nodiscard]] const SocketPlaces& SearchedForSockets() const { return socket_places_; }
  [[nodiscard]] bool CanUnmapOwners(const std::string& /*directory*/) const override {
    return unmaps_owners_;
  }
  [[nodiscard]] std::optional<std::string> Attribute(const std::string& path,
                                                     const std::string& name) const override {
    const auto known = extended_.find({path, name});
    return known == extended_.end() ? std::nullopt : std::optional(known->second);
  }
  [[nodiscard]] std::uint64_t Clock() const override { return clock_ += step_; }
  [[nodiscard]] std::optional<std::uint64_t> Time() const override { return 1'000'000'000'000; }
  [[nodiscard]] Result<std::string> ReadFile(const std::string& path, std::size_t limit) const override;
  [[nodiscard]] Result<std::string> ReadFileIn(const std::string& root, const std::string& path,
                                               std::size_t limit) const override;
  [[nodiscard]] std::optional<std::string> FindTool(std::string_view name) const override;
  [[nodiscard]] ToolRun Try(const std::vector<std::string>& argv, std::uint32_t limit_ms) const override;

 private:
  struct Node {
    FileStatus status = {};
    std::string text = {};    // contents of a file, target of a symlink
    std::string mirror = {};  // a bind mount: key of the directory whose contents it shows
    bool readable = true;
    bool writable = true;
    bool executable = true;
    std::optional<Lookup> failure = {};
  };
  struct Found {
    const Node* node = nullptr;
    std::string path = {};  // canonical
    std::string key = {};   // where the contents of a directory are kept
    Lookup failure = {};    // when there is no node
  };
  enum class LastLink { kFollow, kKeep };

  FakeHost& Put(const std::string& path, FileType type, std::string text, const FakeAttributes& attributes);
  // Where the node of `path` is kept, bind mounts on the way taken into account.
  [[nodiscard]] std::string KeyOf(const std::string& path) const;
  struct MountLine {
    std::string path = {};
    std::uint64_t id = 0;
    std::string device = {};  // "8:1"
    std::string root = {};
  };
  // The last one that shows at `path`.
  [[nodiscard]] const MountLine& MountOf(const std::string& path) const;
  void Tell(const std::string& path, const std::string& device, const std::string& root,
            const std::string& rest);
  [[nodiscard]] Found Root() const { return {.node = &nodes_.at("/"), .path = "/", .key = "/"}; }
  [[nodiscard]] Found Find(const std::string& path, LastLink last_link) const;

  std::map<std::string, Node> nodes_ = {};
  std::map<std::string, std::string, std::less<>> environment_ = {};
  std::map<std::string, std::string, std::less<>> tools_ = {};
  std::map<std::vector<std::string>, ToolRun> answers_ = {};
  mutable std::vector<std::string> questions_ = {};
  OperatingSystem system_ = OperatingSystem::kLinux;
  Identity caller_ = {.uid = 1000, .gid = 1000};
  std::string working_directory_ = "/";
  std::optional<std::string> called_as_ = {};
  bool interactive_ = false;
  bool unmaps_owners_ = false;
  std::map<std::pair<std::string, std::string>, std::string> extended_ = {};  // attributes
  std::vector<std::string> live_sockets_ = {};
  mutable SocketPlaces socket_places_ = {};
  int landlock_abi_ = 7;
  std::uint64_t next_inode_ = 2;
  std::uint32_t mounts_ = 0;
  std::vector<MountLine> mounted_ = {{.path = "/", .id = 1, .device = "8:1", .root = "/"}};
  std::string mount_table_ = "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n";
  mutable std::uint64_t clock_ = 0;
  std::uint64_t step_ = 0;
};

}  // namespace mxc
