#include "policy/image.h"

#include <algorithm>
#include <utility>

#include "base/quoted.h"
#include "policy/paths/entries.h"
#include "policy/paths/glob.h"

namespace mxc {
namespace {

// Mounts that taking directories apart may cost; each is made and looked up at every launch.
constexpr std::size_t kMaxShown = 1000;

// The host as it is seen from inside: its root is the image's, and links lead where they do there.
class ImageHost final : public ForwardingHost {
 public:
  ImageHost(const Host& host, const std::string& image) : ForwardingHost(host), image_(image) {}

  [[nodiscard]] Lookup LookAt(const std::string& path) const override {
    return path == "/" ? Asked().LookAt(image_)
                       : Asked().LookAt(JoinPath(Real(ParentOf(path)), NameOf(path)));
  }
  [[nodiscard]] Result<std::string> ReadLink(const std::string& path) const override {
    return Asked().ReadLink(JoinPath(Real(ParentOf(path)), NameOf(path)));
  }
  [[nodiscard]] bool MayAccess(const std::string& path, Access access) const override {
    return Asked().MayAccess(Real(path), access);
  }
  [[nodiscard]] bool MayExecute(const std::string& path) const override {
    return Asked().MayExecute(Real(path));
  }
  [[nodiscard]] Result<std::vector<DirectoryEntry>> ListEntries(const std::string& path,
                                                                const NameFilter& wanted) const override {
    return Asked().ListEntries(Real(path), wanted);
  }

 private:
  // Asked by several threads at a time: each walks by itself.
  [[nodiscard]] std::string Real(std::string_view path) const {
    const Result<Walked> walked = PathWalker(Asked(), image_).Walk(path);
    const std::string inside = walked ? walked->path : std::string(path);
    return inside == "/" ? image_ : image_ + inside;
  }

  const std::string& image_;
};

class ImageLayer {
 public:
  ImageLayer(const ImageRequest& image, RuleSet& rules, std::vector<PathLink>& links)
      : image_(image), walker_(image.host, image.directory), rules_(rules), links_(links) {}

  Status Lay() {
    TakeDenials();
    if (Status denied = AddDenials(); !denied) return denied;
    if (Status collected = CollectMissing(); !collected) return collected;
    return ShowDirectory("/");
  }

 private:
  // No grant of the policy stands above `path`, and no mask.
  [[nodiscard]] bool ShowsImage(std::string_view path) const {
    while (path != "/") {
      path = ParentOf(path);
      const PathRule* rule = rules_.Find(path);
      if (rule != nullptr && (rule->access != Access::kDenied || rule->object)) return false;
    }
    return true;
  }

  // The objects that denials were resolved to are the host's; where the image shows, its own are to be
  // covered. No directory of the sandbox's own is made there.
  void TakeDenials() {
    std::vector<PathRule> all = rules_.Take();
    std::vector<PathEntry> more;
    for (PathRule& rule : all) {
      if (rule.access == Access::kDenied && ShowsImage(rule.path)) {
        const Result<Walked> walked = walker_.Walk(rule.path);
        rule.object.reset();
        rule.look_alike.reset();
        rule.first_missing.clear();
        rule.own_directory_mode = 0;
        rule.socket_directory_mode = 0;
        if (walked && walked->status && walked->path == rule.path) rule.object = walked->status->object;
        if (rule.origin == Origin::kPolicy) more.push_back({.path = rule.path, .pointer = rule.pointer});
      }
      rules_.Add(std::move(rule));
    }
    for (const PathEntry& entry : more) Deny(entry.path, entry.pointer);
  }

  // What is written may be another path in the image: its /bin/sh is a link of its own. A pattern is a name,
  // too.
  Status AddDenials() {
    for (const PathEntry& name : image_.denials.names) Deny(name.path, name.pointer);
    for (const PathEntry& written : image_.denials.written) {
      Deny(written.path, written.pointer);
      if (!IsGlob(written.path)) continue;
      if (Status denied = DenyMatches(written); !denied) return denied;
    }
    return Done{};
  }

  Status DenyMatches(const PathEntry& written) {
    const ImageHost inside(image_.host, image_.directory);
    const Result<std::vector<GlobMatch>> matches = ExpandGlob(written.path, GlobLinks::kFollow, inside);
    if (!matches)
      return Conflict("the pattern " + Quoted(written.path) + ", in the image: " + matches.error().message,
                      written.pointer, matches.error().hint);
    for (const GlobMatch& match : *matches) Deny(match.path, written.pointer);
    return Done{};
  }

  // What `path` leads to in the image.
  void Deny(const std::string& path, const std::string& pointer) {
    Result<Walked> walked = walker_.Walk(path);
    if (!walked || !walked->status || walked->path == "/" || !PrivateNodeOf(walked->path).empty()) return;
    if (!ShowsImage(walked->path)) return;
    rules_.Add({.path = std::move(walked->path),
                .access = Access::kDenied,
                .object = walked->status->object,
                .pointer = pointer});
  }

  Status CollectMissing() {
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

  Status NeedMountPoint(const std::string& path, FileType type, const std::string& pointer) {
    if (path == "/") {
      return Conflict("'/' is granted, and would cover the image", pointer,
                      "grant the directories that the command needs, or leave the section `lxc` out");
    }
    bool whole = false;
    if (Status way = CheckWay(path, pointer, whole); !way) return way;
    const Lookup& lookup = walker_.LookAt(path);
    const bool directory = type == FileType::kDirectory;
    const bool fits = whole && lookup.status && !lookup.Is(FileType::kSymlink) &&
                      lookup.Is(FileType::kDirectory) == directory;
    if (!fits) missing_.push_back(path);
    return Done{};
  }

  // A link of the host's, for a spelling of the policy. `there`: the image has the same.
  Status NeedLink(const PathLink& link, bool& there) {
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

  // What stands above `path` in the image are directories, as far as it has them. `whole`: it has them all.
  Status CheckWay(const std::string& path, const std::string& pointer, bool& whole) {
    whole = true;
    for (std::size_t end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1)) {
      const std::string above = path.substr(0, end);
      const Lookup& lookup = walker_.LookAt(above);
      if (!lookup.status) {
        whole = false;
        return Done{};
      }
      if (lookup.Is(FileType::kDirectory)) continue;
      return Conflict(Quoted(path) + " has no place in the image: its " + Quoted(above) + " is no directory",
                      pointer, "grant another path, or change the image");
    }
    return Done{};
  }

  [[nodiscard]] bool IsOccupied(const std::string& path) const {
    return PrivateNodeOf(path) == path || rules_.Find(path) != nullptr ||
           std::any_of(links_.begin(), links_.end(), [&](const PathLink& link) { return link.path == path; });
  }

  [[nodiscard]] bool HasMissingBelow(const std::string& path) const {
    return std::any_of(missing_.begin(), missing_.end(), [&](const std::string& missing) {
      return missing != path && IsAtOrBelow(missing, path);
    });
  }

  // NOLINTNEXTLINE(misc-no-recursion): no deeper than the path of a mount point
  Status ShowDirectory(const std::string& path) {
    Result<std::vector<std::string>> names = image_.host.ListDirectory(image_.directory + path);
    if (!names) return names.error();
    std::sort(names->begin(), names->end());
    for (const std::string& name : *names) {
      if (Status shown = ShowEntry(JoinPath(path, name)); !shown) return shown;
    }
    return Done{};
  }

  // NOLINTNEXTLINE(misc-no-recursion): the same
  Status ShowEntry(const std::string& path) {
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

  const ImageRequest& image_;
  PathWalker walker_;  // whose root is the image
  RuleSet& rules_;
  std::vector<PathLink>& links_;
  std::vector<std::string> missing_ = {};  // where something is to stand that the image has no room for
  std::size_t shown_ = 0;
};

}  // namespace

Result<std::string> ResolveImage(const std::string& image, const Host& host, PathWalker& walker) {
  if (image.empty()) return image;
  Result<Walked> walked = walker.Walk(image);
  if (!walked) return Conflict(walked.error().message, "/lxc", {});
  if (!walked->Is(FileType::kDirectory))
    return Conflict("the image " + Quoted(image) + " is no directory", "/lxc", {});
  const Status links = CheckGrantedLinks({.path = image, .pointer = "/lxc"}, "the image " + Quoted(image),
                                         *walked, host, walker);
  if (links) return std::move(walked->path);
  Error error = links.error();
  error.hint = "put what it leads to in its place";
  return error;
}

// A mount that shows files of people may still show what the policy is about under another name: that of the
// image's own root is known to the rules of grants.
Status CheckMountsOf(const std::string& image, const MountNames& names) {
  const auto refuse = [&](const Mount& mount, const std::string& what) {
    return Conflict("the image " + Quoted(image) + what + Quoted(mount.path) + " (" + mount.type + ")",
                    "/lxc", "unmount it: `umount " + ShellQuoted(mount.path) + "`");
  };
  for (const Mount* mount : names.Visible()) {
    if (mount->path != image && IsAtOrBelow(mount->path, image))
      return refuse(*mount, " has a file system mounted in it, at ");
  }
  const Mount* const around = names.At(image);
  if (around == nullptr || BackingOf(*around) != Backing::kKernel) return Done{};
  return refuse(*around, " is in a file system of the kernel: ");
}

bool GrantImage(const std::string& image, PathWalker& walker, RuleSet& rules) {
  const Lookup& lookup = walker.LookAt(image);
  return lookup.status && rules.Add({.path = image, .object = lookup.status->object, .pointer = "/lxc"});
}

Status CheckNotDenied(const std::string& image, const RuleSet& rules) {
  const PathRule* const rule = rules.Find(image);
  if (rule == nullptr || rule->access != Access::kDenied) return Done{};
  return Conflict("the image " + Quoted(image) + " is denied", rule->pointer,
                  "remove the entry, or choose another image");
}

Result<ImageDenials> DenialsIn(const std::string& image, const std::vector<PathEntry>& denied,
                               const RuleSet& rules, const Ceiling* ceiling, const Host& host,
                               PathWalker& walker) {
  ImageDenials denials{.written = denied};
  for (const PathRule& rule : rules.All()) {
    if (rule.access == Access::kDenied && rule.path != image && IsAtOrBelow(rule.path, image))
      denials.names.push_back({.path = rule.path.substr(image.size()), .pointer = rule.pointer});
  }
  for (std::size_t i = 0; ceiling != nullptr && i < ceiling->sections.size(); ++i) {
    const Status bound = BoundImage(ceiling->sections[i], host, walker, image, denials);
    if (!bound) return bound.error();
  }
  return denials;
}

Status LayImageUnder(const ImageRequest& image, RuleSet& rules, std::vector<PathLink>& links) {
  return ImageLayer{image, rules, links}.Lay();
}

}  // namespace mxc
