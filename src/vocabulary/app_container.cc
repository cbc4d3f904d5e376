#include "mxc/windows/app_container.h"

#include <array>

namespace mxc {

std::string_view Name(AceType type) { return type == AceType::kAllow ? "allow" : "deny"; }

std::string UiLimitNames(std::uint32_t limits) {
  constexpr std::array<std::string_view, 10> kNames = {
      "handles",           "read-clipboard",   "write-clipboard",
      "system-parameters", "display-settings", "global-atoms",
      "desktop",           "exit-windows",     "ime",
      "injection"};
  std::string names;
  for (std::size_t bit = 0; bit < kNames.size(); ++bit) {
    if ((limits >> bit & 1U) == 0) continue;
    names += names.empty() ? "" : " ";
    names += kNames[bit];
  }
  return names.empty() ? "none" : names;
}

}  // namespace mxc
