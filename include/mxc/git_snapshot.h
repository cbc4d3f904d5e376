// What git would find in the read-write grants before a command has run there, for the comparison afterwards.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mxc {

struct GitSnapshot {
  std::vector<std::string> roots = {};    // directories that were searched; empty: nothing is to be compared
  std::vector<std::string> skipped = {};  // below them, with an entry of their own
  std::vector<std::string> places = {};   // each `.git`, and each git directory of another name; sorted
  std::vector<std::string> closed = {};   // directories that cannot be listed, read-only during the run
  struct Text {
    std::string path = {};
    std::string text = {};
    bool operator==(const Text&) const = default;
  };
  std::vector<Text> links = {};             // protected ones, which nothing but the comparison holds
  std::vector<Text> unfinished = {};        // files of unfinished operations that may have git run something
  std::optional<std::uint64_t> since = {};  // the host's time, no later than the search
};

}  // namespace mxc
