#pragma once

namespace mxc {

// The configuration files of the host's resolver. Tests use their own.
struct ResolverFiles {
  const char* resolv_conf = "/etc/resolv.conf";
  const char* hosts = "/etc/hosts";
};

}  // namespace mxc
