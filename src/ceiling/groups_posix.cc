#include <unistd.h>

#include "ceiling/ceiling.h"

namespace mxc {

std::vector<std::uint32_t> CallersGroups() {
  const int count = ::getgroups(0, nullptr);
  std::vector<gid_t> groups(count > 0 ? static_cast<std::size_t>(count) : 0);
  const int got = groups.empty() ? 0 : ::getgroups(count, groups.data());
  std::vector<std::uint32_t> all{groups.begin(), groups.begin() + (got > 0 ? got : 0)};
  all.push_back(::getgid());
  return all;
}

}  // namespace mxc
