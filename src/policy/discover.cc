#include "policy/discover.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_set>
#include <utility>

#include "policy/paths/paths.h"

namespace mxc {
namespace {

// Variables that hold directories, separated by ":".
constexpr std::array<const char*, 5> kListVariables = {"PATH", "PYTHONPATH", "PSModulePath", "NODE_PATH",
                                                       "LD_LIBRARY_PATH"};
// Variables that hold one directory.
constexpr std::array<const char*, 15> kSingleVariables = {
    "PYTHONHOME",  "VCINSTALLDIR", "VSINSTALLDIR", "VCPKG_ROOT",  "GOPATH",
    "GOROOT",      "CARGO_HOME",   "RUSTUP_HOME",  "JAVA_HOME",   "NVM_HOME",
    "NVM_SYMLINK", "DOTNET_ROOT",  "CONDA_PREFIX", "VIRTUAL_ENV", "PYENV_ROOT"};
// In every sandbox already, or never to be granted.
constexpr std::array<std::string_view, 8> kExcluded = {"/bin",  "/sbin", "/usr/bin", "/usr/sbin",
                                                       "/boot", "/proc", "/sys",     "/dev"};

bool IsDirectory(PathWalker& walker, const std::string& path) {
  const Result<Walked> walked = walker.Walk(path);
  return walked && walked->Is(FileType::kDirectory);
}

bool IsExcluded(const std::string& path) {
  for (const std::string_view excluded : kExcluded) {
    if (IsAtOrBelow(path, excluded)) return true;
  }
  return false;
}

// Directories in the order they were named, each once.
class Collector {
 public:
  explicit Collector(const Host& host) : walker_(host) {}

  void Add(const std::string& written) {
    if (written.empty() || written.front() != '/') return;
    std::string path = FoldLexically(written);
    if (path == "/" || IsExcluded(path) || !seen_.insert(path).second) return;
    if (IsDirectory(walker_, path)) found_.push_back(std::move(path));
  }

  void AddList(const std::string& text) {
    std::size_t start = 0;
    while (start <= text.size()) {
      const std::size_t end = std::min(text.find(':', start), text.size());
      Add(text.substr(start, end - start));
      start = end + 1;
    }
  }

  [[nodiscard]] std::vector<std::string> Take() { return std::move(found_); }

 private:
  PathWalker walker_;
  std::vector<std::string> found_ = {};
  std::unordered_set<std::string> seen_ = {};
};

Discovery DiscoverTools(const Host& host) {
  Collector collector(host);
  for (const char* name : kListVariables) {
    if (const std::optional<std::string> value = host.Environment(name)) collector.AddList(*value);
  }
  for (const char* name : kSingleVariables) {
    if (const std::optional<std::string> value = host.Environment(name)) collector.Add(*value);
  }
  return {.read_only = collector.Take()};
}

Discovery DiscoverProfile(const Host& host) {
  Collector collector(host);
  if (const std::optional<std::string> home = host.Environment("HOME")) {
    collector.Add(JoinPath(*home, ".local/bin"));
    collector.Add(JoinPath(*home, ".local/lib"));
  }
  return {.read_only = collector.Take()};
}

Discovery DiscoverTemp(const Host& host) {
  Collector collector(host);
  collector.Add(host.Environment("TMPDIR").value_or("/tmp"));
  return {.read_write = collector.Take()};
}

}  // namespace

Result<Discovery> Discover(std::string_view what, const Host& host) {
  if (what == "tools") return DiscoverTools(host);
  if (what == "profile") return DiscoverProfile(host);
  if (what == "temp") return DiscoverTemp(host);
  return Error{.code = ErrorCode::kUsage,
               .message = "cannot discover " + Quoted(what),
               .hint = "one of: tools, profile, temp"};
}

}  // namespace mxc
