// What git finds in the read-write grants before the command runs, for the comparison afterwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace mxc {

// A directory, or a file of git's, and the rights of others than its owner before the command runs.
struct Way {
  std::string path = {};
  std::uint32_t mode = 0;     // permission bits
  std::uint32_t guarded = 0;  // those bits of group and others that it may not get in addition
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::uint64_t inode = 0;  // 0: it does not exist, and gets its rights from the directory above
  // The values of extended attributes; "": there is none.
  std::string acl = {};          // kAccessAcl (mxc/host.h)
  std::string default_acl = {};  // kDefaultAcl
};

struct GitSnapshot {
  std::vector<std::string> roots = {};     // directories that were searched; empty: nothing to compare
  std::vector<std::string> skipped = {};   // directories below them with an entry of their own
  std::vector<std::string> writable = {};  // the entries that let the command write
  struct Place {
    std::string path = {};    // a `.git`, or a git directory of another name
    std::string part = {};    // the file without which git ignores it
    std::uint64_t inode = 0;  // of the part, so that a copy counts as new; 0: not known
  };
  // Directories that were listed. The inode is set if the listing contained no name that git uses; 0: list it
  // again.
  struct Listed {
    std::string path = {};
    std::uint64_t inode = 0;
  };
  std::shared_ptr<const std::vector<Listed>> listed = {};
  std::vector<Place> places = {};        // sorted by path
  std::vector<std::string> closed = {};  // directories that cannot be listed, read-only during the run
  struct Held {
    std::string path = {};
    std::uint64_t inode = 0;  // 0: it does not exist
  };
  std::vector<Held> held = {};  // read-only during the run, unless somebody outside replaces them
  std::size_t put_back = 0;     // number of protected paths that are restored instead, and not in `held`
  // Mounts that the containment needs besides those of the run; absent: it has no bound of its own.
  std::optional<std::size_t> more_mounts = {};
  struct Text {
    std::string path = {};
    std::string text = {};
    std::uint64_t stamp = 0;  // time of its last change, if the file system reports it
    bool operator==(const Text&) const = default;
  };
  // Configurations that the command may write, for keys that execute nothing.
  std::vector<Text> configs = {};
  std::vector<Text> links = {};         // protected links: only the comparison protects them
  std::vector<Text> instructions = {};  // files of which git may run something and that the command can write
  std::vector<std::string> directories = {};  // git directories in the roots, or above them
  std::vector<Text> passages = {};            // links and the like among git's data, and paths in its files
  std::vector<Text> indexes = {};             // with the inode as text
  // What programs of the host find by name: `searched` are the directories of the caller's PATH that the
  // command could fill, as written; `named` the files there and in command lines of configurations. Their
  // text is the target and its inode; "": it does not exist.
  std::vector<std::string> searched = {};
  std::vector<std::string> patterns = {};  // of files that such a configuration includes, among them new ones
  std::vector<Text> named = {};
  // In read-write entries: directories above held or denied paths, and files of git's. The command may not
  // give others more rights to them. Parents first.
  std::vector<Way> ways = {};
  // Directories in which files are compared one by one, whatever they are called.
  struct Compared {
    enum class What {
      kAll,    // at any depth
      kTop,    // of a git directory: files outside git's own layout, at any depth
      kNamed,  // files called one of `names`, at any depth
      // What Python loads by itself from `directory`, an entry of PYTHONPATH as written: modules there, or a
      // file at that path.
      kPython,
    };
    std::string directory = {};
    What what = What::kAll;
    std::set<std::string, std::less<>> names = {};
    std::vector<Text> files = {};
  };
  std::vector<Compared> compared = {};
  // Programs with names of hooks in a directory `hooks` outside a repository, which `git init --bare` would
  // turn into one.
  std::vector<Text> hooks = {};
  std::optional<std::uint64_t> since = {};  // the host's time at the start of the search, or earlier
  // When the caller's oldest overlapping run began: its command may have written younger files.
  std::optional<std::uint64_t> others_since = {};
};

}  // namespace mxc
