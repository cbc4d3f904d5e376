#include "tests/support/fake_host.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <utility>

#include "policy/paths/paths.h"

namespace mxc {
namespace {

// Searches look and list on several threads.
std::mutex asked_at_once;

constexpr int kMaxLinks = 40;

std::string ParentOf(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string Join(const std::string& directory, const std::string& name) {
  return directory == "/" ? "/" + name : directory + "/" + name;
}

// Puts the components of `path` before those that are still to be walked.
void Prepend(std::deque<std::string>& pending, const std::string& path) {
  std::size_t end = path.size();
  while (end > 0) {
    const std::size_t slash = path.rfind('/', end - 1);
    const std::size_t start = slash == std::string::npos ? 0 : slash + 1;
    if (end > start) pending.push_front(path.substr(start, end - start));
    end = slash == std::string::npos ? 0 : slash;
  }
}

}  // namespace

FakeHost::FakeHost() { nodes_["/"] = {.status = {.object = {1, 1, FileType::kDirectory}, .mode = 0755}}; }

std::string FakeHost::KeyOf(const std::string& path) const {
  std::deque<std::string> pending;
  Prepend(pending, path);
  std::string key = "/";
  for (; !pending.empty(); pending.pop_front()) {
    const auto directory = nodes_.find(key);
    if (directory != nodes_.end() && !directory->second.mirror.empty()) key = directory->second.mirror;
    key = Join(key, pending.front());
  }
  return key;
}

FakeHost& FakeHost::Put(const std::string& path, FileType type, std::string text,
                        const FakeAttributes& attributes) {
  const std::string key = KeyOf(path);
  std::string above = ParentOf(key);
  while (nodes_.count(above) == 0) above = ParentOf(above);
  const std::uint64_t device = nodes_[above].status.object.device;
  for (std::string parent = key; parent != "/";) {
    parent = ParentOf(parent);
    Node& directory = nodes_[parent];
    if (directory.status.object.inode != 0) continue;
    directory.status = {.object = {device, next_inode_++, FileType::kDirectory}, .mode = 0755};
  }
  nodes_[key] = {.status = {.object = {device, next_inode_++, type},
                            .mode = attributes.mode,
                            .uid = attributes.uid,
                            .gid = attributes.gid,
                            .links = attributes.links,
                            .size = text.size(),
                            .changed = attributes.changed},
                 .text = std::move(text),
                 .readable = attributes.readable,
                 .writable = attributes.writable,
                 .executable = attributes.executable};
  return *this;
}

FakeHost& FakeHost::AddDirectory(const std::string& path, FakeAttributes attributes) {
  return Put(path, FileType::kDirectory, {}, attributes);
}

FakeHost& FakeHost::AddFile(const std::string& path, std::string contents, FakeAttributes attributes) {
  return Put(path, FileType::kRegular, std::move(contents), attributes);
}

FakeHost& FakeHost::AddSymlink(const std::string& path, std::string text, FakeAttributes attributes) {
  return Put(path, FileType::kSymlink, std::move(text), attributes);
}

FakeHost& FakeHost::AddNode(const std::string& path, FileType type, FakeAttributes attributes) {
  return Put(path, type, {}, attributes);
}

FakeHost& FakeHost::AddAlias(const std::string& path, const std::string& existing) {
  Put(path, FileType::kRegular, {}, {});
  const std::string from = KeyOf(existing);
  Node& alias = nodes_[KeyOf(path)];
  if (nodes_.count(from) == 0 || &alias == &nodes_[from]) return *this;
  alias = nodes_[from];
  if (alias.status.object.type == FileType::kRegular) nodes_[from].status.links = ++alias.status.links;
  if (alias.status.object.type == FileType::kDirectory && alias.mirror.empty()) alias.mirror = from;
  return *this;
}

FakeHost& FakeHost::AddUnreadable(const std::string& path, LookupFailure failure, std::string reason) {
  Put(path, FileType::kDirectory, {}, {});
  nodes_[KeyOf(path)].failure = Lookup{.failure = failure, .reason = std::move(reason)};
  return *this;
}

FakeHost& FakeHost::AddBind(const std::string& path, const std::string& existing) {
  const MountLine from = MountOf(existing);
  const std::string below =
      existing.substr(from.path == "/" ? 1 : std::min(existing.size(), from.path.size() + 1));
  AddAlias(path, existing);
  Tell(path, from.device, below.empty() ? from.root : Join(from.root, below), "ext4 /dev/sda1 rw");
  return *this;
}

FakeHost& FakeHost::Remove(const std::string& path) {
  nodes_.erase(KeyOf(path));
  return *this;
}

FakeHost& FakeHost::AddDebian() {
  for (const char* path : {"/usr/bin", "/usr/sbin", "/usr/lib", "/usr/lib64", "/usr/share", "/etc", "/run",
                           "/var", "/proc", "/sys", "/dev", "/home", "/root", "/srv"}) {
    AddDirectory(path);
  }
  for (const char* path : {"/tmp", "/var/tmp"}) AddDirectory(path, {.mode = 01777});
  for (const char* name : {"bin", "sbin", "lib", "lib64"}) {
    AddSymlink(std::string("/") + name, std::string("usr/") + name);
  }
  AddSymlink("/var/run", "/run");
  return AddFile("/etc/passwd", "root:x:0:0:root:/root:/bin/sh\nana:x:1000:1000::/home/ana:/bin/sh\n");
}

FileObject FakeHost::ObjectAt(const std::string& path) const {
  return Find(path, LastLink::kFollow).node->status.object;
}

std::optional<std::string> FakeHost::CanonicalPath(const std::string& path) const {
  Found found = Find(path, LastLink::kFollow);
  if (found.node == nullptr) return std::nullopt;
  return std::move(found.path);
}

std::optional<std::string> FakeHost::Environment(std::string_view name) const {
  const auto found = environment_.find(name);
  if (found == environment_.end()) return std::nullopt;
  return found->second;
}

FakeHost::Found FakeHost::Find(const std::string& path, LastLink last_link) const {
  const Lookup missing{.failure = LookupFailure::kMissing, .reason = "No such file or directory"};
  std::deque<std::string> pending;
  Prepend(pending, path);
  Found found = Root();
  for (int links = 0; !pending.empty();) {
    const std::string name = std::exchange(pending.front(), {});
    pending.pop_front();
    if (found.node->status.object.type != FileType::kDirectory) return {.failure = missing};
    if (name == ".") continue;
    if (name == "..") {
      Prepend(pending, ParentOf(found.path));  // no link is on that way any more
      found = Root();
      continue;
    }
    const std::string key = Join(found.key, name);
    const auto node = nodes_.find(key);
    if (node == nodes_.end()) return {.failure = missing};
    if (node->second.failure) return {.failure = *node->second.failure};
    const bool is_link = node->second.status.object.type == FileType::kSymlink;
    if (is_link && (!pending.empty() || last_link == LastLink::kFollow)) {
      if (++links > kMaxLinks) {
        return {.failure = {.failure = LookupFailure::kOther, .reason = "Too many levels of symbolic links"}};
      }
      Prepend(pending, node->second.text);
      if (node->second.text.substr(0, 1) == "/") found = Root();
      continue;
    }
    const std::string& mirror = node->second.mirror;
    // A bind mount shows none of the mounts below what it shows: nothing is ever below itself.
    const bool bound = found.key != found.path;
    found = {
        .node = &node->second, .path = Join(found.path, name), .key = mirror.empty() || bound ? key : mirror};
  }
  return found;
}

Lookup FakeHost::LookAt(const std::string& path) const {
  const std::lock_guard alone(asked_at_once);
  questions_.push_back("look " + path);
  const Found found = Find(path, LastLink::kKeep);
  if (found.node == nullptr) return found.failure;
  return {.status = found.node->status};
}

Result<std::string> FakeHost::ReadLink(const std::string& path) const {
  questions_.push_back("readlink " + path);
  const Found found = Find(path, LastLink::kKeep);
  if (found.node == nullptr || found.node->status.object.type != FileType::kSymlink) {
    return Error{.code = ErrorCode::kConflict, .message = "readlink '" + path + "': Invalid argument"};
  }
  return found.node->text;
}

bool FakeHost::MayAccess(const std::string& path, Access access) const {
  questions_.push_back("access " + path);
  const Found found = Find(path, LastLink::kFollow);
  if (found.node == nullptr) return false;
  if (caller_.IsRoot()) return true;
  return found.node->readable && (access != Access::kReadWrite || found.node->writable);
}

// Root's capabilities are content with any bit; groups are not told apart.
bool FakeHost::MayExecute(const std::string& path) const {
  questions_.push_back("execute " + path);
  const Found found = Find(path, LastLink::kFollow);
  if (found.node == nullptr || !found.node->executable) return false;
  const FileStatus& status = found.node->status;
  if (caller_.IsRoot()) return (status.mode & 0111) != 0;
  return (status.mode & (status.uid == caller_.uid ? 0100U : 0001U)) != 0;
}

Result<std::vector<std::string>> FakeHost::ListDirectory(const std::string& path) const {
  questions_.push_back("list " + path);
  const Found found = Find(path, LastLink::kFollow);
  if (found.node == nullptr || found.node->status.object.type != FileType::kDirectory) {
    return Error{.code = ErrorCode::kConflict, .message = "list '" + path + "': Not a directory"};
  }
  std::vector<std::string> names;
  for (const auto& [name, node] : nodes_) {
    if (name != "/" && ParentOf(name) == found.key) names.push_back(name.substr(name.rfind('/') + 1));
  }
  return names;
}

Result<std::vector<DirectoryEntry>> FakeHost::ListEntries(const std::string& path,
                                                          const NameFilter& wanted) const {
  const std::lock_guard alone(asked_at_once);
  questions_.push_back("entries " + path);
  const Found found = Find(path, LastLink::kFollow);
  if (found.node == nullptr || found.node->status.object.type != FileType::kDirectory ||
      (!caller_.IsRoot() && !found.node->readable)) {
    return Error{.code = ErrorCode::kConflict, .message = "list '" + path + "': Permission denied"};
  }
  std::vector<DirectoryEntry> entries;
  const std::string prefix = Join(found.key, "");
  for (auto node = nodes_.lower_bound(prefix); node != nodes_.end(); ++node) {
    const std::string& name = node->first;
    if (!name.starts_with(prefix)) break;
    if (name == "/" || ParentOf(name) != found.key) continue;
    const FileType type = node->second.status.object.type;
    const std::string last = name.substr(prefix.size());
    if (type == FileType::kDirectory || !wanted || wanted(last))
      entries.push_back({.name = last, .type = type});
  }
  return entries;
}

std::vector<std::string> FakeHost::ListClosed(const std::string& directory) const {
  std::vector<std::string> closed;
  for (const auto& [path, node] : nodes_) {
    const FileStatus& status = node.status;
    if (!path.starts_with(directory + "/") || status.object.type == FileType::kSymlink) continue;
    if (!closed.empty() && path.starts_with(closed.back() + "/")) continue;
    const std::uint32_t needed = status.object.type == FileType::kDirectory ? 5U : 4U;
    if ((status.mode & needed) != needed && (caller_.IsRoot() || node.readable)) closed.push_back(path);
  }
  return closed;
}

Result<std::string> FakeHost::ReadFileIn(const std::string& root, const std::string& path,
                                         std::size_t limit) const {
  const Result<Walked> walked = PathWalker(*this, root).Walk(path);
  if (!walked) return walked.error();
  if (!walked->Is(FileType::kRegular))
    return Error{.code = ErrorCode::kConflict, .message = "open '" + path + "': no regular file"};
  return ReadFile(root + walked->path, limit);
}

Result<std::string> FakeHost::ReadFile(const std::string& path, std::size_t limit) const {
  questions_.push_back("read " + path);
  if (path == "/proc/self/mountinfo" && !Has(path)) return mount_table_.substr(0, limit);
  const Found found = Find(path, LastLink::kFollow);
  if (found.node != nullptr && found.node->status.object.type == FileType::kCharacterDevice)
    return std::string();  // as /dev/null
  if (found.node == nullptr || found.node->status.object.type != FileType::kRegular) {
    return Error{.code = ErrorCode::kConflict, .message = "open '" + path + "': No such file or directory"};
  }
  if (!found.node->readable && !caller_.IsRoot())
    return Error{.code = ErrorCode::kConflict, .message = "open '" + path + "': Permission denied"};
  return found.node->text.substr(0, limit);
}

std::optional<std::string> FakeHost::FindTool(std::string_view name) const {
  questions_.push_back("tool " + std::string(name));
  const auto found = tools_.find(name);
  if (found == tools_.end()) return std::nullopt;
  return found->second;
}

ToolRun FakeHost::Try(const std::vector<std::string>& argv, std::uint32_t /*limit_ms*/) const {
  std::string question = "run";
  for (const std::string& argument : argv) question += " " + argument;
  questions_.push_back(question);
  const auto found = answers_.find(argv);
  return found == answers_.end() ? ToolRun{} : found->second;
}

}  // namespace mxc
