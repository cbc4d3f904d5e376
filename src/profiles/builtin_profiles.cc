#include "profiles/builtin_profiles.h"

namespace mxc {
namespace {

constexpr BuiltinProfile kBuiltinProfiles[] = {
#include "builtin_profiles.inc"
};

}  // namespace

std::span<const BuiltinProfile> BuiltinProfiles() { return kBuiltinProfiles; }

}  // namespace mxc
