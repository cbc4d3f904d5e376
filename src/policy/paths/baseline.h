// What every sandbox sees by default, the exceptions, and the reasons: as tables.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mxc/host.h"
#include "mxc/policy.h"
#include "policy/paths/paths.h"
#include "policy/paths/rules.h"

namespace mxc {

// A path and the reason for its row.
struct BaselineRow {
  std::string_view path;
  std::string_view why;
};

// Read-only, where the host has them. A row that is a symlink on the host becomes a link inside.
[[nodiscard]] std::span<const BaselineRow> BaselineRows();
// Denied if they exist, are visible and the caller can read them; a directory only if it is not empty. Inside
// the rows, but empty unless the policy grants them.
[[nodiscard]] std::span<const BaselineRow> HiddenRows();
[[nodiscard]] std::span<const BaselineRow> SecretRows();
// Below the caller's home: keys, tokens and passwords. No sandbox shows them; --report advises no grant.
[[nodiscard]] std::span<const BaselineRow> HomeSecretRows();
// Names, or patterns of names, of files in any directory for which no grant is advised.
[[nodiscard]] std::span<const BaselineRow> SecretNameRows();
// Sockets of daemons that act outside the sandbox for any client. "{uid}" stands for the caller.
[[nodiscard]] std::span<const BaselineRow> SocketRows();

// Whether every sandbox sees `path` without a grant; false at and below the hidden rows.
[[nodiscard]] bool IsInBaseline(std::string_view path);

// Whether a rule of the policy decides about `path` and everything below it.
[[nodiscard]] bool DecidedByPolicy(const RuleSet& rules, std::string_view path);
// Adds the rules of all three tables to the policy's own, which win wherever they decide. Appends the links
// that they need to `links`.
void AddBaseline(const Host& host, PathWalker& walker, RuleSet& rules, std::vector<PathLink>& links);
void AddSecretMasks(const Host& host, PathWalker& walker, RuleSet& rules);
// Denies `path` if it is visible, the caller can read it and it is not empty.
void MaskSecret(const Host& host, PathWalker& walker, RuleSet& rules, const std::string& path);

// The same for macOS. The paths belong to the system and contain no links, so none is looked up.
void AddMacosBaseline(RuleSet& rules);

}  // namespace mxc
