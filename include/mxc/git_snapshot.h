// What git would find in the read-write grants before a command has run there, for the comparison afterwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mxc {

struct GitSnapshot {
  std::vector<std::string> roots = {};     // directories that were searched; empty: nothing is to be compared
  std::vector<std::string> skipped = {};   // below them, with an entry of their own
  std::vector<std::string> writable = {};  // of all entries, those that let the command write
  struct Place {
    std::string path = {};    // a `.git`, or a git directory of another name
    std::string part = {};    // without which git takes no notice of it
    std::uint64_t inode = 0;  // of the part: a copy is something new; 0: not known
  };
  // Directories that were listed, each with its inode where that listing held no name of git's; 0: look
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
    std::uint64_t inode = 0;  // 0: nothing is there
  };
  std::vector<Held> held = {};  // read-only during the run, as long as nobody outside replaces them
  std::size_t put_back = 0;     // protected paths that are put back instead, and not among those
  // Mounts that the containment takes beside those of the run; none: no bound of its own.
  std::optional<std::size_t> more_mounts = {};
  struct Text {
    std::string path = {};
    std::string text = {};
    std::uint64_t stamp = 0;  // when it got there, where the disk tells
    bool operator==(const Text&) const = default;
  };
  // Configurations that the command may write, for keys that execute nothing.
  std::vector<Text> configs = {};
  std::vector<Text> links = {};         // protected ones, which nothing but the comparison holds
  std::vector<Text> instructions = {};  // files that git may run something of, and that the command can write
  std::vector<std::string> directories = {};  // git directories in the roots, or around them
  std::vector<Text> passages = {};            // links and the like among git's data, and paths in files
  std::vector<Text> indexes = {};             // with inode for a text
  // What programs of the host find by name: the directories of the caller's PATH that the command could fill,
  // as they are written, and the files there and in command lines of configurations. Their text is where each
  // leads, and its inode; "" where nothing stands.
  std::vector<std::string> searched = {};
  std::vector<Text> named = {};
  std::optional<std::uint64_t> since = {};  // the host's time, no later than the search
  // The same of the caller's first other run that went on meanwhile: what is younger may be its command's.
  std::optional<std::uint64_t> others_since = {};
};

}  // namespace mxc
