// What the container of one run may reach: given in order, taken away with this object.
#pragma once

#include <optional>
#include <string>

#include "access/acl_journal.h"
#include "access/acl_windows.h"
#include "mxc/error.h"
#include "mxc/windows/app_container.h"
#include "run/run.h"
#include "windows/acl_journal_store_windows.h"

namespace mxc {

// As Windows knows a container.
struct ContainerIdentity {
  std::string name = {};
  std::string sid = {};                // as bytes
  std::string profile_to_delete = {};  // with the run; empty: it stays
};

class GivenAccess {
 public:
  explicit GivenAccess(RunObserver& observer) : observer_(observer) {}
  GivenAccess(const GivenAccess&) = delete;
  GivenAccess& operator=(const GivenAccess&) = delete;
  ~GivenAccess() { TakeAway(); }

  // Errors: kSetupFailed; kUnavailable for an exemption without an administrator. What was given before is
  // taken away with this object.
  [[nodiscard]] Status Give(const AppContainerSandbox& sandbox, const ContainerIdentity& container);

 private:
  [[nodiscard]] Status ChangeLists(const AppContainerSandbox& sandbox);
  [[nodiscard]] Status GrantFiles(const AppContainerSandbox& sandbox, const ContainerIdentity& container);
  [[nodiscard]] Status OpenLoopback(const AppContainerSandbox& sandbox, const ContainerIdentity& container);
  void TakeAway();

  RunObserver& observer_;
  WindowsAcls store_;
  std::optional<JournalFile> file_;
  std::optional<AclJournal> journal_;
};

// How a run of this machine takes away what stands in no list.
[[nodiscard]] Undoing UndoingHere();

}  // namespace mxc
