// The root file system of an image under the paths of a policy.
//
// Inside, the image's files stand where the baseline's would: read-only, and behind every rule of the policy.
// A path of the policy is one of the host, and shows or denies what stands at that same path inside. A mount
// can only stand on what has a name: a directory of the image that lacks one is taken apart, its entries
// shown one by one in a directory of the sandbox's own.
#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "mxc/error.h"
#include "mxc/host.h"
#include "mxc/policy.h"
#include "policy/paths/paths.h"
#include "policy/paths/rules.h"

namespace mxc {

struct ImageRequest {
  const Host& host;
  const std::string& directory;  // canonical
  const Config& config;          // what is denied, as it is written: links of the image may lead elsewhere
};

// Adds the image to the policy's own rules, and its links to `links`, which begins with those that spellings
// of the policy need. Errors: kConflict, with the clause, for a path that what the image has there leaves no
// room for.
[[nodiscard]] Status LayImageUnder(const ImageRequest& image, RuleSet& rules, std::vector<PathLink>& links);

}  // namespace mxc
