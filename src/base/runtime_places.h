// Where a user's runs may find each other, as text.
#pragma once

#include <cstdint>
#include <string>

namespace mxc {

[[nodiscard]] inline std::string RuntimePlaceIn(const std::string& runtime_directory) {
  return runtime_directory + "/mxc-exec";
}
// $XDG_RUNTIME_DIR as systemd sets it.
[[nodiscard]] inline std::string SessionRuntimePlace(std::uint32_t uid) {
  return RuntimePlaceIn("/run/user/" + std::to_string(uid));
}
// Without a runtime directory.
[[nodiscard]] inline std::string FixedRuntimePlace(std::uint32_t uid) {
  return uid == 0 ? "/run/mxc-exec" : "/tmp/mxc-exec-" + std::to_string(uid);
}

// Links in the last one lead to directories that runs with another $XDG_RUNTIME_DIR have used.
inline constexpr const char* kPlaceNote = ".place-";

}  // namespace mxc
