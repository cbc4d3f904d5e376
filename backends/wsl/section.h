// What the section `wslc` says.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mxc/error.h"
#include "mxc/json.h"
#include "mxc/policy.h"

namespace mxc::wsl {

// Where `cmake --install` puts it.
inline constexpr const char* kProgram = "/usr/local/bin/mxc-exec";

struct Section {
  std::string distribution = {};  // empty: the default one
  std::string program = kProgram;
  std::uint64_t cpus = 0;       // 0: as many as there are
  std::uint64_t memory_mb = 0;  // 0: no limit
  std::vector<PublishedPort> ports = {};
};

// Decode has checked the types. Errors: kUnavailable for what belongs to containers made of images (image,
// imageTarPath, storagePath, gpu), kConflict for another targetOs than Linux and for a program that is not
// named by an absolute path.
[[nodiscard]] Result<Section> ReadSection(const Json& section);

}  // namespace mxc::wsl
