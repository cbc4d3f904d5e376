// Renders a policy as the document for the mxc-exec in another system.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mxc/policy.h"
#include "mxc/secret.h"

namespace mxc::linux_backend {

// A reference such as "quay.io/fedora/fedora:41", as the mxc-exec inside names images: the part before the
// tag, with "+" for each "/", is the distribution; the tag, or "latest", is the release.
struct ImageReference {
  std::string distribution = {};  // empty: the files of the system inside
  std::string release = {};
};

// The parts of the document that differ from the policy.
struct Guest {
  std::vector<PathRule> paths = {};  // the policy's rules, with paths inside
  ImageReference image = {};
  std::string cwd = {};
  std::uint32_t timeout_ms = 0;            // 0: none
  Tier minimum_tier = Tier::kNone;         // for the mxc-exec inside
  std::vector<ResourceLimit> limits = {};  // in addition to the policy's; the smaller of two counts
  std::vector<PublishedPort> ports = {};   // in addition to the policy's
};

// Schema 1.1.0-alpha, with our additions.
[[nodiscard]] std::vector<TextPart> GuestDocument(const Policy& policy, const Guest& guest);

}  // namespace mxc::linux_backend
