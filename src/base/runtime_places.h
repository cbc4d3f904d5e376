// Where a user's runs may find each other, and what is kept for later ones, as text.
#pragma once

#include <cstdint>
#include <string>

namespace mxc {

[[nodiscard]] inline std::string RuntimePlaceIn(const std::string& runtime_directory) {
  return runtime_directory + "/mxc-exec";
}
// $XDG_RUNTIME_DIR as systemd sets it, UID below this.
inline constexpr const char* kSessionPlaces = "/run/user";
[[nodiscard]] inline std::string SessionRuntimePlace(std::uint32_t uid) {
  return RuntimePlaceIn(kSessionPlaces + ("/" + std::to_string(uid)));
}
// Without a runtime directory: UID behind this.
inline constexpr const char* kFixedPlacePrefix = "/tmp/mxc-exec-";
[[nodiscard]] inline std::string FixedRuntimePlace(std::uint32_t uid) {
  return uid == 0 ? "/run/mxc-exec" : kFixedPlacePrefix + std::to_string(uid);
}

// Links in the last one lead to directories that runs with another $XDG_RUNTIME_DIR have used.
inline constexpr const char* kPlaceNote = ".place-";

// Images of everybody: what the operator puts there, and what root's runs unpack.
inline constexpr const char* kRootsImages = "/var/lib/mxc-exec/images";
inline constexpr const char* kRootsUnpackedImages = "/var/cache/mxc-exec/images";

// A directory of this prefix is an image that is being unpacked; it has another name when a run may use it.
inline constexpr const char* kUnfinishedImage = ".unpacking-";

}  // namespace mxc
