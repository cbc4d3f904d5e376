// The kernel's texts about control groups, as values.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mxc {

// One control group file system in the text of /proc/self/mountinfo.
struct CgroupMount {
  std::string directory = {};  // where it is mounted
  std::string root = {};       // the group that is mounted there
  bool unified = false;        // version 2
  bool read_only = false;
  std::vector<std::string> controllers = {};  // version 1 only
};
// Each hierarchy once, at its first mount point. Version 1 hierarchies without a controller are left out.
[[nodiscard]] std::vector<CgroupMount> CgroupMountsIn(std::string_view mountinfo);

// One line of /proc/self/cgroup.
struct CgroupMembership {
  std::vector<std::string> controllers = {};  // none: version 2
  std::string path = {};
};
[[nodiscard]] std::vector<CgroupMembership> MembershipsIn(std::string_view text);

// Directory of the process's own group; absent if this mount does not contain it.
[[nodiscard]] std::optional<std::string> OwnGroup(const CgroupMount& mount,
                                                  const std::vector<CgroupMembership>& memberships);

// The words of a line: "cpu memory pids\n".
[[nodiscard]] std::vector<std::string> WordsIn(std::string_view line);

}  // namespace mxc
