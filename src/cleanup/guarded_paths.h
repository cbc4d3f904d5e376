// Protected paths that no mount protects. The launcher remembers them before the command runs; the cleanup
// process restores whatever the command changes.
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

  // Reads the files at the paths. Errors: kSetupFailed, if one cannot be read whole, exceeds the bounds, or
  // is not the object the policy was resolved for.
  [[nodiscard]] static Result<GuardedPaths> Remember(std::vector<GuardedPath> paths);

  [[nodiscard]] bool Empty() const { return places_.empty(); }
  [[nodiscard]] const std::string& PathAt(std::size_t index) const { return places_.at(index).path.path; }
  [[nodiscard]] std::size_t Size() const { return places_.size(); }
  // Opens their parent directories, so that a rename above them does not matter any more.
  void Open();
  // The same, with an exclusive lock: else changes of another run would be remembered as the original. Stops
  // at the first that another run has locked (EWOULDBLOCK), or that has changed (ESTALE): returns its index
  // and sets errno; Size() if all are locked. Of a path whose directory is missing, the lowest directory on
  // the way that is there is locked.
  [[nodiscard]] std::size_t OpenAlone();
  // Whether we have locked `directory`.
  [[nodiscard]] bool Locks(std::string_view directory) const;

  // Restores all of them. What cannot be restored is taken out of the way. True: something had changed and is
  // restored, or taken away.
  bool PutBack();
  // The paths restored so far, each once, with its last result.
  [[nodiscard]] std::vector<PutBackPath> Found() const;

  // Those that could not be restored.
  struct Left {
    std::string path = {};
    std::string directory = {};  // its identity, or that of `above`
    std::string above = {};      // the lowest directory on the way that there was, if not all
    mode_t mode = 0;             // of `directory`; 0: not known
    KeptFile kept = {};
    bool missing = false;  // nothing stands there
  };
  [[nodiscard]] std::vector<Left> NotRestored() const;
  // All of them, as if none could be.
  [[nodiscard]] std::vector<Left> All() const;

  // For a watch: the directories from the grants down to the paths, the names that matter there, and the
  // files and directories that were remembered.
  [[nodiscard]] std::set<std::string> Directories() const;
  [[nodiscard]] std::set<std::string, std::less<>> Names() const;
  [[nodiscard]] std::vector<std::string> Objects() const;

 private:
  struct Directory {
    dev_t device = 0;
    ino_t inode = 0;
    std::string identity = {};
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
    std::string above = {};    // as of Left
    bool above_leads = false;  // something stands in the way below it, a file for instance
    KeptFile kept = {};
    bool failed = false;  // the last attempt to restore it
    bool missing = false;
  };

  [[nodiscard]] static Status RememberOne(GuardedPath path, KeepRoom& room, GuardedPaths& guarded);
  [[nodiscard]] static Status RememberMissing(Place& place, GuardedPaths& guarded);
  // False: it cannot be examined.
  [[nodiscard]] bool NoteDirectory(const std::string& path, int borrowed);
  // -1: with errno, as of OpenAlone.
  [[nodiscard]] int LockOne(const Place& place);
  // Opens `directory` if it is not the original any more. Renames a link or a file on the way, and gives an
  // original that was moved away its name again.
  [[nodiscard]] UniqueFd OpenOther(const std::string& directory, const Place& place);
  // Renames the original of `path`, at or above the directory of `place`, to its name in `borrowed_here`.
  [[nodiscard]] bool MoveBack(const Place& place, const std::string& path, int borrowed_here) const;
  // Restores the rights that its owner had. True: one was missing.
  [[nodiscard]] bool GiveRightsBack(const std::string& path);
  bool PutBackOne(Place& place);
  [[nodiscard]] Left LeftOf(const Place& place) const;
  // `aside` and `failure`: as of MadeAgain.
  void Note(const std::string& path, const MadeAgain& made, bool gone = false);

  std::vector<Place> places_ = {};  // none below another
  std::map<std::string, Directory, std::less<>> directories_ = {};
  std::map<std::string, PutBackPath> found_ = {};
};

}  // namespace mxc
