// Protection presets: files inside read-write grants that other programs execute or obey later, on the host.
// They stay read-only, whatever stands above them, and keep their names.
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

// What holds the name of a protected file that does not exist.
enum class WhenMissing {
  kLeft,           // nothing: an empty one would mean something, or get into a commit
  kDirectory,      // an empty directory
  kFile,           // a file with the row's text
  kHomeDirectory,  // in the caller's home an empty directory; elsewhere nobody looks for it
};

struct ProtectedRow {
  std::string_view path;  // relative; "*.x": every name with that end, where it exists
  WhenMissing missing = WhenMissing::kLeft;
  std::string_view text = {};  // of kFile: what means the same as no file
  std::string_view why = {};
};

[[nodiscard]] std::span<const ProtectedRow> GitDirectoryRows();  // in every git directory
[[nodiscard]] std::span<const ProtectedRow> LinkedWorkTreeRows();
[[nodiscard]] std::span<const ProtectedRow> GitHomeRows();        // in the caller's home
[[nodiscard]] std::span<const ProtectedRow> GitConfigHomeRows();  // in ~/.config, or what stands for it
[[nodiscard]] std::span<const ProtectedRow> MercurialRows();      // below .hg
[[nodiscard]] std::span<const ProtectedRow> GpgHomeRows();        // in ~/.gnupg, or what stands for it
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
// such a path stays, but where the preset is required: then what the policy grants at or below a protected
// path is read-only, and is returned. Reports to `policy` what could not be protected, and which presets are
// off.
// Errors: kConflict, when there is more to protect than limits.h allows, or what is to be protected cannot be
// told.
[[nodiscard]] Result<std::vector<TakenGrant>> AddProtection(const Config& config, const Host& host,
                                                            const MountNames& names, RuleSet& rules,
                                                            Policy& policy);

}  // namespace mxc
