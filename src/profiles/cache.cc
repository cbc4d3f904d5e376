#include "profiles/cache.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "hash/sha256.h"
#include "policy/paths/paths.h"
#include "profiles/expand_document.h"

namespace mxc {
namespace {

// The last name of the directory, for people.
std::string ReadableName(std::string_view directory) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.";
  constexpr std::size_t kMaxBytes = 32;
  std::string name{directory.substr(directory.rfind('/') + 1).substr(0, kMaxBytes)};
  for (char& c : name)
    if (kPlain.find(c) == std::string_view::npos) c = '_';
  return name.empty() || name.front() == '.' ? "_" + name : name;
}

}  // namespace

Result<std::string> CacheDirectoryFor(const Config& config, const Host& host) {
  constexpr std::size_t kDigits = 16;
  Result<std::string> caches = ExpandPath("${XDG_CACHE_HOME}", {}, host);
  if (!caches) return caches;
  const std::string start = config.process.cwd.empty() ? host.WorkingDirectory() : config.process.cwd;
  std::vector<std::string> writable;
  for (const PathEntry& entry : config.read_write) writable.push_back(FoldLexically(entry.path));
  std::sort(writable.begin(), writable.end());
  writable.erase(std::unique(writable.begin(), writable.end()), writable.end());
  std::string key = start;
  for (const std::string& path : writable) key += '\0' + path;
  return JoinPath(JoinPath(*caches, "mxc-exec-caches"),
                  ReadableName(start) + "-" + Sha256Text(key).substr(0, kDigits));
}

}  // namespace mxc
