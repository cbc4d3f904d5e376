#include "tests/support/own_groups.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>

#include "base/unique_fd.h"
#include "tests/support/workspace.h"

namespace mxc::test {
namespace {

// Of our own group, as "4:memory:/path" says it; empty when there is no such hierarchy.
std::string GroupOf(const std::string& controller) {
  std::ifstream text("/proc/self/cgroup");
  for (std::string line; std::getline(text, line);) {
    const auto at = line.find(":" + controller + ":");
    if (at == std::string::npos) continue;
    const std::string path = line.substr(at + controller.size() + 2);
    return "/sys/fs/cgroup/" + controller + (path == "/" ? "" : path);
  }
  return {};
}

// What LXC leaves where an ordinary caller may make groups: docs/backends/lxc.md.
constexpr const char* kPivot = "lxc.pivot";

}  // namespace

OwnGroups::OwnGroups(uid_t owner) {
  const std::string name = "/test-" + Token();
  for (const char* controller : {"memory", "cpu", "cpuacct", "pids"}) {
    const std::string parent = GroupOf(controller);
    const std::string directory = parent + name;
    if (::geteuid() != 0 || parent.empty() || ::mkdir(directory.c_str(), 0755) != 0) {
      missing_ = std::string("needs root and a control group of version 1 with the controller ") + controller;
      return;
    }
    directories_.push_back(directory);
    for (const std::string& path : {directory, directory + "/cgroup.procs"}) {
      if (::chown(path.c_str(), owner, static_cast<gid_t>(owner)) != 0) std::abort();
    }
  }
}

OwnGroups::~OwnGroups() {
  for (const std::string& directory : directories_) {
    ::rmdir((directory + "/" + kPivot).c_str());
    ::rmdir(directory.c_str());
  }
}

void OwnGroups::Enter() const {
  for (const std::string& directory : directories_) {
    const int fd = ::open((directory + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC);
    if (::write(fd, "0", 1) != 1) ::_exit(126);
    ::close(fd);
  }
}

std::vector<std::string> OwnGroups::Left() const {
  std::vector<std::string> left;
  for (const std::string& directory : directories_) {
    for (const auto& entry : std::filesystem::directory_iterator(directory)) {
      const bool of_lxc = entry.path().filename() == kPivot;
      if (entry.is_directory() && !of_lxc) left.push_back(entry.path().string());
    }
  }
  return left;
}

std::string OwnGroups::Directory(const std::string& controller) const {
  for (const std::string& directory : directories_) {
    if (directory.find("/" + controller + "/") != std::string::npos) return directory;
  }
  return {};
}

}  // namespace mxc::test
