// Which files we are ready to run as our helpers.
#include <string>
#include <vector>

#include "base/path.h"
#include "host/posix_host.h"

namespace mxc {
namespace {

constexpr int kMaxLinks = 40;
constexpr std::uint32_t kWritableByOthers = 022;
constexpr std::uint32_t kExecutableByAll = 0111;

// Puts the components of `path` on the stack, the first on top.
void PushComponents(std::vector<std::string>& stack, std::string_view path) {
  while (!path.empty()) {
    const std::size_t slash = path.rfind('/');
    const std::size_t start = slash == std::string_view::npos ? 0 : slash + 1;
    if (start < path.size()) stack.emplace_back(path.substr(start));
    path = path.substr(0, slash == std::string_view::npos ? 0 : slash);
  }
}

bool IsRootsDirectory(const FileStatus& status) {
  return status.object.type == FileType::kDirectory && status.uid == 0 &&
         (status.mode & kWritableByOthers) == 0;
}

bool IsRootsProgram(const FileStatus& status) {
  return status.object.type == FileType::kRegular && status.uid == 0 &&
         (status.mode & kWritableByOthers) == 0 && (status.mode & kExecutableByAll) != 0;
}

std::string Enter(const std::string& directory, const std::string& name) {
  if (name == ".") return directory;
  return name == ".." ? std::string(ParentOf(directory)) : JoinPath(directory, name);
}

}  // namespace

bool OnlyRootCanReplace(const Host& host, const std::string& path) {
  std::vector<std::string> pending;
  PushComponents(pending, path);
  std::string here = "/";
  for (int links = 0;;) {
    const Lookup lookup = host.LookAt(here);
    if (!lookup.status) return false;
    if (lookup.Is(FileType::kSymlink)) {
      // Its directory was root's, so is the text of the link.
      const Result<std::string> text = host.ReadLink(here);
      if (!text || ++links > kMaxLinks) return false;
      here = text->substr(0, 1) == "/" ? "/" : std::string(ParentOf(here));
      PushComponents(pending, *text);
      continue;
    }
    if (pending.empty()) return IsRootsProgram(*lookup.status);
    if (!IsRootsDirectory(*lookup.status)) return false;
    here = Enter(here, pending.back());
    pending.pop_back();
  }
}

std::optional<std::string> PosixHost::FindTool(std::string_view name) const {
  if (name.empty() || name.find('/') != std::string_view::npos) return std::nullopt;
  for (const std::string_view directory : kToolDirectories) {
    std::string candidate = std::string(directory) + std::string(name);
    if (OnlyRootCanReplace(*this, candidate)) return candidate;
  }
  return std::nullopt;
}

}  // namespace mxc
