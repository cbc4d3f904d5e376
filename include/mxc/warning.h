// What is told and stops nothing.
#pragma once

#include <string>

namespace mxc {

// Something the user should know that is no reason to stop. Categories: docs/errors.md.
struct Warning {
  std::string category = {};  // "path-missing", "network-unrestricted", "running-as-root", ...
  std::string message = {};
  std::string pointer = {};
};

}  // namespace mxc
