#include "engine/landlock_rules.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mxc/limits.h"

namespace mxc::engine {
namespace {

constexpr int kReference = O_PATH | O_CLOEXEC | O_NOFOLLOW;

// Component by component, because the seccomp filter of another sandbox around us refuses openat2.
UniqueFd OpenPath(std::string_view path) {
  UniqueFd here{::open("/", kReference)};
  for (std::size_t from = 1; here && from < path.size();) {
    const std::size_t end = std::min(path.find('/', from), path.size());
    const std::string name{path.substr(from, end - from)};
    const int flags = end < path.size() ? kReference | O_DIRECTORY : kReference;
    here = UniqueFd{::openat(here.Get(), name.c_str(), flags)};
    from = end + 1;
  }
  return here;
}

Error Failed(const std::string& what, const std::string& path, int number) {
  return SystemError(ErrorCode::kSetupFailed, "could not " + what + " '" + path + "'", number);
}

Error TooMany() {
  return SetupFailed("more than " + std::to_string(kMaxLandlockRules) +
                         " Landlock rules would be needed beside the denied paths",
                     "deny whole directories, or grant what is needed by name");
}

class RuleBuilder {
 public:
  RuleBuilder(const LandlockSandbox& sandbox, const LandlockRules& rules)
      : sandbox_(sandbox), rules_(rules) {}

  Status Add(const LandlockGrant& grant);

 private:
  struct Opened {
    std::string path = {};
    UniqueFd file = {};
  };
  Status AddOpened(Opened opened, Access access);
  Status AddBeside(const Opened& directory);
  [[nodiscard]] bool IsHole(const std::string& path) const {
    return std::any_of(sandbox_.holes.begin(), sandbox_.holes.end(),
                       [&](const LandlockHole& hole) { return hole.path == path; });
  }
  [[nodiscard]] bool HasHoleBelow(const std::string& path, bool secret_names) const {
    const std::string prefix = path == "/" ? path : path + "/";
    return std::any_of(sandbox_.holes.begin(), sandbox_.holes.end(), [&](const LandlockHole& hole) {
      return hole.path.starts_with(prefix) && !(secret_names && hole.names_show);
    });
  }

  const LandlockSandbox& sandbox_;
  const LandlockRules& rules_;
  std::vector<Opened> split_ = {};  // directories with a hole below, still to be listed
  std::size_t count_ = 0;
};

Status RuleBuilder::Add(const LandlockGrant& grant) {
  UniqueFd file = OpenPath(grant.path);
  if (!file && grant.optional) return Done{};
  if (!file) return Failed("open", grant.path, errno);
  struct stat status {};
  if (::fstat(file.Get(), &status) != 0) return Failed("look at", grant.path, errno);
  if (grant.object && (status.st_dev != grant.object->device || status.st_ino != grant.object->inode)) {
    return SetupFailed("'" + grant.path + "' was replaced while the sandbox was being set up",
                       "run the command again; something else is renaming files below this path");
  }
  Status added = AddOpened({grant.path, std::move(file)}, grant.access);
  while (added && !split_.empty()) {
    const Opened directory = std::move(split_.back());
    split_.pop_back();
    added = AddBeside(directory);
  }
  return added;
}

Status RuleBuilder::AddOpened(Opened opened, Access access) {
  struct stat status {};
  if (::fstat(opened.file.Get(), &status) != 0) return Failed("look at", opened.path, errno);
  if (S_ISLNK(status.st_mode)) return Done{};  // following one needs no right
  const bool directory = S_ISDIR(status.st_mode);
  if (directory && access == Access::kReadOnly && HasHoleBelow(opened.path, false)) {
    split_.push_back(std::move(opened));
    return Done{};
  }
  if (++count_ > kMaxLandlockRules) return TooMany();
  Grant grant = directory ? Grant::kRead : Grant::kReadFile;
  if (access == Access::kReadWrite) grant = directory ? Grant::kWriteTree : Grant::kWriteFile;
  if (Allow(rules_, opened.file.Get(), grant) == 0) return Done{};
  return Failed("make a Landlock rule for", opened.path, errno);
}

// The directory itself gets at most a rule for listing: any other would apply to the holes as well.
Status RuleBuilder::AddBeside(const Opened& directory) {
  const int reference = directory.file.Get();
  if (!HasHoleBelow(directory.path, true) && Allow(rules_, reference, Grant::kList) != 0) {
    return Failed("make a Landlock rule for", directory.path, errno);
  }
  const int fd = ::openat(reference, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) {
    Error error = Failed("list", directory.path, errno);
    error.hint =
        "part of it is denied, so the rest has to be granted entry by entry; grant what is needed "
        "below it by name";
    return error;
  }
  const std::unique_ptr<DIR, int (*)(DIR*)> listing{::fdopendir(fd), ::closedir};
  if (!listing) return Failed("list", directory.path, errno);
  const std::string prefix = directory.path == "/" ? "/" : directory.path + "/";
  while (const dirent* entry = ::readdir(listing.get())) {  // NOLINT(concurrency-mt-unsafe): own stream
    const std::string name = entry->d_name;
    if (name == "." || name == ".." || IsHole(prefix + name)) continue;
    Opened beside{prefix + name, UniqueFd{::openat(reference, name.c_str(), kReference)}};
    if (!beside.file) continue;  // gone again, or not for this caller
    if (Status added = AddOpened(std::move(beside), Access::kReadOnly); !added) return added;
  }
  return Done{};
}

}  // namespace

Result<BuiltRules> BuildRules(const LandlockSandbox& sandbox) {
  BuiltRules built;
  if (BeginLandlock(built.rules, {.tcp = sandbox.no_network, .scopes = sandbox.scoped_signals}) != 0) {
    return SystemError(ErrorCode::kUnavailable, "could not begin a Landlock ruleset", errno);
  }
  built.ruleset = UniqueFd{built.rules.ruleset};
  if (!built.ruleset) {
    return Unavailable("this kernel has no Landlock that allows renames (ABI 2)", {},
                       "use Linux 5.19 or later with Landlock switched on");
  }
  RuleBuilder builder{sandbox, built.rules};
  for (const LandlockGrant& grant : sandbox.grants) {
    if (Status added = builder.Add(grant); !added) return added.error();
  }
  return built;
}

}  // namespace mxc::engine
