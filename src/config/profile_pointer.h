// Where an entry stands that a profile has added: "profile node: /filesystem/readwritePaths/0". What the
// document itself says has a pointer that begins with "/".
#pragma once

#include <string>
#include <string_view>

namespace mxc {

[[nodiscard]] inline std::string ProfilePointer(const std::string& profile, const std::string& pointer) {
  return "profile " + profile + ": " + pointer;
}

[[nodiscard]] inline bool IsOfProfile(std::string_view pointer) { return pointer.starts_with("profile "); }

}  // namespace mxc
