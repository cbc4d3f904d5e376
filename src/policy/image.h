// The root file system of an image under the paths of a policy.
//
// Inside, the image's files stand where the baseline's would: read-only, and behind every rule of the policy.
// A path of the policy is one of the host, and shows or denies what stands at that same path inside. A mount
// can only stand on what has a name: a directory of the image that lacks one is taken apart, its entries
// shown one by one in a directory of the sandbox's own.
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

// The canonical directory of an image; "" stands for none. Errors, kConflict: there is none, or it is reached
// through a link that others than root may have put there, who would choose which files are shown.
[[nodiscard]] Result<std::string> ResolveImage(const std::string& image, const Host& host,
                                               PathWalker& walker);

// Refuses an image, kConflict, below whose directory anything is mounted, which the command would see as
// well, or that is itself in a file system of the kernel. Its directory may be a mount point.
[[nodiscard]] Status CheckMountsOf(const std::string& image, const MountNames& names);

// Makes the image a read-only grant of its directory, unless the policy has a rule for that: for as long as
// the rules of grants are made. Returns whether it has. They deny what the host denies in the image's own
// directory: other names of denied files, and sockets.
[[nodiscard]] bool GrantImage(const std::string& image, PathWalker& walker, RuleSet& rules);
// Errors: kConflict, where the directory itself is denied, by one of its names.
[[nodiscard]] Status CheckNotDenied(const std::string& image, const RuleSet& rules);

struct ImageRequest {
  const Host& host;
  PathWalker& walker;
  const std::string& directory;  // canonical
  const Workspace& workspace;
  const Ceiling* ceiling;  // nullptr: there is none
  Cuts* cuts;              // where there is a ceiling
};

// Adds what the policy (`denied`) and each section of the ceiling deny by paths inside, links and patterns
// as they are there, to `entries`, those of the policy and cut by the ceiling: as denials of the same files
// by their paths on the host. Errors: those of BoundImage; kConflict, with the clause, for a path of the
// policy of which it cannot be told, and for a pattern of which not everything in the image can be searched.
[[nodiscard]] Status DenyByPathsInside(const ImageRequest& image, const std::vector<PathEntry>& denied,
                                       std::vector<ExaminedEntry>& entries, std::vector<Warning>& warnings);

// What `rules` deny in the image's directory, by paths inside. Rules of that directory that no grant shows
// are taken out.
[[nodiscard]] std::vector<PathEntry> TakeDenialsIn(const std::string& image, RuleSet& rules);

struct ImageRules {
  const Host& host;
  const std::string& directory;          // canonical
  const std::vector<PathEntry>& denied;  // by paths inside
};

// Adds the image to the policy's own rules, and its links to `links`, which begins with those that spellings
// of the policy need. Errors: kConflict, with the clause, for a path that what the image has there leaves no
// room for.
[[nodiscard]] Status LayImageUnder(const ImageRules& image, RuleSet& rules, std::vector<PathLink>& links);

}  // namespace mxc
