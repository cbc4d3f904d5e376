// Sandboxes for the engine's tests: this machine's programs, read-only, and whatever a test adds.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "mxc/plan.h"
#include "tests/support/needs.h"
#include "tests/support/run_in_child.h"

namespace mxc::test {

inline FileObject ObjectAt(const std::string& path) {
  struct stat status {};
  ::stat(path.c_str(), &status);
  return {.device = status.st_dev, .inode = status.st_ino};
}

// A policy path: bound over itself and checked.
inline BindMount Grant(const std::string& path, Access access) {
  return {.source = path, .target = path, .access = access, .object = ObjectAt(path)};
}

inline LinuxSandbox ShellSandbox(const std::string& script) {
  LinuxSandbox sandbox;
  for (const char* path : {"/usr", "/etc"})
    sandbox.mounts.emplace_back(BindMount{.source = path, .target = path});
  for (const char* name : {"bin", "sbin", "lib", "lib64"}) {
    sandbox.mounts.emplace_back(MakeSymlink{std::string("/") + name, std::string("usr/") + name});
  }
  sandbox.mounts.emplace_back(ProcMount{.target = "/proc"});
  sandbox.mounts.emplace_back(DevMount{.target = "/dev"});
  sandbox.mounts.emplace_back(TmpfsMount{.target = "/dev/shm", .size_bytes = 1U << 20U, .mode = 01777});
  sandbox.mounts.emplace_back(TmpfsMount{.target = "/tmp", .size_bytes = 1U << 20U, .mode = 01777});
  sandbox.argv = {"sh", "-c", script};
  sandbox.environment = {{.name = "PATH", .value = Secret("/usr/bin:/bin")}};
  sandbox.cwd = "/";
  return sandbox;
}

inline Plan PlanOf(LinuxSandbox sandbox) {
  Plan plan;
  plan.launch = NamespacesLaunch{.sandbox = std::move(sandbox)};
  return plan;
}

// The caller an ordinary launch has: no capability on the host.
inline void BecomeOrdinary() {
  constexpr unsigned kId = 61234;
  if (::getuid() == 0 && (::setresgid(kId, kId, kId) != 0 || ::setresuid(kId, kId, kId) != 0)) ::_exit(99);
}
inline bool MayBecomeOrdinary() {
  return test::HoldsInChild([] {
    BecomeOrdinary();
    return true;
  });
}

}  // namespace mxc::test
