#include "config/fields.h"

#include "config/field_rows.h"

namespace mxc {
namespace {

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
constexpr EnumValue kConfigModes[] = {{"read-only"}, {"allow-safe"}};
constexpr EnumValue kTemps[] = {{"private"}, {"shared"}};
constexpr EnumValue kTools[] = {{"inherit"}, {"system"}};
constexpr EnumValue kAuditFailures[] = {{"refuse"}, {"warn"}};

constexpr Field kWorkspaceFields[] = {
    String("host", "Absolute path of the directory, which the command may read and write.",
           {.required = kEvery, .non_empty = true}),
    String("guest", "Absolute path under which it stands inside.",
           {.non_empty = true, .standard = "\"/workspace\""}),
};
constexpr Shape kWorkspaceShape{.fields = kWorkspaceFields};

constexpr std::string_view kCommandForms[] = {"commandLine", "argv"};

constexpr Field kProcessFields[] = {
    String("commandLine",
           "Command, run by `sh -c` on Linux and macOS and passed to CreateProcess on Windows.",
           {.non_empty = true}),
    Strings("argv", "Program and arguments, run without a shell; instead of commandLine.",
            {.in = kOwn, .non_empty = true}),
    String("cwd", "Working directory, an absolute path the policy grants."),
    Object(
        "workspace", kWorkspaceShape,
        "A directory of this host that stands under another path inside, and under that alone. The command "
        "starts in it unless `cwd` says otherwise; other paths may name files in it in either way.",
        {.in = kOwn}),
    Strings("env",
            "Environment as NAME=value entries. Nothing is inherited from the caller; without this list the "
            "command gets a default PATH and TERM."),
    Integer("timeout", "Milliseconds after which the command is ended; 0 means never.", {.standard = "0"}),
    Bool("inheritDefaultEnv", "Lay env over the default environment instead of replacing it.",
         {.in = kContracts, .standard = "false"}),
};
constexpr Shape kProcessShape{.fields = kProcessFields, .one_of = kCommandForms};

constexpr Field kLifecycleFields[] = {
    Bool("destroyOnExit", "Remove the container when the command has ended.", {.standard = "true"}),
    Bool("preservePolicy", "Keep firewall and access control entries after the run.", {.standard = "false"}),
};
constexpr Shape kLifecycleShape{.fields = kLifecycleFields};

// `filesystem.protect` as an object: presets with options.
constexpr Field kProtectGitFields[] = {
    Enum("config", kConfigModes,
         "Configurations of repositories: read-only, or written for keys that execute nothing, which is "
         "checked when the run ends.",
         {.standard = "\"read-only\""}),
};
constexpr Shape kProtectGitShape{.fields = kProtectGitFields};
constexpr Shape kNoOptionsShape{};
constexpr Field kProtectFields[] = {
    Object("git", kProtectGitShape, "What git on the host executes and obeys."),
    Object("shell", kNoOptionsShape, "Start-up files of shells."),
    Object("editors", kNoOptionsShape, "Settings of editors."),
    Object("agents", kNoOptionsShape, "Settings of coding agents."),
};

constexpr Field kFilesystemFields[] = {
    Strings("readwritePaths", "Absolute paths the command may read and write."),
    Strings("readonlyPaths", "Absolute paths the command may read."),
    Strings("deniedPaths", "Absolute paths the command may not open, also inside granted ones."),
    Enums("protect", kPresets,
          "What stays read-only inside readwritePaths, wherever it stands: hooks and configuration of git "
          "repositories, start-up files of shells, settings of editors and of coding agents. The list "
          "replaces the default; an empty one protects nothing. An object names presets with options.",
          {.in = kOwn, .shape = &kProtectShape, .standard = "[\"git\"]"}),
    Strings("repositories",
            "Absolute paths of the git repositories inside readwritePaths that `protect` is about. Without "
            "this list readwritePaths are searched for them.",
            {.in = kOwn}),
    Strings("sockets",
            "Unix sockets of this host that the command may connect to: absolute paths, or $NAME for the one "
            "that a variable of the caller's environment names. All others in granted directories are denied "
            "while a process has them bound.",
            {.in = kOwn}),
    Enum("temp", kTemps, "/tmp inside: private and empty, or the host's.",
         {.in = kOwn, .standard = "\"private\""}),
    Enum("tools", kTools,
         "Whether the toolchains of the caller's PATH show inside, read-only, and are on its PATH; without "
         "it the system's alone. Runs by flags inherit.",
         {.in = kOwn, .standard = "\"system\""}),
    Bool("clearPolicyOnExit", "Sent by SDK 0.6 and ignored.",
         {.in = kLegacyReleases, .use = Use::kTolerated}),
};
constexpr Shape kFilesystemShape{.fields = kFilesystemFields};

constexpr Field kFallbackFields[] = {
    Bool("allowDaclMutation", "Windows: access control lists of granted files may be changed.",
         {.standard = "true"}),
    Bool("allowBfs", "Windows: files may be granted by bfscfg.exe, which some builds have and on some hangs.",
         {.in = kOwn, .standard = "false"}),
    Bool("allowLoopbackExemption",
         "Windows: a proxy of this machine may be reached by an exemption for its whole loopback, which "
         "takes an administrator.",
         {.in = kOwn, .standard = "false"}),
};
constexpr Shape kFallbackShape{.fields = kFallbackFields};

constexpr Field kUiFields[] = {
    Bool("disable", "No windows.", {.standard = "true"}),
    Enum("clipboard", kClipboards, "Access to the clipboard.", {.standard = "\"none\""}),
    Bool("injection", "Synthetic input to other windows.", {.standard = "false"}),
};
constexpr Shape kUiShape{.fields = kUiFields};

constexpr Field kOutputFields[] = {
    Integer("maxBytes",
            "Bytes of standard output and of standard error, or of both where they are one, that are passed "
            "on; the rest is dropped.",
            {.minimum = 1, .maximum = kMaxJsonInteger}),
    Enums("redact", kRedactions, "What is replaced in the output."),
};
constexpr Shape kOutputShape{.fields = kOutputFields};

constexpr Field kAuditFields[] = {
    String("path", "Absolute path of the file the record is appended to.",
           {.required = kEvery, .non_empty = true}),
    Enum("onFailure", kAuditFailures, "What happens when the record cannot be written.",
         {.standard = "\"refuse\""}),
    Bool("syslog", "The hash of each line of a run's begin and end goes to the system's log as well.",
         {.standard = "false"}),
};
constexpr Shape kAuditShape{.fields = kAuditFields};

constexpr Field kSessionFields[] = {
    Integer("idleTimeoutMs",
            "Milliseconds without a running command after which the sandbox is deprovisioned; 0 means never.",
            {.maximum = kMaxJsonInteger, .standard = "86400000"}),
    Integer(
        "lifetimeMs",
        "Milliseconds after provision when the sandbox is deprovisioned, whatever it does; 0 means never.",
        {.maximum = kMaxJsonInteger, .standard = "0"}),
};
constexpr Shape kSessionShape{.fields = kSessionFields};

constexpr Field kSelectionFields[] = {
    Enums("order", kChoices,
          "What containment `auto` tries, in this order: the first that is usable is taken, and no other.",
          {.required = kEvery, .non_empty = true}),
};
constexpr Shape kSelectionShape{.fields = kSelectionFields};

// The files that programs which mxc-exec starts have to be.
constexpr Field kPinFields[] = {
    String("sha256", "SHA-256 of its file: 64 hexadecimal digits, as `mxc-exec --probe` prints them.",
           {.required = kEvery}),
};
constexpr Shape kPinShape{.fields = kPinFields};
constexpr Field kHelpersFields[] = {
    Object("bwrap", kPinShape, "The program of containment `bubblewrap`."),
    Object("busctl", kPinShape, "Asks systemd for the control group of a run."),
    Object("env", kPinShape, "Stands in front of lxc-stop."),
    Object("kubectl", kPinShape, "Speaks to the cluster of containment `kubernetes`."),
    Object("lxc-start", kPinShape, "The program of containment `lxc`."),
    Object("lxc-stop", kPinShape, "Ends a container of `--delete`."),
    Object("tar", kPinShape, "Unpacks images, in a sandbox."),
    Object("xz", kPinShape, "Unpacks images, as tar's program."),
};

constexpr Field kRootFields[] = {
    String("$schema", "For editors; ignored."),
    Any("_comment", "Anything; ignored."),
    String("version", "Schema version the document is written for.", {.required = kContracts}),
    Bool("expand",
         "`~`, `${HOME}`, `${PWD}` (the directory of this file) and the `${XDG_...}` directories are "
         "expanded at the beginning of paths of filesystem, process.cwd and audit.path.",
         {.in = kOwn, .standard = "false"}),
    Strings("profiles",
            "Named fragments of a policy, which are added to this one: `mxc-exec profile list` shows them.",
            {.in = kOwn}),
    Enum("phase", kPhases, "Lifecycle request.", {.use = Use::kLifecycle}),
    String("sandboxId", "Lifecycle request.", {.use = Use::kLifecycle}),
    String("correlationVector", "Lifecycle request.",
           {.in = kWireModel, .elsewhere = "closed contracts have no such key", .use = Use::kLifecycle}),
    String("containerId", "Name of the container: any text."),
    Enum("containment", kContainments,
         "Kind of isolation; absent means process isolation of this operating system."),
    Object("selection", kSelectionShape, "How containment `auto` chooses.", {.in = kOwn}),
    Object("process", kProcessShape, "What is run.", {.required = kEvery}),
    Object("lifecycle", kLifecycleShape, "What remains after the run."),
    Object("appContainer", kProcessContainerShape, "Older name of processContainer.",
           {.in = kWireModel | kC09 | kC010,
            .alias_of = "processContainer",
            .elsewhere = "use `processContainer`"}),
    Object("processContainer", kProcessContainerShape, "Options of containment `processcontainer`.",
           {.in = kV06 | kV07 | kV08 | kContracts}),
    Object("lxc", kLxcShape, "Options of containment `lxc`."),
    Object("kubernetes", kKubernetesShape, "Where containment `kubernetes` gets its pod.", {.in = kOwn}),
    Object("filesystem", kFilesystemShape, "Paths beyond the read-only system directories."),
    Object("fallback", kFallbackShape, "What weaker isolation is acceptable on Windows.",
           {.in = kV06 | kV07 | kV08 | kContracts}),
    Object("network", kNetworkShape, "Network access; absent means none."),
    Object("runtimeConfig", kRuntimeShape, "Values that differ from run to run.",
           {.in = kSince08, .elsewhere = "needs schema version 0.8 or later"}),
    Object("ui", kUiShape, "Windows and clipboard.", {.in = kV05 | kV06 | kV07 | kV08 | kContracts}),
    Object("macos_sandbox", kSeatbeltShape, "Older name of seatbelt.",
           {.in = kV05 | kV06 | kV07 | kV08 | kC09 | kC010,
            .alias_of = "seatbelt",
            .elsewhere = "use `seatbelt`"}),
    Object("seatbelt", kSeatbeltShape, "Options of containment `seatbelt`.",
           {.in = kV07 | kV08 | kContracts}),
    Object("experimental", kExperimentalShape,
           "Options of experimental containments; unknown members are ignored.",
           {.in = kV05 | kV06 | kV07 | kV08,
            .elsewhere = "this schema version has no experimental section; use the top-level sections"}),
    Object("telemetry", kTelemetryShape, "Accepted; nothing is ever sent.",
           {.in = kContracts, .elsewhere = "use experimental.telemetry"}),
    Object("wslc", kWslcShape, "Options of containment `wslc`.",
           {.in = kContracts, .elsewhere = "use experimental.wslc"}),
    Object("isolationSession", kIsolationSessionShape, "Options of containment `isolation_session`.",
           {.in = kContracts, .elsewhere = "use experimental.isolation_session", .use = Use::kLifecycle}),
    Object("hyperlight", kHyperlightShape, "Options of containment `hyperlight`.", {.in = kDevelopment}),
    Object("windowsSandbox", kWindowsSandboxShape, "Options of containment `windows_sandbox`.",
           {.in = kDevelopment, .elsewhere = "use experimental.windows_sandbox"}),
    Object("test", kTestShape, "Ignored.", {.in = kDevelopment}),
    Object("resources", kResourcesShape,
           "What the command and everything it starts may use; what is not named is not limited.",
           {.in = kOwn}),
    Object("session", kSessionShape, "How long a sandbox of a provision request stays.", {.in = kOwn}),
    Object("output", kOutputShape, "Limits on what the command may print.", {.in = kOwn}),
    Object("audit", kAuditShape, "Record of the run, written before the command starts.", {.in = kOwn}),
    Object(
        "helpers", kHelpersShape,
        "The files that programs which mxc-exec starts for a run have to be; another file refuses the run.",
        {.in = kOwn}),
    Enum("review", kReviews,
         "Commands that destroy what cannot be brought back wait for an approval, as far as their text shows "
         "it. No part of the boundary.",
         {.in = kOwn}),
    Enum("minimumTier", kTiers, "Refuse to run with weaker isolation than this.", {.in = kOwn}),
};
constexpr Shape kRoot{.fields = kRootFields};

}  // namespace

constexpr Shape kProtectShape{.fields = kProtectFields};
constexpr Shape kHelpersShape{.fields = kHelpersFields};

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
