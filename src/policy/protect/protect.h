// Protection presets: files in read-write grants that programs of the host execute or obey later. They stay
// read-only and keep their names.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "mxc/host.h"
#include "mxc/policy.h"
#include "policy/paths/mount_names.h"
#include "policy/paths/paths.h"
#include "policy/paths/rules.h"

namespace mxc {

// How the name of a missing protected file is held.
enum class WhenMissing {
  kLeft,           // not held: an empty file would have an effect, or get into a commit
  kDirectory,      // an empty directory
  kFile,           // a file with the row's text
  kHomeDirectory,  // in the caller's home an empty directory; elsewhere not held
};

struct ProtectedRow {
  std::string_view path;  // relative; "*.x": every existing name with that suffix
  WhenMissing missing = WhenMissing::kLeft;
  std::string_view text = {};  // of kFile: text with the effect of no file
  std::string_view why = {};
};

[[nodiscard]] std::span<const ProtectedRow> GitDirectoryRows();  // in every git directory
[[nodiscard]] std::span<const ProtectedRow> LinkedWorkTreeRows();
[[nodiscard]] std::span<const ProtectedRow> GitHomeRows();        // in the caller's home
[[nodiscard]] std::span<const ProtectedRow> GitConfigHomeRows();  // in ~/.config, or XDG_CONFIG_HOME
[[nodiscard]] std::span<const ProtectedRow> MercurialRows();      // below .hg
[[nodiscard]] std::span<const ProtectedRow> GpgHomeRows();        // in ~/.gnupg, or GNUPGHOME
[[nodiscard]] std::span<const ProtectedRow> ShellRows();          // in home and at the top of each grant
[[nodiscard]] std::span<const ProtectedRow> EditorRows();         // those, and at any depth
[[nodiscard]] std::span<const ProtectedRow> AgentRows();          // as well

[[nodiscard]] std::string_view Name(Preset preset);

// A read-write grant that a required preset has taken back.
struct TakenGrant {
  Preset preset = Preset::kGit;
  std::string path = {};
  std::string pointer = {};  // of the grant
};

// Adds rules of Origin::kProtection below the read-write rules of `rules`. A rule of the policy for exactly
// such a path stays, unless the preset is required: then grants at or below a protected path become
// read-only, and are returned. Warns in `policy` of what could not be protected, and lists the presets that
// are off. Errors: kConflict if there is more to protect than limits.h allows, or if the protected paths
// cannot be determined.
[[nodiscard]] Result<std::vector<TakenGrant>> AddProtection(const Config& config, const Host& host,
                                                            const MountNames& names, RuleSet& rules,
                                                            Policy& policy);

}  // namespace mxc
