#include "policy/image.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/quoted.h"
#include "ceiling/ceiling_image.h"
#include "policy/paths/examination.h"
#include "policy/paths/glob.h"
#include "policy/paths/image_view.h"

namespace mxc {
namespace {

// Limit of the mounts for directories whose entries are mounted one by one; every launch makes and looks up
// each.
constexpr std::size_t kMaxShown = 1000;

// The denials of the policy and of a ceiling by paths inside, as entries for the files that these name on the
// host.
class DenialsInside {
 public:
  DenialsInside(const ImageRequest& request, Examination& all)
      : request_(request),
        all_(all),
        rules_(RulesOf(all.entries)),
        view_(request.host, request.directory, request.workspace, Granted()) {
    for (const ExaminedEntry& entry : all.entries) {
      if (entry.wanted == Access::kDenied) known_.emplace(entry.walked.path, entry.pointer);
    }
  }

  // By both names: as written, and canonical on the host.
  Status AddOfPolicy(const std::vector<PathEntry>& written) {
    ImageDenials denials{.written = written};
    for (const ExaminedEntry& entry : all_.entries) {
      if (entry.wanted == Access::kDenied)
        denials.names.push_back({.path = entry.walked.path, .pointer = entry.pointer});
    }
    return Add(denials);
  }

  // The caller did not write these, so a denial is reported only where it cuts a grant.
  Status AddOf(const CeilingSection& section) {
    section_ = &section;
    ImageDenials denials;
    Status bound = BoundImage(section, request_.host, request_.walker, request_.directory, denials);
    if (!bound) return bound;
    const std::size_t told = all_.warnings.size();
    Status added = Add(denials);
    all_.warnings.resize(told);
    return added;
  }

 private:
  [[nodiscard]] std::vector<std::string> Granted() const {
    std::vector<std::string> granted;
    for (const PathRule& rule : rules_.All()) {
      if (rule.access != Access::kDenied) granted.push_back(request_.workspace.Inside(rule.path));
    }
    return granted;
  }

  Status Add(const ImageDenials& denials) {
    for (const PathEntry& name : denials.names) {
      if (Status added = AddNamed(name); !added) return added;
    }
    for (const PathEntry& written : denials.written) {
      if (Status added = AddWritten(written); !added) return added;
      // With links of the image, a path through the image's directory may mean other files on the host.
      const std::string inside = InImage(written.path);
      if (inside.empty()) continue;
      if (Status added = AddWritten({.path = inside, .pointer = written.pointer}); !added) return added;
    }
    return Done{};
  }

  // The rest of `path` after the image's directory; "" if it does not lead there.
  [[nodiscard]] std::string InImage(const std::string& path) const {
    for (std::size_t end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1)) {
      const Result<Walked> walked = request_.walker.Walk(path.substr(0, end));
      if (!walked) return "";
      if (walked->status && walked->path == request_.directory) return path.substr(end);
    }
    return "";
  }

  // A pattern may also be the name of a file.
  Status AddWritten(const PathEntry& written) {
    if (!IsGlob(written.path)) return AddNamed(written);
    Result<std::vector<std::string>> matches = view_.Matching(written.path);
    if (!matches)
      return Conflict("the pattern " + Quoted(written.path) + ", in the image: " + matches.error().message,
                      PointerOf(written), matches.error().hint);
    if (const Result<std::vector<std::string>> named = view_.Named(written.path))
      matches->insert(matches->end(), named->begin(), named->end());
    if (!matches->empty() && section_ == nullptr) {
      std::erase_if(all_.warnings, [&](const Warning& warning) {
        return warning.category == "glob-unmatched" && warning.pointer == written.pointer;
      });
    }
    return DenyAll(*matches, written);
  }

  Status AddNamed(const PathEntry& name) {
    for (const std::string& path : {name.path, request_.workspace.Inside(name.path)}) {
      const Result<std::vector<std::string>> named = view_.Named(path);
      if (!named && section_ != nullptr) continue;  // as on the host, where the caller could not reach it
      if (!named)
        return Conflict(
            Quoted(path) + " of deniedPaths cannot be resolved in the image: " + named.error().message,
            PointerOf(name), "deny the directory above it, or choose another image");
      if (Status denied = DenyAll(*named, name); !denied) return denied;
    }
    return Done{};
  }

  // `paths` of the host, for the clause of `of`.
  Status DenyAll(const std::vector<std::string>& paths, const PathEntry& of) {
    const std::string pointer = PointerOf(of);
    for (const std::string& path : paths) {
      if (!known_.emplace(path, pointer).second) continue;
      Examined examined = Examine({.path = path, .pointer = pointer}, Access::kDenied, all_);
      if (!examined) return examined.error();
      if (*examined) all_.entries.push_back(std::move(**examined));
      const PathRule* const around = section_ == nullptr ? nullptr : rules_.Covering(path);
      if (around != nullptr && around->access != Access::kDenied)
        request_.cuts->Add(*section_, of.pointer, around->pointer, Quoted(path) + " is denied");
    }
    return Done{};
  }

  [[nodiscard]] std::string PointerOf(const PathEntry& of) const {
    return section_ == nullptr ? of.pointer : section_->At(of.pointer);
  }

  const ImageRequest& request_;
  Examination& all_;
  RuleSet rules_;  // of the entries without these
  ImageView view_;
  std::set<std::pair<std::string, std::string>> known_ = {};  // denied paths of the host, with the clause
  const CeilingSection* section_ = nullptr;                   // none: the policy
};

class ImageLayer {
 public:
  ImageLayer(const ImageRules& image, RuleSet& rules, std::vector<PathLink>& links)
      : image_(image), walker_(image.host, image.directory), rules_(rules), links_(links) {}

  Status Lay() {
    TakeDenials();
    for (const PathEntry& name : image_.denied) Deny(name.path, name.pointer);
    if (Status collected = CollectMissing(); !collected) return collected;
    return ShowDirectory("/");
  }

 private:
  // Whether no grant of the policy and no mask is above `path`.
  [[nodiscard]] bool ShowsImage(std::string_view path) const {
    while (path != "/") {
      path = ParentOf(path);
      const PathRule* rule = rules_.Find(path);
      if (rule != nullptr && (rule->access != Access::kDenied || rule->object)) return false;
    }
    return true;
  }

  // Denials were resolved to objects of the host; where the image is visible, its objects must be masked
  // instead. No own directory is created there.
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

  // A link of the host, for a spelling of the policy. `there`: set if the image has the same link.
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

  // Checks that the parents of `path` that exist in the image are directories. `whole`: set if all exist.
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
    return Done{};  // devices and sockets of an image would act on the host
  }

  const ImageRules& image_;
  PathWalker walker_;  // whose root is the image
  RuleSet& rules_;
  std::vector<PathLink>& links_;
  std::vector<std::string> missing_ = {};  // paths to be mounted that do not exist in the image
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

// Even a mount of ordinary data may show files of a policy entry under another name; for the image's own
// root, the rules of grants handle that.
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

Status DenyByPathsInside(const ImageRequest& image, const std::vector<PathEntry>& denied,
                         std::vector<ExaminedEntry>& entries, std::vector<Warning>& warnings) {
  Examination all{
      .host = image.host, .walker = image.walker, .warnings = warnings, .entries = std::move(entries)};
  DenialsInside inside(image, all);
  if (Status added = inside.AddOfPolicy(denied); !added) return added;
  for (std::size_t i = 0; image.ceiling != nullptr && i < image.ceiling->sections.size(); ++i) {
    if (Status added = inside.AddOf(image.ceiling->sections[i]); !added) return added;
  }
  entries = std::move(all.entries);
  return Done{};
}

std::vector<PathEntry> TakeDenialsIn(const std::string& image, RuleSet& rules) {
  const auto is_shown = [&rules](std::string_view path) {
    while (path != "/") {
      path = ParentOf(path);
      const PathRule* const rule = rules.Find(path);
      if (rule != nullptr && rule->access != Access::kDenied) return true;
    }
    return false;
  };
  std::vector<PathEntry> denied;
  std::vector<std::string> unseen;
  for (const PathRule& rule : rules.All()) {
    if (rule.access != Access::kDenied || !IsBelow(rule.path, image)) continue;
    denied.push_back({.path = rule.path.substr(image.size()), .pointer = rule.pointer});
    if (rule.object && !is_shown(rule.path)) unseen.push_back(rule.path);
  }
  for (const std::string& path : unseen) rules.Remove(path);
  return denied;
}

Status LayImageUnder(const ImageRules& image, RuleSet& rules, std::vector<PathLink>& links) {
  return ImageLayer{image, rules, links}.Lay();
}

}  // namespace mxc
