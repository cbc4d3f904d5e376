// What `protect` names where no mount holds it: remembered before the command runs, and put back whatever the
// command makes of it. The launcher remembers, the cleanup process puts back.
//
//   Result<GuardedPaths> guarded = GuardedPaths::Remember(paths);
//   guarded->OpenAlone();
//   guarded->PutBack();
//   for (const PutBackPath& each : guarded->Found()) ...
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_fd.h"
#include "cleanup/guarded_path.h"
#include "cleanup/kept_file.h"
#include "mxc/error.h"

namespace mxc {

class GuardedPaths {
 public:
  GuardedPaths() = default;

  // Reads what stands there. Errors: kSetupFailed, when that cannot be read whole, is more than can be
  // remembered, or is not what the policy was resolved for.
  [[nodiscard]] static Result<GuardedPaths> Remember(std::vector<GuardedPath> paths);

  [[nodiscard]] bool Empty() const { return places_.empty(); }
  [[nodiscard]] const std::string& PathAt(std::size_t index) const { return places_.at(index).path.path; }
  [[nodiscard]] std::size_t Size() const { return places_.size(); }
  // Opens the directories they are in. What is renamed above them does not matter from then on.
  void Open();
  // The same, with a lock that no other run gets: what that one writes meanwhile would be remembered. Stops
  // at the first that another run has, or that is not what it was: returns its index and sets errno
  // (EWOULDBLOCK, ESTALE); Size() when all are ours.
  [[nodiscard]] std::size_t OpenAlone();
  // `directory` is locked by us.
  [[nodiscard]] bool Locks(std::string_view directory) const;

  // Makes all of them what they were. True: something was not, and is.
  bool PutBack();
  // What was put back so far, each path once, as it was last.
  [[nodiscard]] std::vector<PutBackPath> Found() const;

  // For a watch: the directories on the way from the grants to them, the names that matter there, and what
  // was remembered of files and directories.
  [[nodiscard]] std::set<std::string> Directories() const;
  [[nodiscard]] std::set<std::string, std::less<>> Names() const;
  [[nodiscard]] std::vector<std::string> Objects() const;

 private:
  struct Directory {
    dev_t device = 0;
    ino_t inode = 0;
    mode_t mode = 0;
    bool there = false;
    UniqueFd opened = {};
    int failure = 0;  // errno of what kept it from being opened
    bool locked = false;
  };
  struct Place {
    GuardedPath path = {};
    std::string directory = {};
    std::string name = {};
    KeptFile kept = {};
  };

  [[nodiscard]] static Status RememberOne(GuardedPath path, KeepRoom& room, GuardedPaths& guarded);
  // What stands at `directory` now, where that is not the one it was. A link or a file on the way is renamed,
  // and what was moved away from there gets its name again.
  [[nodiscard]] UniqueFd OpenOther(const std::string& directory, const Place& place);
  // Gives the directory that stood at `path`, at or above that of `place`, its name in `borrowed_here` again.
  [[nodiscard]] bool MoveBack(const Place& place, const std::string& path, int borrowed_here) const;
  // The owner's rights that it had. True: one was missing.
  [[nodiscard]] bool GiveRightsBack(const std::string& path);
  bool PutBackOne(Place& place);
  void Note(const std::string& path, Result<std::string> aside, bool gone = false);

  std::vector<Place> places_ = {};  // none below another
  std::map<std::string, Directory, std::less<>> directories_ = {};
  std::map<std::string, PutBackPath> found_ = {};
};

}  // namespace mxc
