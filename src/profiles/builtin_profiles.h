// The files of schemas/profiles, as they stand there.
#pragma once

#include <span>
#include <string_view>

namespace mxc {

struct BuiltinProfile {
  std::string_view name;
  std::string_view text;
};
// By name.
[[nodiscard]] std::span<const BuiltinProfile> BuiltinProfiles();

}  // namespace mxc
