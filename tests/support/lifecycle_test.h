// What tests of persistent sandboxes stand on: requests as a client makes them, and the sandboxes of a test,
// which are gone at its end.
#pragma once

#include <string>
#include <vector>

#include "tests/support/launcher_test.h"

namespace mxc::test {

class LifecycleTest : public LauncherTest {
 protected:
  LifecycleTest();
  void TearDown() override;

  // Sandboxes of this test alone: a directory of its own holds their names, and is answered.
  std::string OwnDirectory();

  // A document of these members, in the dialect of `version`.
  [[nodiscard]] Launch Request(const std::string& members, const std::string& version = "1.0.0") const;
  // `more` begins with a comma.
  [[nodiscard]] Launch Phase(const std::string& phase, const std::string& id,
                             const std::string& more = "") const;
  // `more` are members of `process`, with a comma before them.
  [[nodiscard]] Launch ExecOf(const std::string& id, const std::string& command,
                              const std::string& more = "") const;
  [[nodiscard]] Ended Exec(const std::string& id, const std::string& command,
                           const std::string& more = "") const {
    return Execute(ExecOf(id, command, more));
  }
  // Of `containment` with further members; `more` begins with a comma.
  [[nodiscard]] Launch ProvisionOf(const std::string& more = "", const std::string& version = "1.0.0") const;
  // With further members, without a comma before them; the identifier.
  [[nodiscard]] std::string Provision(const std::string& more = "");
  [[nodiscard]] std::string Started(const std::string& more = "");
  // `key` of what is listed of `id`; "absent". Sandboxes of tests that run meanwhile are listed as well.
  [[nodiscard]] std::string Listed(const std::string& id, const std::string& key) const;
  // -1: --list does not show it, or shows it as dead.
  [[nodiscard]] pid_t DaemonOf(const std::string& id) const;
  [[nodiscard]] std::string List() const { return Execute(Call({"--list"})).out; }

  std::vector<std::string> provisioned = {};
  std::string containment;  // as a request names it
  std::string prefix;       // of its identifiers

 private:
  [[nodiscard]] Launch Call(std::vector<std::string> arguments) const;

  std::string runtime_ = {};  // XDG_RUNTIME_DIR of its calls; empty: the caller's
};

// Of the answer on standard output; "absent" or "not JSON" when it is no error.
[[nodiscard]] std::string CodeOf(const Ended& ended);

}  // namespace mxc::test
