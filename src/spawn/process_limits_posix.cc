#include <algorithm>
#include <cstdint>
#include <optional>

#include "spawn/process_limits.h"

namespace mxc {

std::vector<LimitValue> LimitsOf(const ProcessLimits& limits) {
  std::vector<LimitValue> result;
  const auto add = [&result](decltype(RLIMIT_CORE) which, const std::optional<std::uint64_t>& amount) {
    if (!amount) return;
    rlimit value{};
    ::getrlimit(which, &value);
    value.rlim_max = std::min<rlim_t>(value.rlim_max, *amount);
    value.rlim_cur = value.rlim_max;
    result.push_back({.which = which, .value = value});
  };
  add(RLIMIT_CORE, limits.core_bytes);
  add(RLIMIT_NOFILE, limits.open_files);
  add(RLIMIT_FSIZE, limits.file_bytes);
  add(RLIMIT_NPROC, limits.tasks);
  return result;
}

}  // namespace mxc
