#include "host/host.h"
#include "host/posix_host.h"

namespace mxc {
namespace {

class LinuxHost final : public PosixHost {
 public:
  [[nodiscard]] OperatingSystem System() const override { return OperatingSystem::kLinux; }
};

}  // namespace

std::unique_ptr<Host> ThisHost() { return std::make_unique<LinuxHost>(); }

}  // namespace mxc
