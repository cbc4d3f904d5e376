// An image, held against a ceiling: to show it is to grant its directory, and its names are the command's.
#pragma once

#include <string>
#include <vector>

#include "ceiling/ceiling.h"
#include "config/config.h"
#include "mxc/error.h"
#include "mxc/host.h"
#include "policy/paths/paths.h"

namespace mxc {

// What is denied in an image, each with the pointer of the clause that says so.
struct ImageDenials {
  std::vector<PathEntry> written = {};  // as in `deniedPaths`, patterns included
  std::vector<PathEntry> names = {};    // paths in the image, taken as they are
};

// Adds what the section denies in the image that `image`, a canonical directory, holds: its denied paths, by
// the names that they have on the host, too, and files of the image that are denied under their path on the
// host. Errors, kConflict: the section grants the directory to nobody, and it is none of root's own images;
// the section cannot be resolved.
[[nodiscard]] Status BoundImage(const CeilingSection& section, const Host& host, PathWalker& walker,
                                const std::string& image, ImageDenials& denials);

}  // namespace mxc
