// The paths of a section on this machine, and the access that it allows to any path.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ceiling/ceiling.h"
#include "mxc/error.h"
#include "mxc/host.h"
#include "policy/paths/entries.h"
#include "policy/paths/mount_names.h"
#include "policy/paths/paths.h"
#include "policy/paths/rules.h"

namespace mxc {

// The most access that a path may get, and the clause of the section that decides it.
struct CeilingVerdict {
  Access access = Access::kDenied;
  std::string clause = {};
  bool baseline = false;  // no entry of the section covers it
};

struct CeilingPlace {
  std::string path = {};
  Walked walked = {};
};

class CeilingPaths {
 public:
  // A grant through a link that others than root could have created grants nothing: they would choose where
  // it leads. Errors, kConflict: a denied path cannot be resolved.
  [[nodiscard]] static Result<std::unique_ptr<CeilingPaths>> Resolve(const CeilingSection& section,
                                                                     const Host& host, PathWalker& walker);

  // The strictest entry that covers any name of the object at the canonical `path`. An object that no entry
  // covers may be read if the baseline shows it.
  [[nodiscard]] CeilingVerdict Judge(const std::string& path, const std::optional<FileObject>& object) const;
  // Whether the baseline shows it, and no rule of the baseline hides it again.
  [[nodiscard]] bool InBaseline(const std::string& path) const;
  // Whether the baseline hides something below it, unless a policy grants that.
  [[nodiscard]] bool HoldsHidden(const std::string& path) const;
  // The paths whose verdict may differ from that of their parent directory, ancestors first.
  [[nodiscard]] const std::vector<CeilingPlace>& Places() const { return places_; }

 private:
  CeilingPaths(std::vector<Mount> mounts, PathWalker& walker) : names_(std::move(mounts), walker) {}
  Status AddDenials(const Config& bounds, const Host& host, PathWalker& walker);
  Status AddGrants(const std::vector<PathEntry>& written, Access access, const Host& host,
                   PathWalker& walker);
  void AddPlanted();
  void AddGrant(const PathEntry& written, Access access, const Host& host, PathWalker& walker);
  Status FindPlaces(PathWalker& walker);

  MountNames names_;
  std::vector<ExaminedEntry> entries_ = {};
  std::vector<ExaminedEntry> planted_ = {};
  RuleSet rules_ = {};
  std::vector<std::string> baseline_ = {};
  std::vector<std::string> hidden_ = {};
  std::vector<CeilingPlace> places_ = {};
};

}  // namespace mxc
