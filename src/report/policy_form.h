// How the policy at hand was written, so that advice fits it.
#pragma once

namespace mxc {

enum class PolicyForm {
  kLegacy,       // a configuration with allowedHosts
  kDirectional,  // a configuration with rules
  kFlags,        // no configuration: --ro, --rw, --allow-host
};

}  // namespace mxc
