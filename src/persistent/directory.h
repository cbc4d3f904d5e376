// A user's private directory with one socket for each sandbox. The socket is the only record of a sandbox: if
// connect() succeeds, the daemon is alive; ECONNREFUSED means that it was killed. So no record can be stale.
#pragma once

#include <string>
#include <vector>

#include "base/runtime_directory.h"
#include "base/unique_fd.h"
#include "mxc/error.h"

namespace mxc::session {

// Connections without a call so far; the one that has been silent longest is closed for a new one.
inline constexpr int kMaxCallers = 128;

class StateDirectory {
 public:
  // See RuntimeDirectory.
  [[nodiscard]] static Result<StateDirectory> Open();
  [[nodiscard]] static std::vector<StateDirectory> Existing();
  [[nodiscard]] static std::vector<StateDirectory> OfAllCalls();

  // Creates a socket for calls under a new name. SO_PEERCRED tells callers which process called listen(2)
  // last, so the process that accepts must call it again. Errors: kSetupFailed.
  [[nodiscard]] Result<UniqueFd> Listen(const std::string& name) const;
  // If empty: errno is ENOENT, ECONNREFUSED if nobody listens any more, or another error's.
  [[nodiscard]] UniqueFd Connect(const std::string& name) const;
  void Remove(const std::string& name) const;
  // Removes the name of a dead sandbox and its host resources. False: somebody listens, or there is no such
  // name.
  [[nodiscard]] bool RemoveDead(const std::string& name) const;
  // Whether the name still exists.
  [[nodiscard]] bool Has(const std::string& name) const;
  // An inotify descriptor, readable from the removal of a name until DrainWatch. Empty: the user may have no
  // more.
  [[nodiscard]] UniqueFd WatchNames() const;
  static void DrainWatch(const UniqueFd& watch);
  [[nodiscard]] std::vector<std::string> Names() const;
  // The same directory with a descriptor of its own.
  [[nodiscard]] int Descriptor() const { return directory_.Get(); }
  [[nodiscard]] const std::string& Path() const { return path_; }

 private:
  explicit StateDirectory(RuntimeDirectory directory);
  [[nodiscard]] static std::vector<StateDirectory> In(std::vector<RuntimeDirectory> directories);

  UniqueFd directory_ = {};
  std::string path_ = {};
};

}  // namespace mxc::session
