// The root file system of an image under the paths of a policy.
//
// Inside, the image's files replace the baseline's: read-only, and weaker than every rule of the policy. A
// path of the policy is a path of the host, and shows or denies what is at the same path inside. A mount
// needs an existing target: where a directory of the image lacks one, a directory of the sandbox replaces it,
// and its entries are mounted one by one.
#pragma once

#include <string>
#include <vector>

#include "ceiling/ceiling.h"
#include "ceiling/cuts.h"
#include "config/config.h"
#include "mxc/error.h"
#include "mxc/host.h"
#include "mxc/policy.h"
#include "policy/paths/entries.h"
#include "policy/paths/mount_names.h"
#include "policy/paths/paths.h"
#include "policy/paths/rules.h"

namespace mxc {

// The canonical directory of an image; "" for "". Errors: kConflict if it does not exist, or is reached
// through a link that a user other than root may have created: that user would choose which files are shown.
[[nodiscard]] Result<std::string> ResolveImage(const std::string& image, const Host& host,
                                               PathWalker& walker);

// Errors: kConflict for an image with a mount below its directory, because the command would see that mount
// as well, and for one in a file system of the kernel. The directory itself may be a mount point.
[[nodiscard]] Status CheckMountsOf(const std::string& image, const MountNames& names);

// Adds a read-only grant of the image's directory, unless the policy has a rule for it, and returns whether
// it did. The grant stays while the rules of grants are made, so that these deny what the host denies in that
// directory: other names of denied files, and sockets.
[[nodiscard]] bool GrantImage(const std::string& image, PathWalker& walker, RuleSet& rules);
// Errors: kConflict if the directory itself is denied, by one of its names.
[[nodiscard]] Status CheckNotDenied(const std::string& image, const RuleSet& rules);

struct ImageRequest {
  const Host& host;
  PathWalker& walker;
  const std::string& directory;  // canonical
  const Workspace& workspace;
  const Ceiling* ceiling;  // nullptr: there is none
  Cuts* cuts;              // if there is a ceiling
};

// The policy (`denied`) and each section of the ceiling deny paths inside, with the image's links and
// patterns. Adds them to `entries`, those of the policy as cut by the ceiling, as denials of the same files
// by their host paths. Errors: those of BoundImage; kConflict, with the clause, for a path of the policy
// whose file cannot be determined, and for a pattern if some directory of the image cannot be searched.
[[nodiscard]] Status DenyByPathsInside(const ImageRequest& image, const std::vector<PathEntry>& denied,
                                       std::vector<ExaminedEntry>& entries, std::vector<Warning>& warnings);

// The denials of `rules` in the image's directory, by paths inside. Removes the rules of that directory that
// no grant shows.
[[nodiscard]] std::vector<PathEntry> TakeDenialsIn(const std::string& image, RuleSet& rules);

struct ImageRules {
  const Host& host;
  const std::string& directory;          // canonical
  const std::vector<PathEntry>& denied;  // by paths inside
};

// Adds the image to the policy's own rules, and its links to `links`, which already holds those that
// spellings of the policy need. Errors: kConflict, with the clause, for a path that cannot be mounted because
// of a file of the image.
[[nodiscard]] Status LayImageUnder(const ImageRules& image, RuleSet& rules, std::vector<PathLink>& links);

}  // namespace mxc
