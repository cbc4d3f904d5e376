// A policy as the document that the mxc-exec of another system runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mxc/policy.h"
#include "mxc/secret.h"

namespace mxc::linux_backend {

// A reference such as "quay.io/fedora/fedora:41", as mxc-exec inside names images: what stands before the tag
// is the distribution, with "+" for each "/", and the tag, or "latest", is the release.
struct ImageReference {
  std::string distribution = {};  // empty: the files of the system inside
  std::string release = {};
};

// What the document says otherwise than the policy.
struct Guest {
  std::vector<PathRule> paths = {};  // of the policy, as they are called inside
  ImageReference image = {};
  std::string cwd = {};
  std::uint32_t timeout_ms = 0;            // 0: none
  Tier minimum_tier = Tier::kNone;         // what holds less is refused inside
  std::vector<ResourceLimit> limits = {};  // beside those of the policy; the smaller of two counts
  std::vector<PublishedPort> ports = {};   // beside those of the policy
};

// Schema 1.1.0-alpha, with our additions.
[[nodiscard]] std::vector<TextPart> GuestDocument(const Policy& policy, const Guest& guest);

}  // namespace mxc::linux_backend
