// Checks an image against a ceiling: to mount an image is to grant its directory, under other names.
#pragma once

#include <string>
#include <vector>

#include "ceiling/ceiling.h"
#include "config/config.h"
#include "mxc/error.h"
#include "mxc/host.h"
#include "policy/paths/paths.h"

namespace mxc {

// Denied paths in an image, each with the clause that denies it: of a section, as its verdicts have it.
struct ImageDenials {
  std::vector<PathEntry> written = {};  // as in `deniedPaths`, patterns included
  std::vector<PathEntry> names = {};    // paths in the image, taken as they are
};

// Adds the paths that the section denies in the image in the canonical directory `image`: its denied paths
// inside the image, by their names on the host, too, and files of the image whose path on the host it denies.
// Errors, kConflict: the section does not grant the directory, and it is none of root's own images; the
// section cannot be resolved.
[[nodiscard]] Status BoundImage(const CeilingSection& section, const Host& host, PathWalker& walker,
                                const std::string& image, ImageDenials& denials);

}  // namespace mxc
