#include "config/fields.h"

namespace mxc {
namespace {

// Larger integers lose precision in readers that keep numbers as doubles.
constexpr std::uint64_t kMaxJsonInteger = (std::uint64_t{1} << 53U) - 1;

constexpr EnumValue kContainments[] = {
    {"process", kV06 | kV07 | kV08 | kContracts},
    {"processcontainer", kV06 | kV07 | kV08 | kContracts},
    {"appcontainer", kWireModel | kC09 | kC010},
    {"lxc"},
    {"bubblewrap", kV06 | kV07 | kV08 | kContracts},
    {"seatbelt", kV07 | kV08 | kContracts},
    {"macos_sandbox", kV05 | kV06 | kV07 | kV08 | kC09 | kC010},
    {"vm", kV06 | kV07 | kV08 | kDevelopment},
    {"windows_sandbox", kV05 | kV06 | kV07 | kV08 | kDevelopment},
    {"microvm", kV05 | kV06 | kV07 | kV08 | kDevelopment},
    {"hyperlight", kV06 | kV07 | kV08 | kDevelopment},
    {"wslc", kV05 | kV06 | kV07 | kV08 | kContracts},
    {"isolation_session", kV06 | kV07 | kV08 | kContracts},
    {"auto", kOwn},
    {"namespaces", kOwn},
    {"kubernetes", kOwn},
    {"landlock", kOwn},
    {"none", kOwn},
};
constexpr EnumValue kChoices[] = {{"kubernetes"},      {"lxc"},      {"namespaces"}, {"bubblewrap"},
                                  {"landlock"},        {"seatbelt"}, {"wslc"},       {"windows_sandbox"},
                                  {"processcontainer"}};
constexpr EnumValue kPhases[] = {{"provision"}, {"start"}, {"exec"}, {"stop"}, {"deprovision"}};
constexpr EnumValue kClipboards[] = {{"none"}, {"read"}, {"write"}, {"all"}};
constexpr EnumValue kPresets[] = {{"git"}, {"shell"}, {"editors"}, {"agents"}};
constexpr EnumValue kTemps[] = {{"private"}, {"shared"}};
constexpr EnumValue kTools[] = {{"inherit"}, {"system"}};
constexpr EnumValue kTiers[] = {{"process"}, {"container"}, {"virtual-machine"}};
constexpr EnumValue kRedactions[] = {{"secrets"}, {"pii"}};
constexpr EnumValue kAuditFailures[] = {{"refuse"}, {"warn"}};

constexpr EnumValue kReviews[] = {{"destructive"}};

constexpr Field kWorkspaceFields[] = {
    {.name = "host",
     .type = FieldType::kString,
     .in = kOwn,
     .text = "Absolute path of the directory, which the command may read and write.",
     .required = kOwn,
     .non_empty = true},
    {.name = "guest",
     .type = FieldType::kString,
     .in = kOwn,
     .text = "Absolute path under which it stands inside.",
     .non_empty = true,
     .standard = "\"/workspace\""},
};
constexpr Shape kWorkspaceShape{.fields = kWorkspaceFields};

constexpr std::string_view kCommandForms[] = {"commandLine", "argv"};

constexpr Field kProcessFields[] = {
    {.name = "commandLine",
     .type = FieldType::kString,
     .text = "Command, run by `sh -c` on Linux and macOS and passed to CreateProcess on Windows.",
     .non_empty = true},
    {.name = "argv",
     .type = FieldType::kStringList,
     .in = kOwn,
     .text = "Program and arguments, run without a shell; instead of commandLine.",
     .non_empty = true},
    {.name = "cwd",
     .type = FieldType::kString,
     .text = "Working directory, an absolute path the policy grants."},
    {.name = "workspace",
     .type = FieldType::kObject,
     .in = kOwn,
     .text =
         "A directory of this host that stands under another path inside, and under that alone. The command "
         "starts in it unless `cwd` says otherwise; other paths may name files in it in either way.",
     .shape = &kWorkspaceShape},
    {.name = "env",
     .type = FieldType::kStringList,
     .text = "Environment as NAME=value entries. Nothing is inherited from the caller; without this list "
             "the command gets a default PATH and TERM."},
    {.name = "timeout",
     .type = FieldType::kInteger,
     .text = "Milliseconds after which the command is ended; 0 means never.",
     .standard = "0"},
    {.name = "inheritDefaultEnv",
     .type = FieldType::kBool,
     .in = kContracts,
     .text = "Lay env over the default environment instead of replacing it.",
     .standard = "false"},
};
constexpr Shape kProcessShape{.fields = kProcessFields, .one_of = kCommandForms};

constexpr Field kLifecycleFields[] = {
    {.name = "destroyOnExit",
     .type = FieldType::kBool,
     .text = "Remove the container when the command has ended.",
     .standard = "true"},
    {.name = "preservePolicy",
     .type = FieldType::kBool,
     .text = "Keep firewall and access control entries after the run.",
     .standard = "false"},
};
constexpr Shape kLifecycleShape{.fields = kLifecycleFields};

constexpr Field kFilesystemFields[] = {
    {.name = "readwritePaths",
     .type = FieldType::kStringList,
     .text = "Absolute paths the command may read and write."},
    {.name = "readonlyPaths", .type = FieldType::kStringList, .text = "Absolute paths the command may read."},
    {.name = "deniedPaths",
     .type = FieldType::kStringList,
     .text = "Absolute paths the command may not open, also inside granted ones."},
    {.name = "protect",
     .type = FieldType::kEnumList,
     .in = kOwn,
     .text = "What stays read-only inside readwritePaths, wherever it stands: hooks and configuration of git "
             "repositories, start-up files of shells, settings of editors and of coding agents. The list "
             "replaces the default; an empty one protects nothing. An object names presets with options.",
     .shape = &kProtectShape,
     .values = kPresets,
     .standard = "[\"git\"]"},
    {.name = "repositories",
     .type = FieldType::kStringList,
     .in = kOwn,
     .text = "Absolute paths of the git repositories inside readwritePaths that `protect` is about. Without "
             "this list readwritePaths are searched for them."},
    {.name = "sockets",
     .type = FieldType::kStringList,
     .in = kOwn,
     .text = "Unix sockets of this host that the command may connect to: absolute paths, or $NAME for the "
             "one that a variable of the caller's environment names. All others in granted directories are "
             "denied while a process has them bound."},
    {.name = "temp",
     .type = FieldType::kEnum,
     .in = kOwn,
     .text = "/tmp inside: private and empty, or the host's.",
     .values = kTemps,
     .standard = "\"private\""},
    {.name = "tools",
     .type = FieldType::kEnum,
     .in = kOwn,
     .text =
         "Whether the toolchains of the caller's PATH show inside, read-only, and are on its PATH; without "
         "it the system's alone. Runs by flags inherit.",
     .values = kTools,
     .standard = "\"system\""},
    {.name = "clearPolicyOnExit",
     .type = FieldType::kBool,
     .in = kLegacyReleases,
     .text = "Sent by SDK 0.6 and ignored.",
     .use = Use::kTolerated},
};
constexpr Shape kFilesystemShape{.fields = kFilesystemFields};

constexpr Field kFallbackFields[] = {
    {.name = "allowDaclMutation",
     .type = FieldType::kBool,
     .text = "Windows: access control lists of granted files may be changed.",
     .standard = "true"},
    {.name = "allowBfs",
     .type = FieldType::kBool,
     .in = kOwn,
     .text = "Windows: files may be granted by bfscfg.exe, which some builds have and on some hangs.",
     .standard = "false"},
    {.name = "allowLoopbackExemption",
     .type = FieldType::kBool,
     .in = kOwn,
     .text = "Windows: a proxy of this machine may be reached by an exemption for its whole loopback, which "
             "takes an administrator.",
     .standard = "false"},
};
constexpr Shape kFallbackShape{.fields = kFallbackFields};

constexpr Field kUiFields[] = {
    {.name = "disable", .type = FieldType::kBool, .text = "No windows.", .standard = "true"},
    {.name = "clipboard",
     .type = FieldType::kEnum,
     .text = "Access to the clipboard.",
     .values = kClipboards,
     .standard = "\"none\""},
    {.name = "injection",
     .type = FieldType::kBool,
     .text = "Synthetic input to other windows.",
     .standard = "false"},
};
constexpr Shape kUiShape{.fields = kUiFields};

constexpr Field kOutputFields[] = {
    {.name = "maxBytes",
     .type = FieldType::kInteger,
     .in = kOwn,
     .text = "Bytes of standard output and of standard error, or of both where they are one, that are passed "
             "on; the rest is dropped.",
     .minimum = 1,
     .maximum = kMaxJsonInteger},
    {.name = "redact",
     .type = FieldType::kEnumList,
     .in = kOwn,
     .text = "What is replaced in the output.",
     .values = kRedactions},
};
constexpr Shape kOutputShape{.fields = kOutputFields};

constexpr Field kAuditFields[] = {
    {.name = "path",
     .type = FieldType::kString,
     .in = kOwn,
     .text = "Absolute path of the file the record is appended to.",
     .required = kOwn,
     .non_empty = true},
    {.name = "onFailure",
     .type = FieldType::kEnum,
     .in = kOwn,
     .text = "What happens when the record cannot be written.",
     .values = kAuditFailures,
     .standard = "\"refuse\""},
    {.name = "syslog",
     .type = FieldType::kBool,
     .in = kOwn,
     .text = "The hash of each line of a run's begin and end goes to the system's log as well.",
     .standard = "false"},
};
constexpr Shape kAuditShape{.fields = kAuditFields};

constexpr Field kSessionFields[] = {
    {.name = "idleTimeoutMs",
     .type = FieldType::kInteger,
     .in = kOwn,
     .text =
         "Milliseconds without a running command after which the sandbox is deprovisioned; 0 means never.",
     .maximum = kMaxJsonInteger,
     .standard = "86400000"},
    {.name = "lifetimeMs",
     .type = FieldType::kInteger,
     .in = kOwn,
     .text =
         "Milliseconds after provision when the sandbox is deprovisioned, whatever it does; 0 means never.",
     .maximum = kMaxJsonInteger,
     .standard = "0"},
};
constexpr Shape kSessionShape{.fields = kSessionFields};

constexpr Field kSelectionFields[] = {
    {.name = "order",
     .type = FieldType::kEnumList,
     .in = kOwn,
     .text = "What containment `auto` tries, in this order: the first that is usable is taken, and no other.",
     .values = kChoices,
     .required = kOwn,
     .non_empty = true},
};
constexpr Shape kSelectionShape{.fields = kSelectionFields};

constexpr Field kRootFields[] = {
    {.name = "$schema", .type = FieldType::kString, .text = "For editors; ignored."},
    {.name = "_comment", .type = FieldType::kAny, .text = "Anything; ignored."},
    {.name = "version",
     .type = FieldType::kString,
     .text = "Schema version the document is written for.",
     .required = kContracts},
    {.name = "expand",
     .type = FieldType::kBool,
     .in = kOwn,
     .text = "`~`, `${HOME}`, `${PWD}` (the directory of this file) and the `${XDG_...}` directories are "
             "expanded "
             "at the beginning of paths of filesystem, process.cwd and audit.path.",
     .standard = "false"},
    {.name = "profiles",
     .type = FieldType::kStringList,
     .in = kOwn,
     .text = "Named fragments of a policy, which are added to this one: `mxc-exec profile list` shows them."},
    {.name = "phase",
     .type = FieldType::kEnum,
     .text = "Lifecycle request.",
     .values = kPhases,
     .use = Use::kLifecycle},
    {.name = "sandboxId", .type = FieldType::kString, .text = "Lifecycle request.", .use = Use::kLifecycle},
    {.name = "correlationVector",
     .type = FieldType::kString,
     .in = kWireModel,
     .text = "Lifecycle request.",
     .elsewhere = "closed contracts have no such key",
     .use = Use::kLifecycle},
    {.name = "containerId", .type = FieldType::kString, .text = "Name of the container: any text."},
    {.name = "containment",
     .type = FieldType::kEnum,
     .text = "Kind of isolation; absent means process isolation of this operating system.",
     .values = kContainments},
    {.name = "selection",
     .type = FieldType::kObject,
     .in = kOwn,
     .text = "How containment `auto` chooses.",
     .shape = &kSelectionShape},
    {.name = "process",
     .type = FieldType::kObject,
     .text = "What is run.",
     .shape = &kProcessShape,
     .required = kEvery},
    {.name = "lifecycle",
     .type = FieldType::kObject,
     .text = "What remains after the run.",
     .shape = &kLifecycleShape},
    {.name = "appContainer",
     .type = FieldType::kObject,
     .in = kWireModel | kC09 | kC010,
     .text = "Older name of processContainer.",
     .shape = &kProcessContainerShape,
     .alias_of = "processContainer",
     .elsewhere = "use `processContainer`"},
    {.name = "processContainer",
     .type = FieldType::kObject,
     .in = kV06 | kV07 | kV08 | kContracts,
     .text = "Options of containment `processcontainer`.",
     .shape = &kProcessContainerShape},
    {.name = "lxc", .type = FieldType::kObject, .text = "Options of containment `lxc`.", .shape = &kLxcShape},
    {.name = "kubernetes",
     .type = FieldType::kObject,
     .in = kOwn,
     .text = "Where containment `kubernetes` gets its pod.",
     .shape = &kKubernetesShape},
    {.name = "filesystem",
     .type = FieldType::kObject,
     .text = "Paths beyond the read-only system directories.",
     .shape = &kFilesystemShape},
    {.name = "fallback",
     .type = FieldType::kObject,
     .in = kV06 | kV07 | kV08 | kContracts,
     .text = "What weaker isolation is acceptable on Windows.",
     .shape = &kFallbackShape},
    {.name = "network",
     .type = FieldType::kObject,
     .text = "Network access; absent means none.",
     .shape = &kNetworkShape},
    {.name = "runtimeConfig",
     .type = FieldType::kObject,
     .in = kSince08,
     .text = "Values that differ from run to run.",
     .shape = &kRuntimeShape,
     .elsewhere = "needs schema version 0.8 or later"},
    {.name = "ui",
     .type = FieldType::kObject,
     .in = kV05 | kV06 | kV07 | kV08 | kContracts,
     .text = "Windows and clipboard.",
     .shape = &kUiShape},
    {.name = "macos_sandbox",
     .type = FieldType::kObject,
     .in = kV05 | kV06 | kV07 | kV08 | kC09 | kC010,
     .text = "Older name of seatbelt.",
     .shape = &kSeatbeltShape,
     .alias_of = "seatbelt",
     .elsewhere = "use `seatbelt`"},
    {.name = "seatbelt",
     .type = FieldType::kObject,
     .in = kV07 | kV08 | kContracts,
     .text = "Options of containment `seatbelt`.",
     .shape = &kSeatbeltShape},
    {.name = "experimental",
     .type = FieldType::kObject,
     .in = kV05 | kV06 | kV07 | kV08,
     .text = "Options of experimental containments; unknown members are ignored.",
     .shape = &kExperimentalShape,
     .elsewhere = "this schema version has no experimental section; use the top-level sections"},
    {.name = "telemetry",
     .type = FieldType::kObject,
     .in = kContracts,
     .text = "Accepted; nothing is ever sent.",
     .shape = &kTelemetryShape,
     .elsewhere = "use experimental.telemetry"},
    {.name = "wslc",
     .type = FieldType::kObject,
     .in = kContracts,
     .text = "Options of containment `wslc`.",
     .shape = &kWslcShape,
     .elsewhere = "use experimental.wslc"},
    {.name = "isolationSession",
     .type = FieldType::kObject,
     .in = kContracts,
     .text = "Options of containment `isolation_session`.",
     .shape = &kIsolationSessionShape,
     .elsewhere = "use experimental.isolation_session",
     .use = Use::kLifecycle},
    {.name = "hyperlight",
     .type = FieldType::kObject,
     .in = kDevelopment,
     .text = "Options of containment `hyperlight`.",
     .shape = &kHyperlightShape},
    {.name = "windowsSandbox",
     .type = FieldType::kObject,
     .in = kDevelopment,
     .text = "Options of containment `windows_sandbox`.",
     .shape = &kWindowsSandboxShape,
     .elsewhere = "use experimental.windows_sandbox"},
    {.name = "test",
     .type = FieldType::kObject,
     .in = kDevelopment,
     .text = "Ignored.",
     .shape = &kTestShape},
    {.name = "resources",
     .type = FieldType::kObject,
     .in = kOwn,
     .text = "What the command and everything it starts may use; what is not named is not limited.",
     .shape = &kResourcesShape},
    {.name = "session",
     .type = FieldType::kObject,
     .in = kOwn,
     .text = "How long a sandbox of a provision request stays.",
     .shape = &kSessionShape},
    {.name = "output",
     .type = FieldType::kObject,
     .in = kOwn,
     .text = "Limits on what the command may print.",
     .shape = &kOutputShape},
    {.name = "audit",
     .type = FieldType::kObject,
     .in = kOwn,
     .text = "Record of the run, written before the command starts.",
     .shape = &kAuditShape},
    {.name = "helpers",
     .type = FieldType::kObject,
     .in = kOwn,
     .text =
         "The files that programs which mxc-exec starts for a run have to be; another file refuses the run.",
     .shape = &kHelpersShape},
    {.name = "review",
     .type = FieldType::kEnum,
     .in = kOwn,
     .text =
         "Commands that destroy what cannot be brought back wait for an approval, as far as their text shows "
         "it. No part of the boundary.",
     .values = kReviews},
    {.name = "minimumTier",
     .type = FieldType::kEnum,
     .in = kOwn,
     .text = "Refuse to run with weaker isolation than this.",
     .values = kTiers},
};
constexpr Shape kRoot{.fields = kRootFields};

}  // namespace

const Shape& RootShape() { return kRoot; }

Releases ReleasesOf(Dialect dialect, std::string_view version) {
  switch (dialect) {
    case Dialect::kLegacy:
      return kLegacyReleases | kOwn;
    case Dialect::kDirectional:
      return kV08 | kOwn;
    case Dialect::kContract09:
      return kC09 | kOwn;
    case Dialect::kContract10:
      return kC10 | kOwn;
    case Dialect::kContract11:
      return (version == kVersion010 ? kC010 : kC11) | kOwn;
  }
  return kOwn;
}

bool TakesNull(Dialect dialect) { return dialect == Dialect::kLegacy || dialect == Dialect::kDirectional; }

}  // namespace mxc
