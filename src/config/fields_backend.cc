// Sections of single backends.
#include "config/fields.h"

namespace mxc {
namespace {

constexpr EnumValue kDenialModes[] = {{"block"}, {"allow"}};
constexpr EnumValue kIsolations[] = {{"desktop"}, {"handles"}, {"atoms"}, {"container"}};
constexpr EnumValue kSystemSettings[] = {{"none"}, {"parameters"}, {"display"}, {"all"}};
constexpr EnumValue kLaunchMethods[] = {{"exec"}, {"open"}};
constexpr EnumValue kPortProtocols[] = {{"tcp"}};

constexpr Field kCaptureFields[] = {
    {.name = "mode",
     .type = FieldType::kEnum,
     .text = "Whether denied accesses stay denied.",
     .values = kDenialModes,
     .standard = "\"block\""},
    {.name = "outputPath", .type = FieldType::kString, .text = "Absolute path of the report."},
    {.name = "retainEtl", .type = FieldType::kBool, .text = "Keep the raw trace.", .standard = "false"},
};
constexpr Shape kCaptureShape{.fields = kCaptureFields};

constexpr Field kContainerUiFields[] = {
    {.name = "isolation",
     .type = FieldType::kEnum,
     .text = "How far windows and handles are separated.",
     .values = kIsolations,
     .standard = "\"container\""},
    {.name = "desktopSystemControl",
     .type = FieldType::kBool,
     .text = "Desktop switching and shutdown.",
     .standard = "false"},
    {.name = "systemSettings",
     .type = FieldType::kString,
     .in = kEvery & ~kC11,
     .text = "System settings the command may change.",
     .standard = "\"none\""},
    {.name = "systemSettings",
     .type = FieldType::kEnum,
     .in = kC11,
     .text = "System settings the command may change.",
     .values = kSystemSettings,
     .standard = "\"none\""},
    {.name = "ime", .type = FieldType::kBool, .text = "Input method changes.", .standard = "false"},
};
constexpr Shape kContainerUiShape{.fields = kContainerUiFields};

constexpr Field kContainerNetworkFields[] = {
    {.name = "allowedProxyPeer", .type = FieldType::kString, .text = "Container the loopback proxy runs in."},
};
constexpr Shape kContainerNetworkShape{.fields = kContainerNetworkFields};

constexpr Field kContainerFilesystemFields[] = {
    {.name = "enumeratePaths",
     .type = FieldType::kStringList,
     .text = "Absolute paths that may be listed but not read."},
};
constexpr Shape kContainerFilesystemShape{.fields = kContainerFilesystemFields};

constexpr Field kProcessContainerFields[] = {
    {.name = "leastPrivilege",
     .type = FieldType::kBool,
     .text = "Low-privilege container.",
     .standard = "false"},
    {.name = "learningMode", .type = FieldType::kBool, .text = "Record what is denied.", .standard = "false"},
    {.name = "capabilities", .type = FieldType::kStringList, .text = "Capabilities by name."},
    {.name = "captureDenials",
     .type = FieldType::kObject,
     .text = "Report of denied accesses.",
     .shape = &kCaptureShape},
    {.name = "ui", .type = FieldType::kObject, .text = "Windows and handles.", .shape = &kContainerUiShape},
    {.name = "network",
     .type = FieldType::kObject,
     .in = kSince08,
     .text = "Proxy peer.",
     .shape = &kContainerNetworkShape,
     .elsewhere = "needs schema version 0.8 or later"},
    {.name = "filesystem",
     .type = FieldType::kObject,
     .in = kContracts,
     .text = "Listing.",
     .shape = &kContainerFilesystemShape},
    {.name = "name",
     .type = FieldType::kString,
     .in = kLegacyReleases,
     .text = "Sent by SDK 0.6 and ignored.",
     .use = Use::kTolerated},
};

constexpr Field kLxcFields[] = {
    {.name = "distribution",
     .type = FieldType::kString,
     .text = "Distribution of the image, such as `alpine`.",
     .required = kContracts},
    {.name = "release",
     .type = FieldType::kString,
     .text = "Release of the distribution, such as `3.23`.",
     .required = kContracts},
    {.name = "containerName",
     .type = FieldType::kString,
     .in = kLegacyReleases,
     .text = "Sent by SDK 0.6; taken for containerId when that is absent.",
     .elsewhere = "use `containerId`",
     .use = Use::kTolerated},
    {.name = "destroyOnExit",
     .type = FieldType::kBool,
     .in = kLegacyReleases,
     .text = "Sent by SDK 0.6 beside lifecycle.destroyOnExit.",
     .elsewhere = "use `lifecycle.destroyOnExit`",
     .use = Use::kTolerated},
};

// The values of each are the cluster's words; no value is one of ours.
constexpr Shape kLabelsShape{.open = true};

constexpr Field kKubernetesFields[] = {
    {.name = "namespace",
     .type = FieldType::kString,
     .in = kOwn,
     .text = "Namespace of the claim and its pod.",
     .required = kOwn,
     .non_empty = true},
    {.name = "warmPool",
     .type = FieldType::kString,
     .in = kOwn,
     .text = "SandboxWarmPool that the claim is bound from. Either this or `template`.",
     .non_empty = true},
    {.name = "template",
     .type = FieldType::kString,
     .in = kOwn,
     .text = "SandboxTemplate for a pod of its own, without a warm pool: a plain Sandbox.",
     .non_empty = true},
    {.name = "context",
     .type = FieldType::kString,
     .in = kOwn,
     .text = "Context of the kubeconfig; absent: its current one, in a cluster the pod's service account.",
     .non_empty = true},
    {.name = "kubeconfig",
     .type = FieldType::kString,
     .in = kOwn,
     .text = "Absolute path of the kubeconfig; absent: the one kubectl finds.",
     .non_empty = true},
    {.name = "container",
     .type = FieldType::kString,
     .in = kOwn,
     .text = "Container of the pod that the command runs in; absent: the first.",
     .non_empty = true},
    {.name = "workspace",
     .type = FieldType::kString,
     .in = kOwn,
     .text = "Absolute path in the pod of a volume that is mounted to be written. The command starts there.",
     .non_empty = true},
    {.name = "program",
     .type = FieldType::kString,
     .in = kOwn,
     .text = "Absolute path in the pod of mxc-exec; where this version is not there, it is sent in.",
     .non_empty = true,
     .standard = "\"/usr/local/bin/mxc-exec\""},
    {.name = "ttl",
     .type = FieldType::kInteger,
     .in = kOwn,
     .text = "Seconds that the claim lives at most.",
     .minimum = 5,
     .maximum = 86400,
     .standard = "3600"},
    {.name = "podSelector",
     .type = FieldType::kObject,
     .in = kOwn,
     .text = "Labels that the bound pod has to have: names and values.",
     .shape = &kLabelsShape},
    {.name = "acceptedRisks",
     .type = FieldType::kStringList,
     .in = kOwn,
     .text = "Checks of the pod, by name, that may fail. Each is listed as a relaxation."},
};

constexpr Field kSeatbeltFields[] = {
    {.name = "profileOverride", .type = FieldType::kString, .text = "Profile text used as it is."},
    {.name = "guiAccess", .type = FieldType::kBool, .text = "Window server.", .standard = "false"},
    {.name = "launchMethod",
     .type = FieldType::kEnum,
     .in = kWireModel,
     .text = "How the command is started.",
     .values = kLaunchMethods,
     .standard = "\"exec\"",
     .elsewhere = "leave it out: the command is always executed"},
    {.name = "nestedPty", .type = FieldType::kBool, .text = "Terminals inside.", .standard = "true"},
    {.name = "keychainAccess", .type = FieldType::kBool, .text = "Keychain.", .standard = "false"},
    {.name = "extraMachLookups", .type = FieldType::kStringList, .text = "Mach services by name."},
    {.name = "mode",
     .type = FieldType::kString,
     .in = kLegacyReleases,
     .text = "Sent by SDK 0.6 and ignored.",
     .use = Use::kTolerated},
};

constexpr Field kPortMappingFields[] = {
    {.name = "windowsPort",
     .type = FieldType::kInteger,
     .text = "Port on Windows.",
     .minimum = 1,
     .maximum = 65535,
     .required = kEvery},
    {.name = "containerPort",
     .type = FieldType::kInteger,
     .text = "Port in the container.",
     .minimum = 1,
     .maximum = 65535,
     .required = kEvery},
    {.name = "protocol",
     .type = FieldType::kEnum,
     .text = "Only tcp.",
     .values = kPortProtocols,
     .standard = "\"tcp\""},
};
constexpr Shape kPortMappingShape{.fields = kPortMappingFields};

// Of the lifecycle's requests, and so in no schema.
constexpr Field kWslcProvisionFields[] = {
    {.name = "image", .type = FieldType::kString, .text = "Image reference.", .use = Use::kLifecycle},
    {.name = "imageTarPath", .type = FieldType::kString, .text = "Image file.", .use = Use::kLifecycle},
    {.name = "portMappings",
     .type = FieldType::kObjectList,
     .in = kDevelopment | kOwn,
     .text = "Ports of the container on Windows.",
     .shape = &kPortMappingShape,
     .use = Use::kLifecycle},
};
constexpr Shape kWslcProvisionShape{.fields = kWslcProvisionFields};

constexpr Field kWslcFields[] = {
    {.name = "targetOs", .type = FieldType::kString, .text = "System inside.", .standard = "\"linux\""},
    {.name = "image",
     .type = FieldType::kString,
     .text = "Image reference.",
     .standard = "\"alpine:latest\""},
    {.name = "imageTarPath", .type = FieldType::kString, .text = "Image file."},
    {.name = "cpuCount", .type = FieldType::kInteger, .text = "Processors."},
    {.name = "memoryMb", .type = FieldType::kInteger, .text = "Memory in MiB.", .maximum = UINT64_MAX},
    {.name = "gpu", .type = FieldType::kBool, .text = "Graphics processor.", .standard = "false"},
    {.name = "storagePath", .type = FieldType::kString, .text = "Where images are kept."},
    {.name = "portMappings",
     .type = FieldType::kObjectList,
     .text = "Ports of the container on Windows.",
     .shape = &kPortMappingShape},
    {.name = "provision",
     .type = FieldType::kObject,
     .text = "Lifecycle request.",
     .shape = &kWslcProvisionShape,
     .use = Use::kLifecycle},
    {.name = "distribution",
     .type = FieldType::kString,
     .in = kOwn,
     .text = "Distribution of WSL, by name, in which the command runs; the default one when absent."},
    {.name = "program",
     .type = FieldType::kString,
     .in = kOwn,
     .text = "Absolute path of mxc-exec in it.",
     .standard = "\"/usr/local/bin/mxc-exec\""},
};

constexpr Field kWindowsSandboxFields[] = {
    {.name = "daemonPipeName", .type = FieldType::kString, .text = "Pipe of the helper."},
    {.name = "idleTimeoutMs",
     .type = FieldType::kInteger,
     .text = "Milliseconds until an idle sandbox is stopped.",
     .standard = "300000"},
    {.name = "idleTimeout",
     .type = FieldType::kInteger,
     .text = "Older name of idleTimeoutMs.",
     .alias_of = "idleTimeoutMs"},
};

// SDK 0.6 gives an account of Entra when a session is made, and again when it starts.
constexpr Field kEntraFields[] = {
    {.name = "upn", .type = FieldType::kString, .text = "User principal name."},
    {.name = "wamToken", .type = FieldType::kString, .text = "Token of the account: a secret."},
};
constexpr Shape kEntraShape{.fields = kEntraFields};

constexpr Field kIsolationProvisionFields[] = {
    {.name = "appId", .type = FieldType::kString, .text = "Application that calls.", .use = Use::kLifecycle},
    {.name = "user",
     .type = FieldType::kObject,
     .in = kWireModel,
     .text = "Account of Entra; a local one when absent.",
     .shape = &kEntraShape,
     .elsewhere = "closed contracts know local accounts only",
     .use = Use::kLifecycle},
};
constexpr Shape kIsolationProvisionShape{.fields = kIsolationProvisionFields};

constexpr Field kIsolationStartFields[] = {
    {.name = "configurationId",
     .type = FieldType::kString,
     .text = "Size of the session.",
     .use = Use::kLifecycle},
    {.name = "user",
     .type = FieldType::kObject,
     .text = "The account that provision named.",
     .shape = &kEntraShape,
     .use = Use::kLifecycle},
};
constexpr Shape kIsolationStartShape{.fields = kIsolationStartFields};

constexpr Field kIsolationSessionFields[] = {
    {.name = "provision",
     .type = FieldType::kObject,
     .text = "Lifecycle request.",
     .shape = &kIsolationProvisionShape,
     .use = Use::kLifecycle},
    {.name = "start",
     .type = FieldType::kObject,
     .in = kWireModel,
     .text = "Lifecycle request.",
     .shape = &kIsolationStartShape,
     .use = Use::kLifecycle},
};
constexpr Shape kOpenIsolationSessionShape{.fields = kIsolationSessionFields, .open = true};

constexpr Field kHyperlightFields[] = {
    {.name = "runtime", .type = FieldType::kString, .text = "Runtime image by name."},
};
constexpr Field kTestFields[] = {
    {.name = "message", .type = FieldType::kString, .text = "Ignored."},
};
constexpr Field kTelemetryFields[] = {
    {.name = "enabled", .type = FieldType::kBool, .text = "Ignored; nothing is ever sent."},
};

// An object whose members are not checked.
constexpr Shape kOpenShape{.open = true};

constexpr Field kExperimentalFields[] = {
    {.name = "test", .type = FieldType::kObject, .text = "Ignored.", .shape = &kTestShape},
    {.name = "telemetry",
     .type = FieldType::kObject,
     .text = "Accepted; nothing is ever sent.",
     .shape = &kTelemetryShape},
    {.name = "windows_sandbox",
     .type = FieldType::kObject,
     .text = "Options of containment `windows_sandbox`.",
     .shape = &kWindowsSandboxShape},
    {.name = "wslc",
     .type = FieldType::kObject,
     .text = "Options of containment `wslc`.",
     .shape = &kWslcShape},
    {.name = "isolation_session",
     .type = FieldType::kObject,
     .text = "Options of containment `isolation_session`.",
     .shape = &kOpenIsolationSessionShape},
    {.name = "seatbelt",
     .type = FieldType::kObject,
     .text = "Older place of `seatbelt`.",
     .shape = &kOpenShape,
     .use = Use::kTolerated},
    {.name = "macos_sandbox",
     .type = FieldType::kObject,
     .text = "Older place of `seatbelt`.",
     .shape = &kOpenShape,
     .use = Use::kTolerated},
};

}  // namespace

constexpr Shape kProcessContainerShape{.fields = kProcessContainerFields};
constexpr Shape kLxcShape{.fields = kLxcFields};
constexpr Shape kKubernetesShape{.fields = kKubernetesFields};
constexpr Shape kSeatbeltShape{.fields = kSeatbeltFields};
constexpr Shape kWslcShape{.fields = kWslcFields};
constexpr Shape kWindowsSandboxShape{.fields = kWindowsSandboxFields};
constexpr Shape kIsolationSessionShape{.fields = kIsolationSessionFields};
constexpr Shape kHyperlightShape{.fields = kHyperlightFields};
constexpr Shape kTestShape{.fields = kTestFields};
constexpr Shape kTelemetryShape{.fields = kTelemetryFields};
constexpr Shape kExperimentalShape{.fields = kExperimentalFields, .open = true};

}  // namespace mxc
