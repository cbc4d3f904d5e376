// What the probes of the Linux backends share: what forbids namespaces on known systems, and how a trial run
// is read.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "mxc/backend.h"

namespace mxc::linux_backend {

[[nodiscard]] Support Unusable(std::string reason, std::string remedy);

// Why Host::FindTool has not found `tool`: one that is there and not trusted, else that of `program` it is
// not installed. `package` is Debian's.
[[nodiscard]] Support NoTool(const Host& host, std::string_view tool, std::string_view program,
                             std::string_view package);

// First line of a small file of the kernel; nothing when this kernel does not have it.
[[nodiscard]] std::optional<std::string> Setting(const Host& host, const std::string& path);
[[nodiscard]] std::string FirstLine(const std::string& text);

// A sentence about a system, and what its user can do.
struct Trouble {
  std::string reason = {};
  std::string remedy = {};
};

// A setting that keeps this caller from making user namespaces; nothing when none is known. Reads settings
// only. AppArmor's restriction may have an exception for a program: it is told apart.
struct NamespaceSetting {
  Trouble trouble = {};
  bool per_program = false;
};
[[nodiscard]] std::optional<NamespaceSetting> ForbiddingSetting(const Host& host);

// Why namespaces were refused although no setting forbids them: what surrounds this process. For live probes.
[[nodiscard]] Trouble Surroundings(const Host& host);

// This is inside a sandbox of ours: whatever builds another needs namespaces. Reads one file.
[[nodiscard]] std::optional<Support> InsideOurSandbox(const Host& host);

// As Surroundings, for a run: the setting that forbids namespaces, else what surrounds this process. One
// sentence.
[[nodiscard]] std::string RefusalHint(const Host& host);

[[nodiscard]] bool Succeeded(const ToolRun& run);
// One sentence about a trial run that did not succeed.
[[nodiscard]] std::string FailureOf(const ToolRun& run);

}  // namespace mxc::linux_backend
