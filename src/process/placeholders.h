// Empty files at denied paths that do not exist, so that the sandbox can mask them.
//
//   Result<Placeholders> placeholders = Placeholders::Create(paths);
//   placeholders->Watch(child.id);
//
// A small guardian process creates them and removes them, when this object is destroyed or when we have been
// killed: it sees the other end of its pipe close. It first waits for the watched processes, because a path
// must not become free while something in the sandbox could still create it.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "mxc/error.h"

namespace mxc {

class Placeholders {
 public:
  // Files of mode kPlaceholderMode, shared with other runs that need the same. Errors: kSetupFailed, naming
  // the path; nothing is left behind then.
  [[nodiscard]] static Result<Placeholders> Create(const std::vector<std::string>& paths);

  Placeholders() = default;
  Placeholders(Placeholders&& other) noexcept;
  Placeholders& operator=(Placeholders&& other) noexcept;
  Placeholders(const Placeholders&) = delete;
  Placeholders& operator=(const Placeholders&) = delete;
  ~Placeholders() { Remove(); }

  void Watch(pid_t process) const;
  // Removes each file that is still the same, and still empty. Waits until that is done.
  void Remove();

 private:
  UniqueFd pipe_;  // the guardian lives as long as this is open
  pid_t guardian_ = -1;
};

}  // namespace mxc
