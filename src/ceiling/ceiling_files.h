// What all sections of a ceiling together say of files of this machine.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ceiling/ceiling.h"
#include "ceiling/ceiling_paths.h"
#include "ceiling/cuts.h"
#include "mxc/error.h"
#include "mxc/host.h"
#include "policy/paths/paths.h"

namespace mxc {

class CeilingFiles {
 public:
  struct Section {
    const CeilingSection* section = nullptr;  // one that bounds files
    std::unique_ptr<CeilingPaths> paths = {};
  };

  // `ceiling` and `walker` stay in use. Without a ceiling nothing is bounded. Errors: those of
  // CeilingPaths::Resolve.
  [[nodiscard]] static Result<CeilingFiles> Resolve(const Ceiling* ceiling, const Host& host,
                                                    PathWalker& walker);

  [[nodiscard]] const std::vector<Section>& Sections() const { return sections_; }
  // The strictest of what the sections say, with the pointer of its clause.
  [[nodiscard]] CeilingVerdict Judge(const Walked& walked) const;
  // Whether every section lists the socket at `walked`; what is not listed is told in `cuts`. A listed path
  // through a link that others than root could have put there lists nothing.
  [[nodiscard]] bool AllowsSocket(const PathEntry& socket, const Walked& walked, const Host& host,
                                  PathWalker& walker, Cuts& cuts) const;

 private:
  std::vector<Section> sections_ = {};
};

}  // namespace mxc
