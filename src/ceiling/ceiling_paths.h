// The paths of a section on this machine, and what it says of any other.
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

// What may be done there at most, and which clause of the section says so.
struct CeilingVerdict {
  Access access = Access::kDenied;
  std::string clause = {};
  bool baseline = false;  // no entry of the section is about it
};

struct CeilingPlace {
  std::string path = {};
  Walked walked = {};
};

class CeilingPaths {
 public:
  // A grant through a link that others than root may have put there opens nothing: they would choose what.
  // Errors, kConflict: what it denies cannot be resolved.
  [[nodiscard]] static Result<std::unique_ptr<CeilingPaths>> Resolve(const CeilingSection& section,
                                                                     const Host& host, PathWalker& walker);

  // Of the canonical `path`, by all names of what stands there: the strictest entry around any of them. What
  // none names may be read where the baseline shows it.
  [[nodiscard]] CeilingVerdict Judge(const std::string& path, const std::optional<FileObject>& object) const;
  // Every sandbox shows it: not what the baseline hides there again.
  [[nodiscard]] bool InBaseline(const std::string& path) const;
  // The baseline hides something below it, unless a policy grants it.
  [[nodiscard]] bool HoldsHidden(const std::string& path) const;
  // Where its verdict may differ from that on the directory above, ancestors first.
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
  std::vector<Entry> entries_ = {};
  std::vector<Entry> planted_ = {};
  RuleSet rules_ = {};
  std::vector<std::string> baseline_ = {};
  std::vector<std::string> hidden_ = {};
  std::vector<CeilingPlace> places_ = {};
};

}  // namespace mxc
