// What AppContainers lack on a machine as it is installed, and an administrator can give them: a look at the
// root of the system drive, which many programs take, and the device NUL.
//
// Nothing of it is done by a run. The null device forgets it at every start of Windows.
#pragma once

#include <string>
#include <vector>

#include "access/acl.h"
#include "mxc/error.h"

namespace mxc {

enum class Preparation { kDrive, kUndoDrive, kNullDevice, kVerifyNullDevice, kShowNullDevice };

struct PreparationOrder {
  Preparation what = Preparation::kDrive;
  std::string drive = {};  // "C:\"; empty: the system's
};

struct PreparationReply {
  int status = 0;  // 0: done, or nothing to do; 1: the null device differs
  std::string text = {};
};

// Windows only. Errors: kUnsupported elsewhere; kUsage for what is no root of a drive; kUnavailable without
// the rights of an administrator; kConflict for an entry of somebody else's; kSetupFailed.
[[nodiscard]] Result<PreparationReply> PrepareHost(const PreparationOrder& order);

// What of it is missing here, one sentence each.
[[nodiscard]] std::vector<std::string> MissingPreparations();

// ---- as data -------------------------------------------------------------------------------------------

// For ALL APPLICATION PACKAGES and ALL RESTRICTED APPLICATION PACKAGES, handed on to nothing: attributes, the
// list, waiting.
[[nodiscard]] std::vector<Ace> DriveEntries();
[[nodiscard]] bool IsDriveReady(const Acl& list);
// `list` with those that are missing. Errors: kConflict when one of the two has another entry of its own,
// which somebody put there on purpose.
[[nodiscard]] Result<Acl> WithDriveEntries(const Acl& list, const std::string& drive);
// Without exactly those.
[[nodiscard]] Acl WithoutDriveEntries(const Acl& list);
// The same entries, in whatever order.
[[nodiscard]] bool AreSame(const Acl& left, const Acl& right);
// Both identities have something granted.
[[nodiscard]] bool LetsContainersIn(const Acl& list);

}  // namespace mxc
