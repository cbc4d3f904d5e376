#include "backends/linux/mount_tree.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "backends/linux/own_nodes.h"
#include "base/path.h"
#include "mxc/sandbox/private_home.h"

namespace mxc::linux_backend {
namespace {

// What a directory of the sandbox shows.
enum class View {
  kEmpty,      // a tmpfs of the sandbox: only what has been mounted or made there
  kReadOnly,   // the host's, through a read-only bind
  kUnmapped,   // the same with what others may
  kReadWrite,  // the host's, through a read-write bind
  kImage,      // an image's, through a read-only bind
  kMask,       // the tmpfs over a denied directory
  kKernel,     // /proc, /dev: generated
};

// The files of the host, or of an image, show.
bool IsBound(View view) {
  return view == View::kReadOnly || view == View::kUnmapped || view == View::kReadWrite ||
         view == View::kImage;
}

// Of what looks empty and is the command's: in a directory of ours its own mxc-exec may keep its own state.
constexpr std::uint32_t kEmptyMode = 0555;

constexpr std::string_view kBound = "bind mount";
constexpr std::string_view kBoundReadOnly = "read-only bind mount";
constexpr std::string_view kInside = "inside the bind mount of a directory above";
constexpr std::string_view kMaskedDirectory = "empty read-only tmpfs over it";
constexpr std::string_view kMaskedAround = "read-only tmpfs over it, which holds the grants below it alone";
constexpr std::string_view kMaskedFile = "masked: opening it fails with EACCES";
constexpr std::string_view kPrivateTmp = "tmpfs of its own";
constexpr std::string_view kInvisible = "the host's is not in the sandbox's root";
constexpr std::string_view kMissingReadOnly = "does not exist, and what is around it is read-only";
constexpr std::string_view kProtected =
    "read-only bind mount in a read-write one; a placeholder holds a name that is missing";
constexpr std::string_view kMissingReadWrite = "does not exist; a masked placeholder holds its name";

// Something to be placed in the tree: a rule, a link, or with neither one of kOwnNodes.
struct Placement {
  std::string_view path = {};
  const PathRule* rule = nullptr;
  const PathLink* link = nullptr;
};

// The path a rule occupies: a denied path that does not exist is held where its first missing part would be.
// What looks like a placeholder is masked where it stands, or held the same way.
std::string_view PlaceOf(const PathRule& rule) {
  const bool missing =
      rule.access == Access::kDenied && !rule.object && !rule.look_alike && !rule.first_missing.empty();
  return missing ? std::string_view(rule.first_missing) : std::string_view(rule.path);
}

// In place of a directory for sockets the command has one of its own, where its programs put theirs.
std::uint32_t MaskMode(const PathRule& rule) {
  return rule.socket_directory_mode != 0 ? rule.socket_directory_mode : kEmptyMode;
}

class TreeBuilder {
 public:
  TreeBuilder(const Policy& policy, const Facts& facts, Lowered& lowered)
      : policy_(policy), facts_(facts), lowered_(lowered) {
    if (policy.workspace.host.empty()) return;
    moved_ = policy.paths;
    rules_ = &moved_;
    for (PathRule& rule : moved_) {
      rule.path = policy.workspace.Inside(rule.path);
      rule.first_missing = policy.workspace.Inside(rule.first_missing);
    }
  }

  Status Build() {
    const std::vector<Placement> placements = SortedPlacements();
    for (std::size_t i = 0; i < placements.size(); ++i) {
      const Placement& placement = placements[i];
      if (i + 1 < placements.size() && YieldsTo(placement, placements[i + 1])) continue;
      Leave(placement.path);
      if (Status placed = Place(placement); !placed) return placed;
      if (placement.rule != nullptr && placement.rule->origin == Origin::kPolicy)
        policy_rules_.push_back(placement.path);
    }
    return Done{};
  }

 private:
  static constexpr std::size_t kNoMask = ~std::size_t{0};

  struct Frame {
    std::string_view path = {};
    View view = View::kEmpty;
    std::size_t mask = kNoMask;    // the TmpfsMount of a denied directory we are in
    std::size_t clause = kNoMask;  // its entry in the ledger
    bool file = false;             // nothing can stand below it
  };

  [[nodiscard]] std::vector<Placement> SortedPlacements() const {
    std::vector<Placement> placements;
    placements.reserve(rules_->size() + policy_.links.size() + kOwnNodes.size());
    for (const std::string_view node : kOwnNodes) placements.push_back({.path = node});
    for (const PathRule& rule : *rules_) {
      placements.push_back({.path = PlaceOf(rule), .rule = &rule});
    }
    for (const PathLink& link : policy_.links) {
      placements.push_back({.path = link.path, .link = &link});
    }
    // Stable: at one path the sandbox's own node comes first, then rules, then links.
    std::stable_sort(placements.begin(), placements.end(), [](const Placement& left, const Placement& right) {
      return PathBefore(left.path, right.path);
    });
    return placements;
  }

  // A grant of /tmp takes the place of the private one; nothing can stand below a link.
  [[nodiscard]] static bool YieldsTo(const Placement& placement, const Placement& next) {
    if (placement.link != nullptr) return IsBelow(next.path, placement.path);
    return placement.rule == nullptr && next.path == placement.path && next.rule != nullptr &&
           next.rule->access != Access::kDenied;
  }

  Status Place(const Placement& placement) {
    if (placement.rule != nullptr) return PlaceRule(*placement.rule);
    if (placement.link != nullptr) {
      PlaceLink(*placement.link);
    } else {
      PlaceOwn(placement.path);
    }
    return Done{};
  }

  Status PlaceRule(const PathRule& rule) {
    if (rule.origin != Origin::kProtection)
      return rule.access == Access::kDenied ? PlaceDenied(rule) : PlaceGrant(rule);
    PlaceProtected(rule);
    return Done{};
  }

  void PlaceOwn(std::string_view path) {
    const std::string target{path};
    if (path == "/proc") {
      const bool root = policy_.identity.IsRoot();
      Add(ProcMount{.target = target, .read_only = root || facts_.outer_proc, .outer = facts_.outer_proc});
      Push(path, View::kKernel);
      for (const std::string& file : facts_.kernel_files) Add(FileMask{.target = file});
    } else if (path == "/dev") {
      Add(DevMount{.target = target});
      Push(path, View::kKernel);
    } else if (path == "/sys") {
      // Absent, unless a grant of "/" would show the host's.
      if (frames_.back().view == View::kEmpty) return;
      Add(TmpfsMount{.target = target, .size_bytes = kMaskBytes, .mode = 0555, .read_only = true});
      Push(path, View::kKernel);
    } else {
      const std::string_view home = PrivateHome(policy_.paths);
      const bool holds_home = IsBelow(home, path);
      const std::uint64_t size = path == "/tmp" || holds_home ? kTmpBytes : kSharedMemoryBytes;
      Add(TmpfsMount{.target = target, .size_bytes = size, .mode = 01777});
      Push(path, View::kEmpty);
      if (holds_home) {
        Add(MakeDirectory{.target = std::string(home), .mode = 0700});
        for (const HomeFile& file : policy_.home_files) PutInHome(std::string(home) + "/" + file.name, file);
      }
      if (path != "/tmp" || policy_.private_temp_pointer.empty()) return;
      lowered_.ledger.push_back({policy_.private_temp_pointer, Strength::kKernel, std::string(kPrivateTmp)});
    }
  }

  void PutInHome(std::string target, const HomeFile& file) {
    if (file.link_to.empty()) {
      Add(MakeFile{.target = std::move(target), .text = file.text});
    } else {
      Add(MakeSymlink{.target = std::move(target), .text = file.link_to});
    }
  }

  Status PlaceGrant(const PathRule& rule) {
    if (IsFromKernel(rule.path)) {
      return Unenforceable(
          "'" + rule.path + "' cannot be granted: the sandbox has its own /proc and /dev and no /sys",
          rule.pointer, "remove the path");
    }
    const Frame top = frames_.back();
    if (top.file && top.path != rule.path) {
      return Conflict(
          "'" + rule.path + "' stands below '" + std::string(top.path) + "', which is denied as a file",
          rule.pointer, "remove one of the two paths");
    }
    if (rule.origin == Origin::kBaseline && !policy_rules_.empty()) return Done{};
    const bool policy = rule.origin == Origin::kPolicy;
    const bool image = !rule.source.empty();
    const View read_only = rule.unmapped_owners ? View::kUnmapped : View::kReadOnly;
    const View ordinary = rule.access == Access::kReadOnly ? read_only : View::kReadWrite;
    const View view = image ? View::kImage : ordinary;
    last_grant_ = rule.path;
    if (top.view == view) {
      Record(rule, kInside);
      return Done{};
    }
    OpenWay(rule.path);
    Add(BindMount{.source = image ? rule.source : OnHost(rule.path),
                  .target = rule.path,
                  .access = rule.access,
                  .object = policy || image ? rule.object : std::nullopt,
                  .unmapped_owners = rule.unmapped_owners});
    if (rule.path == "/") lowered_.sandbox.root_read_only = false;
    Push(rule.path, view);
    Record(rule, view == View::kReadOnly ? kBoundReadOnly : kBound);
    return Done{};
  }

  // Only where the host's files are writable; everywhere else nobody can change it anyway. A read-write one
  // keeps its name: a mount point cannot be renamed or removed.
  void PlaceProtected(const PathRule& rule) {
    Record(rule, kProtected);
    if (frames_.back().view != View::kReadWrite) return;
    OpenWay(rule.path);
    BindMount bind{.source = OnHost(rule.path), .target = rule.path, .access = rule.access};
    if (rule.object) {
      bind.object = rule.object;
    } else {
      lowered_.setup.emplace_back(
          Placeholder{.path = OnHost(rule.path), .placeholder_kind = rule.placeholder_kind});
      bind.pin = true;
      bind.type = rule.placeholder_kind->type;
    }
    Add(std::move(bind));
    Push(rule.path, rule.access == Access::kReadWrite ? View::kReadWrite : View::kReadOnly);
  }

  Status PlaceDenied(const PathRule& rule) {
    const View around = frames_.back().view;
    const bool bound = IsBound(around);
    const bool exists = rule.object && (bound || (around == View::kKernel && ExistsInside(rule.path)));
    if (around == View::kUnmapped && rule.unmapped_owners) return Done{};  // closed there by its mode
    if (exists) {
      MaskExisting(rule);
    } else if (rule.own_directory_mode != 0 && bound) {
      MaskOwnDirectory(rule);
    } else if (around == View::kReadWrite) {
      return PlaceMissing(rule, rule.first_missing.empty() ? rule.path : rule.first_missing);
    } else if (rule.look_alike && bound) {
      MaskExisting(rule);
    } else {
      // Whatever the host has here, the sandbox does not show it, or nobody inside can create it.
      Record(rule, bound ? kMissingReadOnly : kInvisible);
    }
    return Done{};
  }

  // Under a read-only grant nobody inside can create it, and a placeholder in a directory like /etc would
  // change the host. Under a read-write grant the name must be taken before the command can take it.
  Status PlaceMissing(const PathRule& rule, std::string_view name) {
    if (name == last_grant_ || (frames_.back().path == name && !frames_.back().file)) {
      return Conflict("'" + std::string(name) + "' is granted, but did not exist when '" + rule.path +
                          "' below it was looked for",
                      rule.pointer,
                      "run the command again; something else is creating files below this path");
    }
    Record(rule, kMissingReadWrite);
    if (frames_.back().path == name) return Done{};  // another denied path below the same missing directory
    OpenWay(name);
    lowered_.setup.emplace_back(Placeholder{.path = OnHost(name)});
    Add(FileMask{.target = std::string(name), .placeholder = true});
    Push(name, View::kMask, true);
    if (name == rule.path) return Done{};
    lowered_.warnings.push_back({.category = "path-held",
                                 .message = "'" + std::string(name) +
                                            "' cannot be created during the run, because '" + rule.path +
                                            "' below it is denied and does not exist",
                                 .pointer = rule.pointer});
    return Done{};
  }

  void PlaceLink(const PathLink& link) {
    const Frame& top = frames_.back();
    const bool room = top.view == View::kEmpty || (top.view == View::kMask && !top.file);
    if (!room || top.path == link.path) return;  // the host's own link shows, or something else stands there
    OpenWay(link.path);
    Add(MakeSymlink{.target = link.path, .text = link.target});
    Push(link.path, View::kMask, true);
  }

  void MaskExisting(const PathRule& rule) {
    // The sandbox's own /proc and /dev hold other objects under the same names.
    const FileObject& there = rule.object ? *rule.object : *rule.look_alike;
    const std::optional<FileObject> object =
        frames_.back().view == View::kKernel ? std::nullopt : std::optional(there);
    OpenWay(rule.path);
    if (there.type == FileType::kDirectory) {
      // What the user denied answers EACCES. What the baseline leaves out looks empty: a PATH with a
      // directory that cannot be searched would turn "not found" into "permission denied". Its owner, the
      // command, could make it writable.
      const bool baseline = rule.origin == Origin::kBaseline;
      const std::size_t mask = Add(TmpfsMount{.target = rule.path,
                                              .size_bytes = kMaskBytes,
                                              .mode = baseline ? MaskMode(rule) : 0U,
                                              .read_only = !baseline || rule.socket_directory_mode == 0,
                                              .object = object,
                                              .look_alike = !rule.object});
      Push(rule.path, View::kMask);
      frames_.back().mask = mask;
      if (!rule.pointer.empty()) frames_.back().clause = lowered_.ledger.size();
      Record(rule, kMaskedDirectory);
    } else {
      Add(FileMask{.target = rule.path, .object = object, .look_alike = !rule.object});
      Push(rule.path, View::kMask, true);
      Record(rule, kMaskedFile);
    }
  }

  // Also under a read-only grant: we make it sooner or later ourselves.
  void MaskOwnDirectory(const PathRule& rule) {
    OpenWay(rule.path);
    lowered_.setup.emplace_back(OwnDirectory{.path = OnHost(rule.path), .mode = rule.own_directory_mode});
    const std::size_t mask =
        Add(TmpfsMount{.target = rule.path, .size_bytes = kMaskBytes, .mode = MaskMode(rule)});
    Push(rule.path, View::kMask);
    frames_.back().mask = mask;
  }

  // Makes `path` reachable, and, where the host's directories are writable, keeps it where it is: whoever
  // renames a directory on the way takes the mount below it along and can put something else in its place.
  void OpenWay(std::string_view path) {
    if (frames_.back().mask != kNoMask) {
      std::get<TmpfsMount>(lowered_.sandbox.mounts[frames_.back().mask]).mode = 0555;
    }
    if (frames_.back().clause != kNoMask) lowered_.ledger[frames_.back().clause].mechanism = kMaskedAround;
    while (frames_.back().path != path) {
      const View view = frames_.back().view;
      const std::string_view next = NextOnTheWay(frames_.back().path, path);
      const bool ours = view == View::kEmpty || view == View::kMask;
      if (next == path || (!ours && view != View::kReadWrite)) return;
      const std::string target{next};
      if (view == View::kReadWrite) {
        Add(BindMount{.source = OnHost(target), .target = target, .access = Access::kReadWrite, .pin = true});
      } else {
        Add(MakeDirectory{.target = target, .mode = 0755});
      }
      Push(next, view);
    }
  }

  std::size_t Add(MountNode node) {
    lowered_.sandbox.mounts.push_back(std::move(node));
    return lowered_.sandbox.mounts.size() - 1;
  }

  void Push(std::string_view path, View view, bool file = false) {
    Frame frame{.path = path, .view = view, .file = file};
    if (view == View::kMask) {
      frame.mask = frames_.back().mask;
      frame.clause = frames_.back().clause;
    }
    frames_.push_back(frame);
  }

  // Forgets everything `path` does not stand below.
  void Leave(std::string_view path) {
    const auto left = [&](std::string_view above) { return !IsAtOrBelow(path, above); };
    while (left(frames_.back().path)) frames_.pop_back();  // ends at "/"
    while (!policy_rules_.empty() && left(policy_rules_.back())) policy_rules_.pop_back();
  }

  void Record(const PathRule& rule, std::string_view mechanism) {
    if (rule.pointer.empty()) return;
    lowered_.ledger.push_back({rule.pointer, Strength::kKernel, std::string(mechanism)});
  }

  // What is mounted at `path`, and where what it covers stands.
  [[nodiscard]] std::string OnHost(std::string_view path) const { return policy_.workspace.OnHost(path); }

  const Policy& policy_;
  const Facts& facts_;
  Lowered& lowered_;
  // Of the policy, by the names that they have inside: its own where nothing has another name.
  std::vector<PathRule> moved_ = {};
  const std::vector<PathRule>* rules_ = &policy_.paths;
  std::vector<Frame> frames_ = {Frame{.path = "/"}};  // directories from the root to where we are
  std::string_view last_grant_ = {};                  // also when it needed no mount
  std::vector<std::string_view> policy_rules_ = {};   // of the policy, at or above where we are
};

}  // namespace

Status BuildMountTree(const Policy& policy, const Facts& facts, Lowered& lowered) {
  return TreeBuilder{policy, facts, lowered}.Build();
}

}  // namespace mxc::linux_backend
