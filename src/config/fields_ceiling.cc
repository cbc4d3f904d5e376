// The ceiling of a machine: the parts of a policy that it bounds, and what it requires of every run.
#include "config/field_rows.h"

namespace mxc {
namespace {

constexpr EnumValue kExcesses[] = {{"clamp"}, {"refuse"}};

constexpr Field kCeilingFilesystemFields[] = {
    Strings(
        "readwritePaths",
        "Absolute paths at and below which a policy may grant writing. * and ? stand for part of a name."),
    Strings("readonlyPaths", "Absolute paths at and below which a policy may grant reading."),
    Strings("deniedPaths",
            "Absolute paths that no policy opens, also inside those above and in the system's directories."),
    Strings("sockets", "Unix sockets of this host that a policy may grant: absolute paths."),
};
constexpr Shape kCeilingFilesystemShape{.fields = kCeilingFilesystemFields};

constexpr Field kCeilingProcessFields[] = {
    Integer("timeout", "Milliseconds after which every command is ended at the latest; 0 means never.",
            {.standard = "0"}),
    Strings("env", "Names of the variables that a policy may set. * and ? stand for part of a name."),
};
constexpr Shape kCeilingProcessShape{.fields = kCeilingProcessFields};

constexpr Field kCeilingSessionFields[] = {
    Integer("idleTimeoutMs",
            "Milliseconds that a persistent sandbox may stay without a running command; 0 means for ever.",
            {.maximum = kMaxJsonInteger}),
    Integer("lifetimeMs", "Milliseconds that a persistent sandbox may stay; 0 means for ever.",
            {.maximum = kMaxJsonInteger}),
};
constexpr Shape kCeilingSessionShape{.fields = kCeilingSessionFields};

constexpr Field kCeilingOutputFields[] = {
    Integer("maxBytes", "Bytes that are passed on of each output stream at most.",
            {.minimum = 1, .maximum = kMaxJsonInteger}),
    Enums("redact", kRedactions, "What is replaced in the output of every run."),
};
constexpr Shape kCeilingOutputShape{.fields = kCeilingOutputFields};

constexpr Field kCeilingAuditFields[] = {
    String("path",
           "Absolute path of the file that every run is recorded in; {uid} stands for the caller's number.",
           {.required = kEvery, .non_empty = true}),
    Bool("syslog", "The hash of each line of a run's begin and end goes to the system's log as well.",
         {.standard = "false"}),
};
constexpr Shape kCeilingAuditShape{.fields = kCeilingAuditFields};

constexpr Field kRequireFields[] = {
    Enum("minimumTier", kTiers, "Refuse to run with weaker isolation than this."),
    Enums("protect", kPresets, "Presets of `protect` that are in force in every run."),
    Bool("audit", "Refuse a run without a record.", {.standard = "false"}),
    Enums("containments", kBoundedContainments,
          "The containments that may be used; `process` is whatever it comes to on this machine. Without the "
          "list all may, but never `none`."),
    Bool("verify",
         "Refuse a run that starts a program of the host which `helpers` of the ceiling does not pin.",
         {.standard = "false"}),
    Enum("review", kReviews, "Commands that destroy wait for an approval in every run."),
    Strings("profiles",
            "The profiles whose grants count; without the list those of all do, within the bounds."),
};
constexpr Shape kRequireShape{.fields = kRequireFields};

constexpr Shape kSectionsShape{.open = true};

constexpr Field kCeilingFields[] = {
    String("$schema", "For editors; ignored."),
    Any("_comment", "Anything; ignored."),
    Object("filesystem", kCeilingFilesystemShape,
           "What policies may grant beyond the read-only system; without it everything."),
    Object("network", kCeilingNetworkShape,
           "What policies may reach, and be reached by; without it everything."),
    Object("process", kCeilingProcessShape, "Time and variables of commands."),
    Object("resources", kResourcesShape, "Upper bounds, also of policies without a limit of their own."),
    Object("session", kCeilingSessionShape, "How long persistent sandboxes may stay."),
    Object("output", kCeilingOutputShape, "Limits on what commands may print."),
    Object("audit", kCeilingAuditShape, "The record of every run, in place of the policy's."),
    Object("helpers", kHelpersShape, "The files that programs which mxc-exec starts for a run have to be."),
    Object("require", kRequireShape, "What every run has to have."),
    Enum("onExcess", kExcesses, "A policy that asks for more is cut and reported, or refused.",
         {.standard = "\"clamp\""}),
    Object("users", kSectionsShape,
           "By name or number of a user: what is in force for that user, in place of everything else here."),
    Object("groups", kSectionsShape,
           "By name or number of a group: what is in force for its members without a section of their own; "
           "of several groups all sections are."),
};
constexpr Shape kCeiling{.fields = kCeilingFields};

}  // namespace

const Shape& CeilingShape() { return kCeiling; }

}  // namespace mxc
