#include "profiles/cache.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/path.h"
#include "base/quoted.h"
#include "hash/sha256.h"
#include "policy/paths/paths.h"
#include "policy/paths/socket_tables.h"
#include "profiles/expand_document.h"

namespace mxc {
namespace {

// The last name of the directory, for people.
std::string ReadableName(std::string_view directory) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.";
  constexpr std::size_t kMaxBytes = 32;
  std::string name{NameOf(directory).substr(0, kMaxBytes)};
  for (char& c : name)
    if (kPlain.find(c) == std::string_view::npos) c = '_';
  return name.empty() || name.front() == '.' ? "_" + name : name;
}

// Names of the host, without links, of what a configuration writes as the command sees it.
class HostNames {
 public:
  HostNames(const Host& host, Workspace workspace) : walker_(host), workspace_(std::move(workspace)) {
    if (workspace_.pointer.empty()) return;
    workspace_.host = Canonical(workspace_.host);
    workspace_.guest = FoldLexically(workspace_.guest);
  }

  [[nodiscard]] std::string Of(const std::string& written) {
    return Canonical(workspace_.OnHost(FoldLexically(written)));
  }
  // Without `cwd`: where the caller stands, or the workspace where that is elsewhere.
  [[nodiscard]] std::string Start(const std::string& cwd, const std::string& here) {
    if (!cwd.empty()) return Of(cwd);
    const bool elsewhere = !workspace_.host.empty() && !IsAtOrBelow(here, workspace_.host);
    return elsewhere ? workspace_.host : here;
  }
  [[nodiscard]] const Workspace& TheWorkspace() const { return workspace_; }

 private:
  [[nodiscard]] std::string Canonical(const std::string& path) {
    const Result<Walked> walked = walker_.Walk(path);
    return walked ? walked->path : FoldLexically(path);
  }

  PathWalker walker_;
  Workspace workspace_;
};

// Each once, in an order that says nothing of how the configuration has it.
void AddEntries(std::string_view list, const std::vector<PathEntry>& entries, HostNames& names,
                std::vector<std::string>& lines) {
  for (const PathEntry& entry : entries) {
    const bool path = entry.path.starts_with('/');
    lines.push_back(std::string(list) + (path ? names.Of(entry.path) : entry.path));
  }
}

// A variable names another socket in another environment. That of an agent of ssh is new with each login.
std::vector<PathEntry> WithPaths(std::vector<PathEntry> sockets, const Host& host) {
  for (PathEntry& entry : sockets)
    if (entry.path != "$SSH_AUTH_SOCK") entry.path = SocketPath(entry.path, host).value_or(entry.path);
  return sockets;
}

}  // namespace

Status CheckHomeOfCaches(const Host& host) {
  const std::optional<std::string> caches = host.Environment("XDG_CACHE_HOME");
  const std::optional<std::string> home = CallersHome(host);
  if ((caches && !caches->empty()) || !home) return Done{};
  const Lookup found = host.LookAt(*home);
  if (found.status || found.failure != LookupFailure::kMissing) return Done{};
  return Conflict(
      "profiles keep caches in ~/.cache, and the home directory " + Quoted(*home) + " does not exist", {},
      "set HOME or XDG_CACHE_HOME to a directory of yours");
}

Result<std::string> CacheDirectoryFor(const Config& config, const std::vector<std::string>& profiles,
                                      const Host& host) {
  constexpr std::size_t kDigits = 16;
  Result<std::string> caches = ExpandPath("${XDG_CACHE_HOME}", {}, host);
  if (!caches) return caches;
  HostNames names(host, config.process.workspace);
  std::vector<std::string> lines;
  AddEntries("write ", config.read_write, names, lines);
  AddEntries("read ", config.read_only, names, lines);
  AddEntries("deny ", config.denied, names, lines);
  AddEntries("socket ", WithPaths(config.sockets, host), names, lines);
  for (const std::string& entry : profiles) lines.push_back("profile " + entry);
  if (!names.TheWorkspace().host.empty()) {
    lines.push_back("workspace " + names.TheWorkspace().host);
    lines.push_back("at " + names.TheWorkspace().guest);
  }
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  const std::string start = names.Start(config.process.cwd, host.WorkingDirectory());
  std::string key = start;
  for (const std::string& line : lines) key += '\0' + line;
  // Grants are compared as text: HOME may be "/", or end in a slash.
  return JoinPath(JoinPath(FoldLexically(*caches), "mxc-exec-caches"),
                  ReadableName(start) + "-" + Sha256Text(key).substr(0, kDigits));
}

}  // namespace mxc
