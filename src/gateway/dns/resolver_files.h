#pragma once

namespace mxc {

// Where the host's resolver is configured. Tests have their own.
struct ResolverFiles {
  const char* resolv_conf = "/etc/resolv.conf";
  const char* hosts = "/etc/hosts";
};

}  // namespace mxc
