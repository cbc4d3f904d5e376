// Resolves a Config for another operating system, so that its plan can be shown: paths as they are written,
// since no file can be examined. Such a policy is never run.
#pragma once

#include <string>

#include "config/config.h"
#include "mxc/error.h"
#include "mxc/policy.h"

namespace mxc {

// Whose paths a policy may name: those of its system, or also the POSIX paths of a Linux inside it.
struct PathsOf {
  OperatingSystem system = OperatingSystem::kLinux;
  bool with_guest = false;  // containment `wslc`
};

// The path without "", "." and trailing separators, in the style's own separator; on macOS with the system's
// links (/tmp, /var, /etc) replaced by what they lead to. Errors: kConflict for a path of another style, and
// for "..", which only the machine itself can follow.
[[nodiscard]] Result<std::string> NormaliseWritten(const PathEntry& entry, PathsOf whose);

// Paths and command, as far as the text goes.
[[nodiscard]] Status ResolveWriting(const Config& config, Policy& policy);
// Fills in what Resolve otherwise learns from the host: paths, command, warnings.
[[nodiscard]] Status ResolveAsWritten(const Config& config, Policy& policy);

}  // namespace mxc
