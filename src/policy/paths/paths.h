// Paths as the kernel walks them: component by component, with every symlink on the way on record.
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

// Without "", "." and ".."; no file is looked at.
[[nodiscard]] std::string FoldLexically(std::string_view path);

// /proc, /sys and /dev: the sandbox has its own, or none. The host's never appear.
[[nodiscard]] bool IsNeverFromHost(std::string_view path);
// Those and /tmp: a grant of "/" does not reach them.
[[nodiscard]] std::string_view PrivateNodeOf(std::string_view path);  // "" when there is none
// What every sandbox with mounts of its own has there is no file of the host's, whatever the policy says of
// that one.
[[nodiscard]] bool IsOwnNode(std::string_view path);

// When what stands there was changed, or got there by a rename; 0 where the disk does not tell.
[[nodiscard]] std::uint64_t StampOf(const Lookup& lookup);

// Where a system keeps temporary files, without links: "/tmp", "/private/tmp".
[[nodiscard]] std::string_view TempOf(OperatingSystem system);

struct LinkMet {
  PathLink link = {};
  std::uint32_t owner = 0;
};

// Only root puts links there, and nobody grants these directories to be written: "/", "/usr", "/var".
[[nodiscard]] bool IsRootsAlone(const LinkMet& met);

struct Walked {
  std::string path = {};                  // canonical; the tail that does not exist is folded lexically
  std::optional<FileStatus> status = {};  // absent: nothing is there
  std::string first_missing = {};         // without status: the first component that does not exist
  // Without status: what is there all the same, and looks like another run's placeholder.
  std::optional<FileStatus> look_alike = {};
  bool behind_file = false;         // without status: that component stands below a file
  bool folded_missing = false;      // the path steps back with ".." out of a directory that is missing
  std::vector<LinkMet> links = {};  // symlinks followed, in order
  // The directories that ".." stepped out of, missing ones too: with a link in the place of one the path
  // leads somewhere else.
  std::vector<std::string> left = {};

  // There is one, of this type.
  [[nodiscard]] bool Is(FileType type) const { return status && status->object.type == type; }
};

// Remembers what it looked at: a thousand paths of one tree cost one question per directory.
class PathWalker {
 public:
  // With `root`, a directory, paths begin there, as after chroot(2).
  explicit PathWalker(const Host& host, std::string root = {}) : host_(host), root_(std::move(root)) {}

  // Ends at a link inside /proc, /sys or /dev. Errors: kConflict, when a component cannot be looked at or the
  // links do not end.
  [[nodiscard]] Result<Walked> Walk(std::string_view path);
  [[nodiscard]] const Lookup& LookAt(const std::string& path);

 private:
  struct Seen {
    Lookup lookup = {};
    std::optional<std::string> text = {};  // of a link that a walk has followed
    bool canonical = false;                // a walk has been there: no link is on the way
  };
  struct State;
  [[nodiscard]] Seen& See(const std::string& path);
  // The longest prefix of `path` that is a directory where a walk has been; "" when there is none.
  [[nodiscard]] std::string_view Reached(std::string_view path, State& state) const;
  [[nodiscard]] Status Step(State& state, std::string_view name);
  [[nodiscard]] Status Follow(State& state, std::string link, Seen& seen);

  const Host& host_;
  std::string root_;
  std::unordered_map<std::string, Seen, PathHash, std::equal_to<>> seen_ = {};
  std::size_t longest_canonical_ = 0;  // bytes of the longest directory among them
};

}  // namespace mxc
