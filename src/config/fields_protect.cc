// `filesystem.protect` as an object: presets with options.
#include "config/fields.h"

namespace mxc {
namespace {

constexpr EnumValue kConfigModes[] = {{"read-only", kOwn}, {"allow-safe", kOwn}};
constexpr Field kProtectGitFields[] = {
    {.name = "config",
     .type = FieldType::kEnum,
     .in = kOwn,
     .text = "Configurations of repositories: read-only, or written for keys that execute nothing, which is "
             "checked when the run ends.",
     .values = kConfigModes,
     .standard = "\"read-only\""},
};
constexpr Shape kProtectGitShape{.fields = kProtectGitFields};
constexpr Shape kNoOptionsShape{};
constexpr Field kProtectFields[] = {
    {.name = "git",
     .type = FieldType::kObject,
     .in = kOwn,
     .text = "What git on the host executes and obeys.",
     .shape = &kProtectGitShape},
    {.name = "shell",
     .type = FieldType::kObject,
     .in = kOwn,
     .text = "Start-up files of shells.",
     .shape = &kNoOptionsShape},
    {.name = "editors",
     .type = FieldType::kObject,
     .in = kOwn,
     .text = "Settings of editors.",
     .shape = &kNoOptionsShape},
    {.name = "agents",
     .type = FieldType::kObject,
     .in = kOwn,
     .text = "Settings of coding agents.",
     .shape = &kNoOptionsShape},
};

}  // namespace

const Shape kProtectShape{.fields = kProtectFields};

}  // namespace mxc
