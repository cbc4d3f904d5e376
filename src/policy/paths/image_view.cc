#include "policy/paths/image_view.h"

#include <algorithm>
#include <utility>

#include "policy/paths/glob.h"

namespace mxc {

bool ImageView::Canonical::IsGranted(std::string_view path) const {
  return std::any_of(granted_.begin(), granted_.end(),
                     [&](const std::string& granted) { return IsAtOrBelow(path, granted); });
}

bool ImageView::Canonical::HoldsGrant(std::string_view path) const {
  return std::any_of(granted_.begin(), granted_.end(),
                     [&](const std::string& granted) { return IsAtOrBelow(granted, path); });
}

std::string ImageView::Canonical::OnHost(const std::string& path) const {
  if (IsGranted(path)) return workspace_.OnHost(path);
  return path == "/" ? image_ : image_ + path;
}

// Directories above a grant exist inside, even if the image lacks them.
Lookup ImageView::Canonical::LookAt(const std::string& path) const {
  Lookup lookup = Asked().LookAt(OnHost(path));
  const bool made = !lookup.status && lookup.failure == LookupFailure::kMissing && HoldsGrant(path);
  return made && !IsGranted(path) ? Asked().LookAt(image_) : lookup;
}

// For patterns: walks each path first. Several threads call it at the same time, so each call uses its own
// walker.
class ImageView::AnyPath final : public ForwardingHost {
 public:
  explicit AnyPath(const Canonical& canonical)
      : ForwardingHost(static_cast<const Host&>(canonical)), canonical_(canonical) {}

  [[nodiscard]] Lookup LookAt(const std::string& path) const override {
    return canonical_.LookAt(Itself(path));
  }
  [[nodiscard]] Result<std::string> ReadLink(const std::string& path) const override {
    return canonical_.ReadLink(Itself(path));
  }
  [[nodiscard]] bool MayAccess(const std::string& path, Access access) const override {
    return Asked().MayAccess(canonical_.OnHost(Target(path)), access);
  }
  [[nodiscard]] bool MayExecute(const std::string& path) const override {
    return Asked().MayExecute(canonical_.OnHost(Target(path)));
  }
  // Matches in a grant are found by the pattern's search of the host.
  [[nodiscard]] Result<std::vector<DirectoryEntry>> ListEntries(const std::string& path,
                                                                const NameFilter& wanted) const override {
    if (canonical_.IsGranted(path)) return std::vector<DirectoryEntry>{};
    return Asked().ListEntries(canonical_.OnHost(Target(path)), wanted);
  }

 private:
  [[nodiscard]] std::string Target(std::string_view path) const {
    const Result<Walked> walked = PathWalker(canonical_).Walk(path);
    return walked ? walked->path : std::string(path);
  }
  [[nodiscard]] std::string Itself(const std::string& path) const {
    return path == "/" ? path : JoinPath(Target(ParentOf(path)), NameOf(path));
  }

  const Canonical& canonical_;
};

ImageView::ImageView(const Host& host, const std::string& image, const Workspace& workspace,
                     std::vector<std::string> granted)
    : canonical_(host, image, workspace, std::move(granted)), walker_(canonical_) {}

// Out of the caller's reach, and so out of the command's.
bool ImageView::IsOutOfReach(const std::string& path) {
  std::string at = "/";
  for (const std::string& name : Components(path)) {
    const std::string next = JoinPath(at, name);
    const Lookup& lookup = walker_.LookAt(next);
    if (!lookup.status) return lookup.failure == LookupFailure::kDenied;
    const Result<Walked> walked = walker_.Walk(next);
    if (!walked) return false;
    at = walked->path;
  }
  return false;
}

Result<std::vector<std::string>> ImageView::Named(const std::string& path) {
  const Result<Walked> walked = walker_.Walk(path);
  if (!walked && IsOutOfReach(path)) return std::vector<std::string>{};
  if (!walked) return walked.error();
  // A walk ends only at links of /proc and /dev, which are the sandbox's own.
  if (!walked->status || walked->Is(FileType::kSymlink)) return std::vector<std::string>{};
  return std::vector<std::string>{canonical_.OnHost(walked->path)};
}

// A link in a grant, which a command may have created, must not select files of the image or a whole grant.
bool ImageView::IsPlanted(const Walked& walked) const {
  const bool through = std::any_of(walked.links.begin(), walked.links.end(), [this](const LinkMet& met) {
    return canonical_.IsGranted(met.link.path);
  });
  return through && (!canonical_.IsGranted(walked.path) || canonical_.HoldsGrant(walked.path));
}

Result<std::vector<std::string>> ImageView::Matching(const std::string& pattern) {
  const AnyPath inside(canonical_);
  const Result<std::vector<GlobMatch>> matches = ExpandGlob(pattern, GlobLinks::kFollow, inside);
  if (!matches) return matches.error();
  std::vector<std::string> paths;
  for (const GlobMatch& match : *matches) {
    const Result<Walked> walked = walker_.Walk(match.path);
    // "/" is the target of a link here; it is visible by its own path.
    if (!walked || !walked->status || walked->Is(FileType::kSymlink) || walked->path == "/") continue;
    if (!IsPlanted(*walked)) paths.push_back(canonical_.OnHost(walked->path));
  }
  return paths;
}

}  // namespace mxc
