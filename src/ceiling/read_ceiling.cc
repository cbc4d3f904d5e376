// Reads the ceiling, if nobody but root can have written it.
#include <algorithm>
#include <sstream>
#include <utility>

#include "base/quoted.h"
#include "ceiling/ceiling.h"
#include "hash/sha256.h"
#include "mxc/limits.h"
#include "policy/paths/paths.h"

namespace mxc {
namespace {

constexpr std::uint32_t kWriteByAnyOther = 022;
constexpr std::uint32_t kUnmappedOwner = 65534;

Error Unusable(const std::string& file, const std::string& why) {
  return Conflict(
      "the ceiling of this machine, " + file + ", cannot be used, and nothing runs without it: " + why, {},
      "its operator mends or removes it, as root");
}

// How owners of files look here: in a user namespace the host's root may be unmapped.
enum class Owners { kAsOnHost, kMaySeemUnmapped, kUnknown };
Owners OwnersHere(const Host& host) {
  constexpr std::size_t kEnough = 65536;
  const Result<std::string> map = host.ReadFile("/proc/self/uid_map", kEnough);
  if (!map) return Owners::kAsOnHost;
  std::istringstream lines(*map);
  bool root = false;
  for (std::uint64_t inside = 0, outside = 0, count = 0; lines >> inside >> outside >> count;) {
    constexpr std::uint64_t kEveryUser = 0xffffffff;
    if (inside == 0 && outside == 0 && count == kEveryUser) return Owners::kAsOnHost;
    root = root || inside == 0;
  }
  return root ? Owners::kMaySeemUnmapped : Owners::kUnknown;
}

bool IsRoots(const FileStatus& status, Owners owners) {
  if (owners == Owners::kUnknown) return true;
  return status.uid == 0 || (owners == Owners::kMaySeemUnmapped && status.uid == kUnmappedOwner);
}

// The file and every directory above it, from the root on.
std::vector<std::string> WayTo(const std::string& file) {
  std::vector<std::string> way;
  for (std::string at = file; at != "/"; at = std::string(ParentOf(at))) way.push_back(at);
  way.emplace_back("/");
  std::reverse(way.begin(), way.end());
  return way;
}

// Absent: there is no such file.
Result<std::optional<std::string>> ReadTrusted(const Host& host, const std::string& file) {
  const std::vector<std::string> way = WayTo(file);
  std::vector<FileStatus> met;
  for (const std::string& path : way) {
    const Lookup lookup = host.LookAt(path);
    if (!lookup.status && lookup.failure == LookupFailure::kMissing) return std::optional<std::string>{};
    if (!lookup.status) return Unusable(file, Quoted(path) + ": " + lookup.reason);
    if (lookup.Is(FileType::kSymlink)) return Unusable(file, Quoted(path) + " is a symbolic link");
    met.push_back(*lookup.status);
  }
  if (met.back().object.type != FileType::kRegular) return Unusable(file, "it is no regular file");
  const Owners owners = OwnersHere(host);
  for (std::size_t i = 0; i < way.size(); ++i) {
    if (!IsRoots(met[i], owners)) return Unusable(file, Quoted(way[i]) + " does not belong to root");
    if ((met[i].mode & kWriteByAnyOther) != 0 && owners != Owners::kUnknown)
      return Unusable(file, Quoted(way[i]) + " can be written by others than root: chmod go-w");
  }
  Result<std::string> text = host.ReadFile(file, kMaxDocumentBytes + 1);
  if (!text) return Unusable(file, text.error().message);
  if (text->size() > kMaxDocumentBytes) return Unusable(file, "it is too long");
  return std::optional<std::string>{std::move(*text)};
}

}  // namespace

std::string CeilingFile(OperatingSystem system) {
  if (system == OperatingSystem::kWindows) return "C:\\ProgramData\\mxc-exec\\ceiling.json";
  return system == OperatingSystem::kMacos ? "/Library/Application Support/mxc-exec/ceiling.json"
                                           : "/etc/mxc-exec/ceiling.json";
}

Result<std::optional<Ceiling>> ReadCeiling(const Host& host, const std::vector<std::uint32_t>& groups) {
  const std::string file = CeilingFile(host.System());
  if (host.System() == OperatingSystem::kWindows) {
    const Lookup lookup = host.LookAt(file);
    if (!lookup.status && lookup.failure == LookupFailure::kMissing) return std::optional<Ceiling>{};
    return Unusable(file, "ceilings are not enforced on Windows");
  }
  Result<std::optional<std::string>> text = ReadTrusted(host, file);
  if (!text) return text.error();
  if (!*text) return std::optional<Ceiling>{};
  Result<std::vector<CeilingSection>> sections = DecodeCeiling(**text, host, groups);
  if (!sections) {
    Error error = Unusable(file, sections.error().message);
    if (!sections.error().hint.empty()) error.hint += ": " + sections.error().hint;
    return error;
  }
  return std::optional<Ceiling>{
      Ceiling{.file = file, .digest = Sha256Text(**text), .sections = std::move(*sections)}};
}

}  // namespace mxc
