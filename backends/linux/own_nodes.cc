#include "backends/linux/own_nodes.h"

#include <algorithm>

#include "base/path.h"

namespace mxc::linux_backend {
namespace {

// What a minimal /dev has; other devices of the host are not there to be denied.
constexpr std::array<std::string_view, 9> kDevices = {"/dev/full", "/dev/null",    "/dev/ptmx",
                                                      "/dev/pts",  "/dev/random",  "/dev/shm",
                                                      "/dev/tty",  "/dev/urandom", "/dev/zero"};

}  // namespace

bool IsFromKernel(std::string_view path) {
  for (const std::string_view node : {"/dev", "/proc", "/sys"}) {
    if (IsAtOrBelow(path, node)) return true;
  }
  return false;
}

bool ExistsInside(std::string_view path) {
  if (IsBelow(path, "/dev")) return std::find(kDevices.begin(), kDevices.end(), path) != kDevices.end();
  if (!IsBelow(path, "/proc")) return false;
  const std::string_view first = NextOnTheWay("/proc", path).substr(6);
  return !first.empty() && (first[0] < '0' || first[0] > '9');  // process numbers are the sandbox's own
}

}  // namespace mxc::linux_backend
