// Resolves paths as the kernel does, component by component, and records every symlink on the way.
//
//   PathWalker walker(host);
//   Result<Walked> walked = walker.Walk("/var/run/../srv//work/");
//   // walked->path == "/srv/work", walked->links == {{"/var/run", "/run"}}
//
// Paths are byte strings; nothing here depends on a locale or on std::filesystem.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/path.h"
#include "base/quoted.h"
#include "mxc/error.h"
#include "mxc/host.h"
#include "mxc/policy.h"

namespace mxc {

// Without "", "." and ".."; looks at no file.
[[nodiscard]] std::string FoldLexically(std::string_view path);

// /proc, /sys and /dev: the sandbox has its own, or none, and never the host's.
[[nodiscard]] bool IsNeverFromHost(std::string_view path);
// Those and /tmp: a grant of "/" does not reach them.
[[nodiscard]] std::string_view PrivateNodeOf(std::string_view path);  // "" when there is none
// Whether every sandbox with mounts has its own object at `path`, even if the policy has an entry for the
// host's.
[[nodiscard]] bool IsOwnNode(std::string_view path);

// When the object was last changed or renamed; 0 if the file system does not report it.
[[nodiscard]] std::uint64_t StampOf(const Lookup& lookup);

// Where a system keeps temporary files, without links: "/tmp", "/private/tmp".
[[nodiscard]] std::string_view TempOf(OperatingSystem system);

struct LinkMet {
  PathLink link = {};
  std::uint32_t owner = 0;
};

// Whether the link is root's, in "/", "/usr" or "/var", where only root creates links and which no policy
// grants read-write.
[[nodiscard]] bool IsRootsAlone(const LinkMet& met);

struct Walked {
  std::string path = {};                  // canonical; the tail that does not exist is folded lexically
  std::optional<FileStatus> status = {};  // absent: does not exist
  std::string first_missing = {};         // without status: the first component that does not exist
  // Without status: the object at the path that looks like another run's placeholder.
  std::optional<FileStatus> look_alike = {};
  bool behind_file = false;         // without status: that component is below a file
  bool folded_missing = false;      // the path contains ".." after a missing directory
  std::vector<LinkMet> links = {};  // symlinks followed, in order
  // The directories that ".." left, missing ones too: if a link replaced one, the path would lead elsewhere.
  std::vector<std::string> left = {};

  // Whether the object exists and has this type.
  [[nodiscard]] bool Is(FileType type) const { return status && status->object.type == type; }
};

// Caches lookups: a thousand paths of one tree cost one call for each directory.
class PathWalker {
 public:
  // With `root`, a directory, paths begin there, as after chroot(2).
  explicit PathWalker(const Host& host, std::string root = {}) : host_(host), root_(std::move(root)) {}

  // Ends at a link inside /proc, /sys or /dev. Errors: kConflict if a component cannot be looked up, or for
  // too many links.
  [[nodiscard]] Result<Walked> Walk(std::string_view path);
  [[nodiscard]] const Lookup& LookAt(const std::string& path);

 private:
  struct Seen {
    Lookup lookup = {};
    std::optional<std::string> text = {};  // of a link that a walk has followed
    bool canonical = false;                // a walk has reached it: the path contains no link
  };
  struct State;
  [[nodiscard]] Seen& See(const std::string& path);
  // The longest prefix of `path` that is a directory which a walk has reached; "" if there is none.
  [[nodiscard]] std::string_view Reached(std::string_view path, State& state) const;
  [[nodiscard]] Status Step(State& state, std::string_view name);
  [[nodiscard]] Status Follow(State& state, std::string link, Seen& seen);

  const Host& host_;
  std::string root_;
  std::unordered_map<std::string, Seen, PathHash, std::equal_to<>> seen_ = {};
  std::size_t longest_canonical_ = 0;  // bytes of the longest directory among them
};

}  // namespace mxc
