#include "policy/image.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "policy/paths/entries.h"
#include "policy/paths/glob.h"

namespace mxc {
namespace {

// Mounts that taking directories apart may cost; each is made and looked up at every launch.
constexpr std::size_t kMaxShown = 1000;

class ImageLayer {
 public:
  ImageLayer(const ImageRequest& image, RuleSet& rules, std::vector<PathLink>& links)
      : image_(image), walker_(image.host, image.directory), rules_(rules), links_(links) {}

  Status Lay();

 private:
  [[nodiscard]] bool ShowsImage(std::string_view path) const;
  void TakeDenials();
  void AddDenials();
  Status CollectMissing();
  Status NeedMountPoint(const std::string& path, FileType type, const std::string& pointer);
  Status NeedLink(const PathLink& link, bool& there);
  Status CheckWay(const std::string& path, const std::string& pointer, bool& whole);
  [[nodiscard]] bool IsOccupied(const std::string& path) const;
  [[nodiscard]] bool HasMissingBelow(const std::string& path) const;
  Status ShowDirectory(const std::string& path);
  Status ShowEntry(const std::string& path);

  const ImageRequest& image_;
  PathWalker walker_;  // whose root is the image
  RuleSet& rules_;
  std::vector<PathLink>& links_;
  std::vector<std::string> missing_ = {};  // where something is to stand that the image has no room for
  std::size_t shown_ = 0;
};

// No grant of the policy stands above `path`, and no mask.
bool ImageLayer::ShowsImage(std::string_view path) const {
  while (path != "/") {
    path = ParentOf(path);
    const PathRule* rule = rules_.Find(path);
    if (rule != nullptr && (rule->access != Access::kDenied || rule->object)) return false;
  }
  return true;
}

// The objects that denials were resolved to are the host's; where the image shows, its own are to be covered.
void ImageLayer::TakeDenials() {
  std::vector<PathRule> all = rules_.Take();
  for (PathRule& rule : all) {
    if (rule.access == Access::kDenied && ShowsImage(rule.path)) {
      const Result<Walked> walked = walker_.Walk(rule.path);
      rule.object.reset();
      rule.first_missing.clear();
      if (walked && walked->status && walked->path == rule.path) rule.object = walked->status->object;
    }
    rules_.Add(std::move(rule));
  }
}

// What the user wrote may be another path in the image: its /bin/sh is a link of its own.
void ImageLayer::AddDenials() {
  for (const PathEntry& written : image_.config.denied) {
    if (IsGlob(written.path)) continue;
    Result<Walked> walked = walker_.Walk(written.path);
    if (!walked || !walked->status || walked->path == "/" || !PrivateNodeOf(walked->path).empty()) continue;
    if (!ShowsImage(walked->path)) continue;
    rules_.Add({.path = std::move(walked->path),
                .access = Access::kDenied,
                .object = walked->status->object,
                .pointer = written.pointer});
  }
}

// What stands above `path` in the image are directories, as far as it has them. `whole`: it has them all.
Status ImageLayer::CheckWay(const std::string& path, const std::string& pointer, bool& whole) {
  whole = true;
  for (std::size_t end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1)) {
    const std::string above = path.substr(0, end);
    const Lookup& lookup = walker_.LookAt(above);
    if (!lookup.status) {
      whole = false;
      return Done{};
    }
    if (lookup.status->object.type == FileType::kDirectory) continue;
    return Conflict(Quoted(path) + " has no place in the image: its " + Quoted(above) + " is no directory",
                    pointer, "grant another path, or change the image");
  }
  return Done{};
}

Status ImageLayer::NeedMountPoint(const std::string& path, FileType type, const std::string& pointer) {
  if (path == "/") {
    return Conflict("'/' is granted, and would cover the image", pointer,
                    "grant the directories that the command needs, or leave the section `lxc` out");
  }
  bool whole = false;
  if (Status way = CheckWay(path, pointer, whole); !way) return way;
  const Lookup& lookup = walker_.LookAt(path);
  const bool directory = type == FileType::kDirectory;
  const bool fits = whole && lookup.status && lookup.status->object.type != FileType::kSymlink &&
                    (lookup.status->object.type == FileType::kDirectory) == directory;
  if (!fits) missing_.push_back(path);
  return Done{};
}

// A link of the host's, for a spelling of the policy. `there`: the image has the same.
Status ImageLayer::NeedLink(const PathLink& link, bool& there) {
  bool whole = false;
  if (Status way = CheckWay(link.path, {}, whole); !way) return way;
  const Lookup& lookup = walker_.LookAt(link.path);
  if (whole && lookup.status) {
    const FileType type = lookup.status->object.type;
    const std::string place = image_.directory + link.path;
    const Result<std::string> text =
        type == FileType::kSymlink ? image_.host.ReadLink(place) : Result<std::string>(std::string());
    there = text && *text == link.target;
    if (there) return Done{};
    const Result<std::vector<std::string>> names = type == FileType::kDirectory
                                                       ? image_.host.ListDirectory(place)
                                                       : Result<std::vector<std::string>>(Error{});
    if (!names || !names->empty()) {
      return Conflict("the policy names paths through " + Quoted(link.path) + ", a link to " +
                          Quoted(link.target) + " on this host, and the image has something else there",
                      {}, "write the paths as they are on this host without the link");
    }
  }
  missing_.push_back(link.path);
  return Done{};
}

Status ImageLayer::CollectMissing() {
  std::vector<PathRule> all = rules_.Take();
  for (const PathRule& rule : all) rules_.Add(rule);
  for (const PathRule& rule : all) {
    if (rule.access == Access::kDenied || !rule.object || !ShowsImage(rule.path)) continue;
    if (Status status = NeedMountPoint(rule.path, rule.object->type, rule.pointer); !status) return status;
  }
  std::vector<PathLink> own;
  for (PathLink& link : links_) {
    bool there = false;
    if (ShowsImage(link.path)) {
      if (Status status = NeedLink(link, there); !status) return status;
    }
    if (!there) own.push_back(std::move(link));
  }
  links_ = std::move(own);
  return Done{};
}

bool ImageLayer::IsOccupied(const std::string& path) const {
  return PrivateNodeOf(path) == path || rules_.Find(path) != nullptr ||
         std::any_of(links_.begin(), links_.end(), [&](const PathLink& link) { return link.path == path; });
}

bool ImageLayer::HasMissingBelow(const std::string& path) const {
  return std::any_of(missing_.begin(), missing_.end(), [&](const std::string& missing) {
    return missing != path && IsAtOrBelow(missing, path);
  });
}

// NOLINTNEXTLINE(misc-no-recursion): no deeper than the path of a mount point
Status ImageLayer::ShowEntry(const std::string& path) {
  if (IsOccupied(path)) return Done{};
  if (HasMissingBelow(path)) return ShowDirectory(path);
  if (++shown_ > kMaxShown) {
    return Conflict("the image has no directory for " + Quoted(missing_.front()) +
                        ", and the directories it would stand in have more than " +
                        std::to_string(kMaxShown) + " entries",
                    {}, "make the directory in the image, or grant a path elsewhere");
  }
  const Lookup& lookup = walker_.LookAt(path);
  if (!lookup.status) return Done{};
  const FileObject object = lookup.status->object;
  std::string source = image_.directory + path;
  if (object.type == FileType::kSymlink) {
    Result<std::string> text = image_.host.ReadLink(source);
    if (!text) return text.error();
    links_.push_back({.path = path, .target = std::move(*text)});
  } else if (object.type == FileType::kDirectory || object.type == FileType::kRegular) {
    rules_.Add({.path = path, .object = object, .origin = Origin::kBaseline, .source = std::move(source)});
  }
  return Done{};  // what a device or a socket of an image would do is the host's business
}

// NOLINTNEXTLINE(misc-no-recursion): the same
Status ImageLayer::ShowDirectory(const std::string& path) {
  Result<std::vector<std::string>> names = image_.host.ListDirectory(image_.directory + path);
  if (!names) return names.error();
  std::sort(names->begin(), names->end());
  for (const std::string& name : *names) {
    if (Status shown = ShowEntry(JoinPath(path, name)); !shown) return shown;
  }
  return Done{};
}

Status ImageLayer::Lay() {
  TakeDenials();
  AddDenials();
  if (Status collected = CollectMissing(); !collected) return collected;
  return ShowDirectory("/");
}

}  // namespace

Status LayImageUnder(const ImageRequest& image, RuleSet& rules, std::vector<PathLink>& links) {
  return ImageLayer{image, rules, links}.Lay();
}

}  // namespace mxc
