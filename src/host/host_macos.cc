#include "host/host.h"
#include "host/posix_host.h"

namespace mxc {
namespace {

class MacHost final : public PosixHost {
 public:
  [[nodiscard]] OperatingSystem System() const override { return OperatingSystem::kMacos; }
  [[nodiscard]] int LandlockAbi() const override { return 0; }
};

}  // namespace

std::unique_ptr<Host> ThisHost() { return std::make_unique<MacHost>(); }

}  // namespace mxc
