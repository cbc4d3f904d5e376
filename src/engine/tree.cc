#include <array>
#include <charconv>
#include <map>
#include <string_view>
#include <variant>

#include "engine/program.h"

namespace mxc::engine {
namespace {

enum class Place { kTmpfs, kBind, kDirectory, kLink, kFile };

struct Placed {
  Place place = Place::kDirectory;
  std::size_t action = 0;  // of a tmpfs
  bool moved = false;      // a bind of what has another path outside
};

struct Cover {
  Place place = Place::kTmpfs;
  std::string_view path = "/";
  std::size_t action = 0;
  bool moved = false;
};

Error Incoherent(const std::string& target, const char* why) {
  return {.code = ErrorCode::kInternal, .message = "mount tree: '" + target + "' " + why};
}

template <class Number>
std::string Digits(Number number, int base) {
  std::array<char, 24> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number, base).ptr;
  return {text.data(), end};
}

bool IsNormal(std::string_view path) {
  if (path == "/") return true;
  if (path.empty() || path.front() != '/' || path.back() == '/') return false;
  const std::string text = std::string(path) + "/";
  return text.find("//") == std::string::npos && text.find("/./") == std::string::npos &&
         text.find("/../") == std::string::npos && text.find('\0') == std::string::npos;
}

// Turns nodes into actions, with what will exist at each path by then.
class TreePreparer {
 public:
  TreePreparer(const Workspace& workspace, Program& program) : workspace_(workspace), program_(program) {}

  Status Add(const MountNode& node) {
    return std::visit([this](const auto& kind) { return Take(kind); }, node);
  }

 private:
  Status Take(const BindMount& bind);
  Status Take(const TmpfsMount& tmpfs);
  Status Take(const FileMask& mask);
  Status Take(const ProcMount& proc);
  Status Take(const DevMount& dev);
  Status Take(const MakeDirectory& directory);
  Status Take(const MakeSymlink& link);
  Status Take(const MakeFile& file);

  Status Insert(MountAction action, Place place);
  Result<Cover> FindCover(const std::string& target);
  void MakeParents(const Cover& cover, const std::string& target);
  void SetBase(const Cover& cover, MountAction& action);
  int SlotOf(std::size_t action);

  const Workspace& workspace_;
  Program& program_;
  std::map<std::string, Placed, std::less<>> placed_ = {};
};

// The mount that shows at the parent of `target`.
Result<Cover> TreePreparer::FindCover(const std::string& target) {
  Cover cover;
  if (program_.root_is_bind) cover.place = Place::kBind;
  for (std::size_t end = target.find('/', 1); end != std::string::npos; end = target.find('/', end + 1)) {
    const auto found = placed_.find(std::string_view(target).substr(0, end));
    if (found == placed_.end()) continue;
    const Placed& placed = found->second;
    if (placed.place == Place::kLink) return Incoherent(target, "stands below a symbolic link");
    if (placed.place == Place::kFile) return Incoherent(target, "stands below a file");
    if (placed.place != Place::kDirectory) cover = {placed.place, found->first, placed.action, placed.moved};
  }
  return cover;
}

int TreePreparer::SlotOf(std::size_t action) {
  int& slot = program_.mounts[action].slot;
  if (slot < 0) slot = static_cast<int>(program_.slots++);
  return slot;
}

void TreePreparer::SetBase(const Cover& cover, MountAction& action) {
  if (cover.place == Place::kBind) {
    action.base = kInBind;
    action.path = action.target.substr(1);
    return;
  }
  const bool in_root = cover.path == "/";
  action.base = in_root ? 0 : SlotOf(cover.action);
  action.path = action.target.substr(in_root ? 1 : cover.path.size() + 1);
}

void TreePreparer::MakeParents(const Cover& cover, const std::string& target) {
  if (cover.place == Place::kBind) return;
  const std::size_t start = cover.path == "/" ? 1 : cover.path.size() + 1;
  for (std::size_t end = target.find('/', start); end != std::string::npos; end = target.find('/', end + 1)) {
    const std::string directory = target.substr(0, end);
    if (!placed_.emplace(directory, Placed{}).second) continue;
    MountAction action{.kind = MountAction::Kind::kDirectory, .target = directory};
    SetBase(cover, action);
    program_.mounts.push_back(std::move(action));
  }
}

Status TreePreparer::Insert(MountAction action, Place place) {
  if (!IsNormal(action.target)) return Incoherent(action.target, "is not an absolute, normal path");
  if (action.target == "/") return Incoherent(action.target, "can only be bound, and first");
  Result<Cover> cover = FindCover(action.target);
  if (!cover) return cover.error();
  const bool in_bind = cover->place == Place::kBind;
  const bool made = action.kind == MountAction::Kind::kSymlink || action.kind == MountAction::Kind::kFile;
  if (in_bind && made) {
    return Incoherent(action.target, "would be made on the host");
  }
  MakeParents(*cover, action.target);
  SetBase(*cover, action);
  // A mask covers what was looked at; a bind its own source, where that shows already.
  const bool own = action.source == workspace_.OnHost(action.target);
  const bool covers = action.source.empty() || (own && !cover->moved);
  action.covers_self = in_bind && action.checked && covers;
  const bool moved = place == Place::kBind && !own;
  placed_[action.target] = {place, program_.mounts.size(), moved};
  program_.mounts.push_back(std::move(action));
  return Done{};
}

void Expect(const std::optional<FileObject>& object, MountAction& action) {
  if (!object) return;
  action.checked = true;
  action.device = object->device;
  action.inode = object->inode;
}

Status TreePreparer::Take(const BindMount& bind) {
  MountAction action{.kind = bind.pin ? MountAction::Kind::kPin : MountAction::Kind::kBind,
                     .target = bind.target,
                     .source = bind.source,
                     .writable = bind.access == Access::kReadWrite,
                     .unmapped_owners = bind.unmapped_owners};
  Expect(bind.object, action);
  if (bind.target == "/" && program_.mounts.empty()) {
    program_.root_is_bind = true;
    program_.mounts.push_back(std::move(action));
    return Done{};
  }
  return Insert(std::move(action), Place::kBind);
}

Status TreePreparer::Take(const TmpfsMount& tmpfs) {
  program_.own_tmp = program_.own_tmp || (tmpfs.target == "/tmp" && !tmpfs.read_only);
  MountAction action{.kind = MountAction::Kind::kTmpfs,
                     .target = tmpfs.target,
                     .look_alike = tmpfs.look_alike,
                     .read_only = tmpfs.read_only,
                     .mode_text = Digits(tmpfs.mode, 8),
                     .size_text = tmpfs.size_bytes == 0 ? std::string() : Digits(tmpfs.size_bytes, 10)};
  Expect(tmpfs.object, action);
  return Insert(std::move(action), Place::kTmpfs);
}

Status TreePreparer::Take(const FileMask& mask) {
  MountAction action{.kind = MountAction::Kind::kMask,
                     .target = mask.target,
                     .placeholder = mask.placeholder,
                     .look_alike = mask.look_alike};
  Expect(mask.object, action);
  return Insert(std::move(action), Place::kFile);
}

Status TreePreparer::Take(const ProcMount& proc) {
  program_.outer_proc = program_.outer_proc || proc.outer;
  return Insert({.kind = MountAction::Kind::kProc,
                 .target = proc.target,
                 .outer = proc.outer,
                 .read_only = proc.read_only},
                Place::kBind);
}

Status TreePreparer::Take(const DevMount& dev) {
  Status status = Insert({.kind = MountAction::Kind::kDev, .target = dev.target, .read_only = dev.read_only},
                         Place::kTmpfs);
  if (status) SlotOf(program_.mounts.size() - 1);  // sealed at the end, like a tmpfs with something in it
  return status;
}

Status TreePreparer::Take(const MakeDirectory& directory) {
  return Insert({.kind = MountAction::Kind::kDirectory, .target = directory.target, .mode = directory.mode},
                Place::kDirectory);
}

Status TreePreparer::Take(const MakeSymlink& link) {
  return Insert({.kind = MountAction::Kind::kSymlink, .target = link.target, .source = link.text},
                Place::kLink);
}

Status TreePreparer::Take(const MakeFile& file) {
  return Insert({.kind = MountAction::Kind::kFile, .target = file.target, .source = file.text}, Place::kFile);
}

}  // namespace

Status PrepareMounts(const LinuxSandbox& sandbox, Program& program) {
  program.mounts.reserve(2 * sandbox.mounts.size());  // with the directories above them
  TreePreparer preparer{sandbox.workspace, program};
  for (const MountNode& node : sandbox.mounts) {
    if (Status added = preparer.Add(node); !added) return added;
  }
  return Done{};
}

}  // namespace mxc::engine
