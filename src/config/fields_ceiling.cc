// The ceiling of a machine: the parts of a policy that it bounds, and what it requires of every run.
#include "config/fields.h"

namespace mxc {
namespace {

constexpr std::uint64_t kMaxCeilingInteger = (std::uint64_t{1} << 53U) - 1;

constexpr EnumValue kCeilingPresets[] = {{"git"}, {"shell"}, {"editors"}, {"agents"}};
constexpr EnumValue kCeilingTiers[] = {{"process"}, {"container"}, {"virtual-machine"}};
constexpr EnumValue kCeilingRedactions[] = {{"secrets"}, {"pii"}};
constexpr EnumValue kCeilingReviews[] = {{"destructive"}};
constexpr EnumValue kExcesses[] = {{"clamp"}, {"refuse"}};

constexpr Field kCeilingFilesystemFields[] = {
    {.name = "readwritePaths",
     .type = FieldType::kStringList,
     .text =
         "Absolute paths at and below which a policy may grant writing. * and ? stand for part of a name."},
    {.name = "readonlyPaths",
     .type = FieldType::kStringList,
     .text = "Absolute paths at and below which a policy may grant reading."},
    {.name = "deniedPaths",
     .type = FieldType::kStringList,
     .text = "Absolute paths that no policy opens, also inside those above and in the system's directories."},
    {.name = "sockets",
     .type = FieldType::kStringList,
     .text = "Unix sockets of this host that a policy may grant: absolute paths."},
};
constexpr Shape kCeilingFilesystemShape{.fields = kCeilingFilesystemFields};

constexpr Field kCeilingProcessFields[] = {
    {.name = "timeout",
     .type = FieldType::kInteger,
     .text = "Milliseconds after which every command is ended at the latest; 0 means never.",
     .standard = "0"},
    {.name = "env",
     .type = FieldType::kStringList,
     .text = "Names of the variables that a policy may set. * and ? stand for part of a name."},
};
constexpr Shape kCeilingProcessShape{.fields = kCeilingProcessFields};

constexpr Field kCeilingSessionFields[] = {
    {.name = "idleTimeoutMs",
     .type = FieldType::kInteger,
     .text = "Milliseconds that a persistent sandbox may stay without a running command; 0 means for ever.",
     .maximum = kMaxCeilingInteger},
    {.name = "lifetimeMs",
     .type = FieldType::kInteger,
     .text = "Milliseconds that a persistent sandbox may stay; 0 means for ever.",
     .maximum = kMaxCeilingInteger},
};
constexpr Shape kCeilingSessionShape{.fields = kCeilingSessionFields};

constexpr Field kCeilingOutputFields[] = {
    {.name = "maxBytes",
     .type = FieldType::kInteger,
     .text = "Bytes that are passed on of each output stream at most.",
     .minimum = 1,
     .maximum = kMaxCeilingInteger},
    {.name = "redact",
     .type = FieldType::kEnumList,
     .text = "What is replaced in the output of every run.",
     .values = kCeilingRedactions},
};
constexpr Shape kCeilingOutputShape{.fields = kCeilingOutputFields};

constexpr Field kCeilingAuditFields[] = {
    {.name = "path",
     .type = FieldType::kString,
     .text = "Absolute path of the file that every run is recorded in; {uid} stands for the caller's number.",
     .required = kEvery,
     .non_empty = true},
    {.name = "syslog",
     .type = FieldType::kBool,
     .text = "The hash of each line of a run's begin and end goes to the system's log as well.",
     .standard = "false"},
};
constexpr Shape kCeilingAuditShape{.fields = kCeilingAuditFields};

constexpr Field kRequireFields[] = {
    {.name = "minimumTier",
     .type = FieldType::kEnum,
     .text = "Refuse to run with weaker isolation than this.",
     .values = kCeilingTiers},
    {.name = "protect",
     .type = FieldType::kEnumList,
     .text = "Presets of `protect` that are in force in every run.",
     .values = kCeilingPresets},
    {.name = "audit",
     .type = FieldType::kBool,
     .text = "Refuse a run without a record.",
     .standard = "false"},
    {.name = "containments",
     .type = FieldType::kEnumList,
     .text = "The containments that may be used; `process` is whatever it comes to on this machine. Without "
             "the list all may, but never `none`.",
     .values = kBoundedContainments},
    {.name = "verify",
     .type = FieldType::kBool,
     .text = "Refuse a run that starts a program of the host which `helpers` of the ceiling does not pin.",
     .standard = "false"},
    {.name = "review",
     .type = FieldType::kEnum,
     .text = "Commands that destroy wait for an approval in every run.",
     .values = kCeilingReviews},
    {.name = "profiles",
     .type = FieldType::kStringList,
     .text = "The profiles whose grants count; without the list those of all do, within the bounds."},
};
constexpr Shape kRequireShape{.fields = kRequireFields};

constexpr Shape kSectionsShape{.open = true};

constexpr Field kCeilingFields[] = {
    {.name = "$schema", .type = FieldType::kString, .text = "For editors; ignored."},
    {.name = "_comment", .type = FieldType::kAny, .text = "Anything; ignored."},
    {.name = "filesystem",
     .type = FieldType::kObject,
     .text = "What policies may grant beyond the read-only system; without it everything.",
     .shape = &kCeilingFilesystemShape},
    {.name = "network",
     .type = FieldType::kObject,
     .text = "What policies may reach, and be reached by; without it everything.",
     .shape = &kNetworkShape},
    {.name = "process",
     .type = FieldType::kObject,
     .text = "Time and variables of commands.",
     .shape = &kCeilingProcessShape},
    {.name = "resources",
     .type = FieldType::kObject,
     .text = "Upper bounds, also of policies without a limit of their own.",
     .shape = &kResourcesShape},
    {.name = "session",
     .type = FieldType::kObject,
     .text = "How long persistent sandboxes may stay.",
     .shape = &kCeilingSessionShape},
    {.name = "output",
     .type = FieldType::kObject,
     .text = "Limits on what commands may print.",
     .shape = &kCeilingOutputShape},
    {.name = "audit",
     .type = FieldType::kObject,
     .text = "The record of every run, in place of the policy's.",
     .shape = &kCeilingAuditShape},
    {.name = "helpers",
     .type = FieldType::kObject,
     .text = "The files that programs which mxc-exec starts for a run have to be.",
     .shape = &kHelpersShape},
    {.name = "require",
     .type = FieldType::kObject,
     .text = "What every run has to have.",
     .shape = &kRequireShape},
    {.name = "onExcess",
     .type = FieldType::kEnum,
     .text = "A policy that asks for more is cut and reported, or refused.",
     .values = kExcesses,
     .standard = "\"clamp\""},
    {.name = "users",
     .type = FieldType::kObject,
     .text = "By name or number of a user: what is in force for that user, in place of everything else here.",
     .shape = &kSectionsShape},
    {.name = "groups",
     .type = FieldType::kObject,
     .text = "By name or number of a group: what is in force for its members without a section of their own; "
             "of several groups all sections are.",
     .shape = &kSectionsShape},
};
constexpr Shape kCeiling{.fields = kCeilingFields};

}  // namespace

const Shape& CeilingShape() { return kCeiling; }

}  // namespace mxc
