// Where a user's runs may find each other, and what is kept for later ones, as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace mxc {

// $XDG_RUNTIME_DIR as systemd sets it: UID below this.
inline constexpr const char* kSessionDirectories = "/run/user";
// Root's calls keep nothing there: where systemd has made no /run/user/0, a command of root's that may write
// /run could create it. Nobody else can create a directory in /run/user.
[[nodiscard]] inline bool HasSessionPlace(std::uint32_t uid) { return uid != 0; }
[[nodiscard]] inline std::string SessionRuntimePlace(std::uint32_t uid) {
  return std::string(kSessionDirectories) + "/" + std::to_string(uid) + "/mxc-exec";
}
// Of calls without a runtime directory: UID behind this.
inline constexpr const char* kFixedPlacePrefix = "/tmp/mxc-exec-";
[[nodiscard]] inline std::string FixedRuntimePlace(std::uint32_t uid) {
  return uid == 0 ? "/run/mxc-exec" : kFixedPlacePrefix + std::to_string(uid);
}

// Of calls with another $XDG_RUNTIME_DIR: a directory in the fixed place with this prefix. A command of an
// earlier run may have been able to write to the runtime directory itself, and what stands in one of these
// places is believed.
inline constexpr const char* kPlacePrefix = ".place-";
[[nodiscard]] inline std::string RuntimePlaceOf(const std::string& runtime_directory, std::uint32_t uid) {
  const std::string session = SessionRuntimePlace(uid);
  if (HasSessionPlace(uid) && runtime_directory + "/mxc-exec" == session) return session;
  const std::size_t hash = std::hash<std::string>{}(runtime_directory);
  return FixedRuntimePlace(uid) + "/" + kPlacePrefix + std::to_string(hash);
}

// Where a run under Landlock alone has its directory for temporary files and HOME: below a directory of the
// caller's in the first of these in which files can be made. No policy grants anything in /dev; in a sandbox
// with mounts /dev/shm is its own, where /tmp may be the host's.
inline constexpr const char* kTempBases[] = {"/var/tmp", "/dev/shm", "/tmp"};
inline constexpr const char* kTempPlacePrefix = "mxc-exec-temp-";
[[nodiscard]] inline std::string TempPlaceIn(const std::string& base, std::uint32_t uid) {
  return base + "/" + kTempPlacePrefix + std::to_string(uid);
}

// Images of everybody: what the operator puts there, and what root's runs unpack.
inline constexpr const char* kRootsImages = "/var/lib/mxc-exec/images";
inline constexpr const char* kRootsUnpackedImages = "/var/cache/mxc-exec/images";

// A directory of this prefix is an image that is being unpacked; it has another name when a run may use it.
inline constexpr const char* kUnfinishedImage = ".unpacking-";

}  // namespace mxc
