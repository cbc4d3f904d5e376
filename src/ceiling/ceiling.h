// The ceiling: the most that the operator of this machine lets callers ask for. A file of root's, written
// like a policy (docs/operators.md). A run gets only what both its policy and the ceiling allow.
//
//   Result<std::optional<Ceiling>> ceiling = ReadCeiling(host, CallersGroups());
//   Status cut = CutConfig(section, config, cuts);  // what needs no files
//   Status cut = CutEntries(files, entries, cuts);   // paths, in Resolve; sockets: GrantSockets
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "mxc/error.h"
#include "mxc/host.h"

namespace mxc {

struct Requirements {
  std::vector<Preset> protect = {};
  bool audit = false;
  bool review = false;
  bool verify = false;  // every helper must have a pin
  std::optional<std::vector<std::string>> containments = {};
  std::optional<std::vector<std::string>> profiles = {};
};

// A section that is in force for a caller. A part that is not written bounds nothing.
struct CeilingSection {
  std::string pointer = {};  // its place in the file: "", "/users/alice"
  Config bounds = {};
  bool filesystem = false;  // is written
  bool network = false;
  std::uint64_t idle_ms = 0;  // of a persistent sandbox; 0: for ever
  std::uint64_t lifetime_ms = 0;
  std::optional<std::vector<std::string>> variables = {};
  Requirements require = {};
  bool refuses = false;  // onExcess
  // The pointer of a clause that it adds to a policy: "/ceiling/users/alice/filesystem/deniedPaths/0".
  [[nodiscard]] std::string At(const std::string& clause) const { return "/ceiling" + pointer + clause; }
};

struct Ceiling {
  std::string file = {};
  std::string digest = {};                    // SHA-256 of its text
  std::vector<CeilingSection> sections = {};  // all are in force
  [[nodiscard]] std::string Text() const { return "within " + file + ", SHA-256 " + digest; }
};

// The pointer of the ceiling's entry in a plan's ledger.
inline constexpr const char* kCeilingPointer = "/ceiling";

// The path of the ceiling. No flag, variable or configuration can name another.
[[nodiscard]] std::string CeilingFile(OperatingSystem system);

// The caller's sections; absent if there is no such file. Errors, kConflict: the file cannot be read, could
// be written by others than root, is no ceiling, or has no section for this caller.
[[nodiscard]] Result<std::optional<Ceiling>> ReadCeiling(const Host& host,
                                                         const std::vector<std::uint32_t>& groups);
// Errors: as a policy's, kSchema and kMalformed.
[[nodiscard]] Result<std::vector<CeilingSection>> DecodeCeiling(const std::string& text, const Host& host,
                                                                const std::vector<std::uint32_t>& groups);

// Groups that this process is in, its own included.
[[nodiscard]] std::vector<std::uint32_t> CallersGroups();

}  // namespace mxc
