#include "backends/lxc/configuration.h"

#include <fmt/format.h>

namespace mxc::lxc {

// Nothing of it comes from a policy but the host name, which is ours: there is nothing to escape.
//
// The host's tree, because what the container is to see is mounted by its process 1, from paths of the host;
// it detaches the rest before it runs the command. The caller is uid 0 of the container's user namespace: for
// that process to have capabilities in it, and for nobody else's files to be within reach. The command is in
// a second user namespace, where the caller is who it was.
std::string RenderConfiguration(const LinuxSandbox& sandbox, const Identity& caller) {
  std::string text = fmt::format(
      "lxc.uts.name = {}\n"
      "lxc.rootfs.path = dir:/\n"
      "lxc.idmap = u 0 {} 1\n"
      "lxc.idmap = g 0 {} 1\n",
      sandbox.hostname, caller.uid, caller.gid);
  text +=
      sandbox.private_network ? "lxc.net.0.type = empty\nlxc.net.0.flags = up\n" : "lxc.net.0.type = none\n";
  // No console, terminals or /dev of LXC's making; no profile that another program would have to load.
  text +=
      "lxc.no_new_privs = 1\n"
      "lxc.console.path = none\n"
      "lxc.tty.max = 0\n"
      "lxc.autodev = 0\n"
      "lxc.apparmor.profile = unconfined\n"
      "lxc.cgroup.relative = 1\n";
  return text;
}

}  // namespace mxc::lxc
