// Where the sandboxes of a user are found: a private directory with one socket for each. The socket is all
// there is of a record: who can connect has found a living daemon, and a socket that refuses is of one that
// was killed. So nothing written can be out of date.
#pragma once

#include <string>
#include <vector>

#include "base/runtime_directory.h"
#include "base/unique_fd.h"
#include "mxc/error.h"

namespace mxc::session {

// Launchers that have connected and not said yet what they want; the one silent for the longest makes room.
inline constexpr int kMaxCallers = 128;

class StateDirectory {
 public:
  // As RuntimeDirectory.
  [[nodiscard]] static Result<StateDirectory> Open();
  [[nodiscard]] static std::vector<StateDirectory> Existing();

  // A socket for calls, under a new name. The kernel names to callers who has called listen(2) last: who
  // takes the calls does so again. Errors: kSetupFailed.
  [[nodiscard]] Result<UniqueFd> Listen(const std::string& name) const;
  // Without a socket: errno is ENOENT, ECONNREFUSED when nobody listens any more, or what else is wrong.
  [[nodiscard]] UniqueFd Connect(const std::string& name) const;
  void Remove(const std::string& name) const;
  // And what its sandbox has left on the host. False: somebody listens, or the name is gone.
  [[nodiscard]] bool RemoveDead(const std::string& name) const;
  // The name is still there.
  [[nodiscard]] bool Has(const std::string& name) const;
  // Readable when a name has been removed, until DrainWatch. Empty: the user has no more of those.
  [[nodiscard]] UniqueFd WatchNames() const;
  static void DrainWatch(const UniqueFd& watch);
  [[nodiscard]] std::vector<std::string> Names() const;
  // The same directory with a descriptor of its own.
  [[nodiscard]] int Descriptor() const { return directory_.Get(); }
  [[nodiscard]] const std::string& Path() const { return path_; }

 private:
  explicit StateDirectory(RuntimeDirectory directory);

  UniqueFd directory_ = {};
  std::string path_ = {};
};

}  // namespace mxc::session
