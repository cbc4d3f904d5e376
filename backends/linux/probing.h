// Shared by the probes of the Linux backends: finds what forbids namespaces on known systems, and interprets
// trial runs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "mxc/backend.h"

namespace mxc::linux_backend {

[[nodiscard]] Support Unusable(std::string reason, std::string remedy);

// Why Host::FindTool has not found `tool`: it is there and not trusted, or `program` is not installed.
// `package`: Debian's.
[[nodiscard]] Support NoTool(const Host& host, std::string_view tool, std::string_view program,
                             std::string_view package);

// First line of a small kernel file; absent if this kernel does not have it.
[[nodiscard]] std::optional<std::string> Setting(const Host& host, const std::string& path);
[[nodiscard]] std::string FirstLine(const std::string& text);

// A problem of this system, in one sentence, and its remedy.
struct Trouble {
  std::string reason = {};
  std::string remedy = {};
};

// A setting that forbids this caller to create user namespaces; absent: none is known. Only reads settings.
// `per_program`: AppArmor's restriction, which may have an exception for a program.
struct NamespaceSetting {
  Trouble trouble = {};
  bool per_program = false;
};
[[nodiscard]] std::optional<NamespaceSetting> ForbiddingSetting(const Host& host);

// Why namespaces were refused although no setting forbids them: the container or sandbox around this process.
// For live probes.
[[nodiscard]] Trouble Surroundings(const Host& host);

// Set if this process is inside a sandbox of ours, where another one would need namespaces. Reads one file.
[[nodiscard]] std::optional<Support> InsideOurSandbox(const Host& host);

// For a refused run: the setting that forbids namespaces, else Surroundings. One sentence.
[[nodiscard]] std::string RefusalHint(const Host& host);

[[nodiscard]] bool Succeeded(const ToolRun& run);
// One sentence about a failed trial run.
[[nodiscard]] std::string FailureOf(const ToolRun& run);

}  // namespace mxc::linux_backend
