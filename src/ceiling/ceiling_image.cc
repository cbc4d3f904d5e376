#include "ceiling/ceiling_image.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

#include "base/quoted.h"
#include "base/runtime_places.h"
#include "ceiling/ceiling_paths.h"

namespace mxc {
namespace {

constexpr std::array<std::string_view, 2> kRootsPlaces = {kRootsImages, kRootsUnpackedImages};

// Nobody but root can have put `image`, or what leads to it, there.
bool IsRootsImage(const std::string& image, PathWalker& walker) {
  constexpr std::uint32_t kWriteByOthers = 022;
  const bool in_place = std::any_of(kRootsPlaces.begin(), kRootsPlaces.end(), [&](std::string_view place) {
    const Result<Walked> walked = walker.Walk(place);
    return walked && image != walked->path && IsAtOrBelow(image, walked->path);
  });
  if (!in_place) return false;
  for (std::string_view at = image;; at = ParentOf(at)) {
    const Lookup& lookup = walker.LookAt(std::string(at));
    if (!lookup.status || lookup.status->uid != 0 || (lookup.status->mode & kWriteByOthers) != 0)
      return false;
    if (at == "/") return true;
  }
}

Error NotGranted(const CeilingSection& section, const std::string& clause, const std::string& image) {
  return Conflict("more than the ceiling of this machine allows: the image " + Quoted(image) +
                      " is not granted (" + section.At(clause) + ")",
                  "/lxc", "use an image of " + std::string(kRootsImages) + ", or ask the operator");
}

}  // namespace

Status BoundImage(const CeilingSection& section, const Host& host, PathWalker& walker,
                  const std::string& image, ImageDenials& denials) {
  if (!section.filesystem) return Done{};
  const Result<std::unique_ptr<CeilingPaths>> bounds = CeilingPaths::Resolve(section, host, walker);
  if (!bounds) return bounds.error();
  const auto judge = [&](const std::string& path, const std::optional<FileStatus>& status) {
    return (*bounds)->Judge(path, status ? std::optional(status->object) : std::nullopt);
  };
  const CeilingVerdict whole = judge(image, walker.LookAt(image).status);
  const bool roots = whole.baseline && IsRootsImage(image, walker);
  if (whole.access == Access::kDenied && !roots) return NotGranted(section, whole.clause, image);
  denials.written = section.bounds.denied;
  for (const CeilingPlace& place : (*bounds)->Places()) {
    const CeilingVerdict verdict = judge(place.path, place.walked.status);
    if (verdict.access != Access::kDenied || verdict.baseline) continue;
    denials.names.push_back({.path = place.path, .pointer = verdict.clause});
    if (IsBelow(place.path, image))
      denials.names.push_back({.path = place.path.substr(image.size()), .pointer = verdict.clause});
  }
  return Done{};
}

}  // namespace mxc
