#include <linux/landlock.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/unmapped_owners.h"
#include "host/closed_files_linux.h"
#include "host/host.h"
#include "host/live_sockets_linux.h"
#include "host/posix_host.h"

namespace mxc {
namespace {

class LinuxHost final : public PosixHost {
 public:
  [[nodiscard]] OperatingSystem System() const override { return OperatingSystem::kLinux; }
  [[nodiscard]] int LandlockAbi() const override {
    const long abi = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    return static_cast<int>(std::max(abi, 0L));
  }
  [[nodiscard]] std::vector<std::string> ListClosed(const std::string& directory) const override {
    return FindClosedFiles(directory);
  }
  [[nodiscard]] std::vector<std::string> LiveSockets(const std::vector<std::string>& directories,
                                                     const std::vector<std::string>& skipped) const override {
    return FindLiveSockets(directories, skipped);
  }
  [[nodiscard]] bool CanUnmapOwners(const std::string& directory) const override {
    return mxc::CanUnmapOwners(directory);
  }
  [[nodiscard]] std::optional<std::string> Attribute(const std::string& path,
                                                     const std::string& name) const override {
    std::array<char, 256> value{};
    const ssize_t size = ::lgetxattr(path.c_str(), name.c_str(), value.data(), value.size());
    return size < 0 ? std::nullopt : std::optional(std::string(value.data(), static_cast<std::size_t>(size)));
  }
};

}  // namespace

std::unique_ptr<Host> ThisHost() { return std::make_unique<LinuxHost>(); }

}  // namespace mxc
