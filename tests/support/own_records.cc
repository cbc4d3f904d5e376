#include "tests/support/own_records.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <set>
#include <string>

#include "base/runtime_places.h"

namespace mxc::test {

void KeepRecordsApart(uid_t owner) {
  static std::set<uid_t> apart;
  if (::geteuid() != 0 || !apart.insert(owner).second) return;
  if (apart.size() == 1) {
    ASSERT_EQ(::unshare(CLONE_NEWNS), 0);
    ASSERT_EQ(::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr), 0);
  }
  const std::string place = FixedRuntimePlace(owner);
  if (::mkdir(place.c_str(), 0700) == 0)
    ASSERT_EQ(::chown(place.c_str(), owner, owner), 0);
  else
    ASSERT_EQ(errno, EEXIST);
  const std::string id = std::to_string(owner);
  const std::string options = "mode=0700,uid=" + id + ",gid=" + id;
  ASSERT_EQ(::mount("records", place.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, options.c_str()), 0);
}

}  // namespace mxc::test
