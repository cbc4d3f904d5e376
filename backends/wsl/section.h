// Reads the section `wslc`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backends/linux/guest_document.h"
#include "mxc/error.h"
#include "mxc/json.h"
#include "mxc/policy.h"

namespace mxc::wsl {

// The path to which `cmake --install` installs it.
inline constexpr const char* kProgram = "/usr/local/bin/mxc-exec";

// The directory in which the mxc-exec inside looks for images first, as root (images/images.h).
inline constexpr const char* kImages = "/var/lib/mxc-exec/images";

struct Section {
  std::string distribution = {};  // empty: the default one
  linux_backend::ImageReference image = {};
  std::string program = kProgram;
  std::uint64_t cpus = 0;       // 0: as many as there are
  std::uint64_t memory_mb = 0;  // 0: no limit
  std::vector<PublishedPort> ports = {};
};

// Decode has checked the types. Image and ports in `provision` take precedence over those beside it. Errors:
// kUnavailable for options that are not supported (imageTarPath, gpu), kConflict for another targetOs than
// Linux, for an image without such a reference, and for a program without an absolute path.
[[nodiscard]] Result<Section> ReadSection(const Json& section);

}  // namespace mxc::wsl
