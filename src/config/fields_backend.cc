// Sections of single backends.
#include "config/field_rows.h"

namespace mxc {
namespace {

constexpr EnumValue kDenialModes[] = {{"block"}, {"allow"}};
constexpr EnumValue kIsolations[] = {{"desktop"}, {"handles"}, {"atoms"}, {"container"}};
constexpr EnumValue kSystemSettings[] = {{"none"}, {"parameters"}, {"display"}, {"all"}};
constexpr EnumValue kLaunchMethods[] = {{"exec"}, {"open"}};
constexpr EnumValue kPortProtocols[] = {{"tcp"}};

constexpr Field kCaptureFields[] = {
    Enum("mode", kDenialModes, "Whether denied accesses stay denied.", {.standard = "\"block\""}),
    String("outputPath", "Absolute path of the report."),
    Bool("retainEtl", "Keep the raw trace.", {.standard = "false"}),
};
constexpr Shape kCaptureShape{.fields = kCaptureFields};

constexpr Field kContainerUiFields[] = {
    Enum("isolation", kIsolations, "How far windows and handles are separated.",
         {.standard = "\"container\""}),
    Bool("desktopSystemControl", "Desktop switching and shutdown.", {.standard = "false"}),
    String("systemSettings", "System settings the command may change.",
           {.in = kEvery & ~kC11, .standard = "\"none\""}),
    Enum("systemSettings", kSystemSettings, "System settings the command may change.",
         {.in = kC11, .standard = "\"none\""}),
    Bool("ime", "Input method changes.", {.standard = "false"}),
};
constexpr Shape kContainerUiShape{.fields = kContainerUiFields};

constexpr Field kContainerNetworkFields[] = {
    String("allowedProxyPeer", "Container the loopback proxy runs in."),
};
constexpr Shape kContainerNetworkShape{.fields = kContainerNetworkFields};

constexpr Field kContainerFilesystemFields[] = {
    Strings("enumeratePaths", "Absolute paths that may be listed but not read."),
};
constexpr Shape kContainerFilesystemShape{.fields = kContainerFilesystemFields};

constexpr Field kProcessContainerFields[] = {
    Bool("leastPrivilege", "Low-privilege container.", {.standard = "false"}),
    Bool("learningMode", "Record what is denied.", {.standard = "false"}),
    Strings("capabilities", "Capabilities by name."),
    Object("captureDenials", kCaptureShape, "Report of denied accesses."),
    Object("ui", kContainerUiShape, "Windows and handles."),
    Object("network", kContainerNetworkShape, "Proxy peer.",
           {.in = kSince08, .elsewhere = "needs schema version 0.8 or later"}),
    Object("filesystem", kContainerFilesystemShape, "Listing.", {.in = kContracts}),
    String("name", "Sent by SDK 0.6 and ignored.", {.in = kLegacyReleases, .use = Use::kTolerated}),
};

constexpr Field kLxcFields[] = {
    String("distribution", "Distribution of the image, such as `alpine`.", {.required = kContracts}),
    String("release", "Release of the distribution, such as `3.23`.", {.required = kContracts}),
    String("containerName", "Sent by SDK 0.6; taken for containerId when that is absent.",
           {.in = kLegacyReleases, .elsewhere = "use `containerId`", .use = Use::kTolerated}),
    Bool("destroyOnExit", "Sent by SDK 0.6 beside lifecycle.destroyOnExit.",
         {.in = kLegacyReleases, .elsewhere = "use `lifecycle.destroyOnExit`", .use = Use::kTolerated}),
};

// The values of each are the cluster's words; no value is one of ours.
constexpr Shape kLabelsShape{.open = true};

constexpr Field kKubernetesFields[] = {
    String("namespace", "Namespace of the claim and its pod.", {.required = kEvery, .non_empty = true}),
    String("warmPool", "SandboxWarmPool that the claim is bound from. Either this or `template`.",
           {.non_empty = true}),
    String("template", "SandboxTemplate for a pod of its own, without a warm pool: a plain Sandbox.",
           {.non_empty = true}),
    String("context",
           "Context of the kubeconfig; absent: its current one, in a cluster the pod's service account.",
           {.non_empty = true}),
    String("kubeconfig", "Absolute path of the kubeconfig; absent: the one kubectl finds.",
           {.non_empty = true}),
    String("container", "Container of the pod that the command runs in; absent: the first.",
           {.non_empty = true}),
    String("workspace",
           "Absolute path in the pod of a volume that is mounted to be written. The command starts there.",
           {.non_empty = true}),
    String("program", "Absolute path in the pod of mxc-exec; where this version is not there, it is sent in.",
           {.non_empty = true, .standard = "\"/usr/local/bin/mxc-exec\""}),
    Integer("ttl", "Seconds that the claim lives at most.",
            {.minimum = 5, .maximum = 86400, .standard = "3600"}),
    Object("podSelector", kLabelsShape, "Labels that the bound pod has to have: names and values."),
    Strings("acceptedRisks", "Checks of the pod, by name, that may fail. Each is listed as a relaxation."),
};

constexpr Field kSeatbeltFields[] = {
    String("profileOverride", "Profile text used as it is."),
    Bool("guiAccess", "Window server.", {.standard = "false"}),
    Enum("launchMethod", kLaunchMethods, "How the command is started.",
         {.in = kWireModel,
          .standard = "\"exec\"",
          .elsewhere = "leave it out: the command is always executed"}),
    Bool("nestedPty", "Terminals inside.", {.standard = "true"}),
    Bool("keychainAccess", "Keychain.", {.standard = "false"}),
    Strings("extraMachLookups", "Mach services by name."),
    String("mode", "Sent by SDK 0.6 and ignored.", {.in = kLegacyReleases, .use = Use::kTolerated}),
};

constexpr Field kPortMappingFields[] = {
    Integer("windowsPort", "Port on Windows.", {.minimum = 1, .maximum = 65535, .required = kEvery}),
    Integer("containerPort", "Port in the container.", {.minimum = 1, .maximum = 65535, .required = kEvery}),
    Enum("protocol", kPortProtocols, "Only tcp.", {.standard = "\"tcp\""}),
};
constexpr Shape kPortMappingShape{.fields = kPortMappingFields};

// Of the lifecycle's requests, and so in no schema.
constexpr Field kWslcProvisionFields[] = {
    String("image", "Image reference.", {.use = Use::kLifecycle}),
    String("imageTarPath", "Image file.", {.use = Use::kLifecycle}),
    Objects("portMappings", kPortMappingShape, "Ports of the container on Windows.",
            {.in = kDevelopment | kOwn, .use = Use::kLifecycle}),
};
constexpr Shape kWslcProvisionShape{.fields = kWslcProvisionFields};

constexpr Field kWslcFields[] = {
    String("targetOs", "System inside.", {.standard = "\"linux\""}),
    String("image", "Image reference.", {.standard = "\"alpine:latest\""}),
    String("imageTarPath", "Image file."),
    Integer("cpuCount", "Processors."),
    Integer("memoryMb", "Memory in MiB.", {.maximum = UINT64_MAX}),
    Bool("gpu", "Graphics processor.", {.standard = "false"}),
    String("storagePath", "Where images are kept."),
    Objects("portMappings", kPortMappingShape, "Ports of the container on Windows."),
    Object("provision", kWslcProvisionShape, "Lifecycle request.", {.use = Use::kLifecycle}),
    String("distribution",
           "Distribution of WSL, by name, in which the command runs; the default one when absent.",
           {.in = kOwn}),
    String("program", "Absolute path of mxc-exec in it.",
           {.in = kOwn, .standard = "\"/usr/local/bin/mxc-exec\""}),
};

constexpr Field kWindowsSandboxFields[] = {
    String("daemonPipeName", "Pipe of the helper."),
    Integer("idleTimeoutMs", "Milliseconds until an idle sandbox is stopped.", {.standard = "300000"}),
    Integer("idleTimeout", "Older name of idleTimeoutMs.", {.alias_of = "idleTimeoutMs"}),
};

// SDK 0.6 gives an account of Entra when a session is made, and again when it starts.
constexpr Field kEntraFields[] = {
    String("upn", "User principal name."),
    String("wamToken", "Token of the account: a secret."),
};
constexpr Shape kEntraShape{.fields = kEntraFields};

constexpr Field kIsolationProvisionFields[] = {
    String("appId", "Application that calls.", {.use = Use::kLifecycle}),
    Object(
        "user", kEntraShape, "Account of Entra; a local one when absent.",
        {.in = kWireModel, .elsewhere = "closed contracts know local accounts only", .use = Use::kLifecycle}),
};
constexpr Shape kIsolationProvisionShape{.fields = kIsolationProvisionFields};

constexpr Field kIsolationStartFields[] = {
    String("configurationId", "Size of the session.", {.use = Use::kLifecycle}),
    Object("user", kEntraShape, "The account that provision named.", {.use = Use::kLifecycle}),
};
constexpr Shape kIsolationStartShape{.fields = kIsolationStartFields};

constexpr Field kIsolationSessionFields[] = {
    Object("provision", kIsolationProvisionShape, "Lifecycle request.", {.use = Use::kLifecycle}),
    Object("start", kIsolationStartShape, "Lifecycle request.", {.in = kWireModel, .use = Use::kLifecycle}),
};
constexpr Shape kOpenIsolationSessionShape{.fields = kIsolationSessionFields, .open = true};

constexpr Field kHyperlightFields[] = {
    String("runtime", "Runtime image by name."),
};
constexpr Field kTestFields[] = {
    String("message", "Ignored."),
};
constexpr Field kTelemetryFields[] = {
    Bool("enabled", "Ignored; nothing is ever sent."),
};

// An object whose members are not checked.
constexpr Shape kOpenShape{.open = true};

constexpr Field kExperimentalFields[] = {
    Object("test", kTestShape, "Ignored."),
    Object("telemetry", kTelemetryShape, "Accepted; nothing is ever sent."),
    Object("windows_sandbox", kWindowsSandboxShape, "Options of containment `windows_sandbox`."),
    Object("wslc", kWslcShape, "Options of containment `wslc`."),
    Object("isolation_session", kOpenIsolationSessionShape, "Options of containment `isolation_session`."),
    Object("seatbelt", kOpenShape, "Older place of `seatbelt`.", {.use = Use::kTolerated}),
    Object("macos_sandbox", kOpenShape, "Older place of `seatbelt`.", {.use = Use::kTolerated}),
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
