#include "queries.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "access/host_preparation.h"
#include "base/quoted.h"
#include "base/terminal.h"
#include "ceiling/ceiling.h"
#include "ceiling/cut_config.h"
#include "config/schema.h"
#include "dispatch.h"
#include "flag_values.h"
#include "hash/pinned_program.h"
#include "help.h"
#include "helpers/pins.h"
#include "import/import.h"
#include "isolation_fallback.h"
#include "lifecycle.h"
#include "policy/cgroups.h"
#include "policy/discover.h"
#include "policy/own_places.h"
#include "policy/paths/paths.h"
#include "profiles/profile.h"
#include "read_request.h"
#include "remote/remote.h"
#include "report/probe_json.h"
#include "report/probe_text.h"
#include "report/report.h"
#include "report/verify_audit.h"

namespace mxc {
namespace {

constexpr int kStandardInput = 0;
constexpr int kStandardOutput = 1;

int Fail(const Error& error, int status) {
  PrintError(error);
  return status;
}
int Fail(const Error& error) { return Fail(error, ExitStatus(error.code)); }

constexpr Resource kResources[] = {Resource::kMemory,    Resource::kCpus, Resource::kProcesses,
                                   Resource::kOpenFiles, Resource::kTmp,  Resource::kFileSize,
                                   Resource::kCpuTime};

// A run with nothing but this limit, planned the way every run is.
ProbedLimit Probe(Resource resource, const Backend& backend, const Support& support, Policy& policy) {
  constexpr std::uint64_t kSomeAmount = 1U << 20U;
  const std::string pointer{Name(resource)};
  policy.resources = {{.resource = resource, .amount = kSomeAmount, .pointer = pointer}};
  ProbedLimit probed{.resource = resource};
  const Result<Plan> plan = backend.plan(policy, support);
  if (!plan) {
    probed.reason = plan.error().message;
    probed.remedy = plan.error().hint;
    return probed;
  }
  for (const Enforcement& entry : plan->ledger) {
    if (entry.pointer == pointer) probed.mechanism = entry.mechanism;
  }
  probed.held = !probed.mechanism.empty();
  return probed;
}

std::vector<ProbedLimit> ProbeLimits(const Backend& backend, const Support& support, const Host& host) {
  std::vector<ProbedLimit> limits;
  const bool here = host.System() == OperatingSystem::kLinux && !TraitsOf(backend.containment).own_system;
  if (!support.usable || !here) return limits;
  Policy policy{.containment = backend.containment, .cgroups = FindCgroups(host), .identity = host.Caller()};
  policy.process.argv = {"/bin/true"};
  policy.process.cwd = "/";
  PathWalker walker(host);
  policy.temp_place = FindTempPlace(host, walker);
  for (const Resource resource : kResources) limits.push_back(Probe(resource, backend, support, policy));
  return limits;
}

// The pins of helpers from the caller's configuration and the operator's ceiling. A configuration with errors
// counts as one without pins: a run reports them. Errors: those of ReadCeiling, with which no helper is
// executed.
Result<Config> PinsHere(Options options, const Host& host) {
  if (!options.HasConfig()) options.command = {"true"};
  const Result<std::optional<Ceiling>> ceiling = ReadCeiling(host, CallersGroups());
  if (!ceiling) return ceiling.error();
  const Request request = ReadRequest(options, host);
  Config held;
  if (request.config) held.helpers = request.config->helpers;
  if (!*ceiling) return held;
  for (const CeilingSection& section : (*ceiling)->sections) AddPins(section, held);
  return held;
}

std::vector<ProbedHelper> ProbeHelpers(const std::vector<HelperPin>& pins, const Host& host) {
  std::vector<ProbedHelper> helpers;
  for (const std::string_view helper : AllHelpers()) {
    const std::optional<std::string> path = host.FindTool(helper);
    const Result<std::string> digest = path ? Sha256OfFile(*path) : Result<std::string>("");
    if (!path || !digest) continue;
    ProbedHelper& probed =
        helpers.emplace_back(ProbedHelper{.name = std::string(helper), .path = *path, .sha256 = *digest});
    for (const HelperPin& pin : pins) {
      if (pin.name == helper && probed.pinned != Pinned::kOther)
        probed.pinned = pin.sha256 == *digest ? Pinned::kThis : Pinned::kOther;
    }
  }
  return helpers;
}

// `pins`: an error refuses every run, so nothing is tried.
std::vector<ProbedBackend> ProbeAll(const Host& here, const Result<Config>& pins) {
  const PinnedHost host(here, pins ? *pins : Config{});
  std::vector<ProbedBackend> probed;
  for (const ContainmentTraits& traits : AllContainments()) {
    const Containment containment = traits.containment;
    if (!traits.isolates) continue;  // needs nothing, and isolates nothing
    const Backend& backend = Dispatch(containment);
    Support support = pins ? backend.probe(host, ProbeDepth::kLive)
                           : Support{.reason = pins.error().message, .remedy = pins.error().hint};
    if (const Status refused = host.Refusal(); !refused)
      support = {.reason = refused.error().message, .remedy = refused.error().hint};
    // What the base container needs is Windows's own affair.
    if (containment == ProcessContainmentOf(OperatingSystem::kWindows) && support.usable &&
        !support.windows.security_environment) {
      for (std::string& text : MissingPreparations()) support.warnings.push_back(std::move(text));
    }
    std::vector<ProbedLimit> limits = ProbeLimits(backend, support, host);
    probed.push_back({containment, std::move(support), std::move(limits)});
  }
  return probed;
}

int PrintSchema(const std::string& version) {
  const std::vector<std::string> known = SchemaVersions();
  const Result<std::string> schema = SchemaText(version.empty() ? known.back() : version);
  if (!schema) return Fail(schema.error(), 2);
  fmt::print("{}", *schema);
  return 0;
}

int PrintDiscovery(const std::string& what, const Host& host) {
  const Result<Discovery> discovery = Discover(what, host);
  if (!discovery) return Fail(discovery.error(), 2);
  fmt::print("{}", FragmentJson(discovery->read_only, discovery->read_write));
  return 0;
}

// What is left out is said on standard error, so that the configuration can go to a file.
int PrintImport(const std::string& path, const Host& host) {
  const Result<Source> source =
      path == "-" ? ReadDescriptorSource(kStandardInput, "<stdin>") : ReadFileSource(path);
  if (!source) return Fail(source.error(), 1);
  const Result<Import> import = ImportSettings(*source, host.WorkingDirectory(), host);
  if (!import) return Fail(import.error(), 1);
  for (const std::string& warning : import->warnings) PrintWarning(warning);
  fmt::print("{}", import->text);
  return 0;
}

// `words`: "list", or "show" and a name.
int PrintProfiles(const std::vector<std::string>& words, const Host& host) {
  if (words.front() == "list") {
    fmt::print("{}", ProfileTable(host));
    return 0;
  }
  const Result<Profile> profile = ReadProfile(words.at(1), host);
  if (!profile) return Fail(profile.error());
  fmt::print("{}", profile->text);
  return 0;
}

// What LXC takes for a name and not for an option or a path.
bool IsContainerName(const std::string& name) {
  constexpr std::string_view kFirst = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  return kFirst.find(name.front()) != std::string_view::npos &&
         name.find_first_not_of(std::string(kFirst) + "_.-:") == std::string::npos;
}

// A container of ours leaves nothing behind, so it is one that runs, or another program's.
int DeleteContainer(const Options& options, const Host& host) {
  const std::string& name = options.container_name;
  if (name.empty()) {
    return Fail({.code = ErrorCode::kUsage, .message = "--delete needs --containername NAME"}, 1);
  }
  const Result<Config> pins = PinsHere(options, host);
  if (!pins) return Fail(pins.error());
  const PinnedHost pinned(host, *pins);
  const bool valid = IsContainerName(name);
  const Result<bool> ended = valid ? EndContainer(name, pinned) : Result<bool>(false);
  if (const Status refused = pinned.Refusal(); !refused) return Fail(refused.error());
  if (!ended) return Fail(ended.error(), 1);
  if (*ended) {
    fmt::print("Container {} deleted.\n", Quoted(name));
    return 0;
  }
  if (!valid || !host.LookAt("/var/lib/lxc/" + name).status) {
    fmt::print("Container {} does not exist.\n", Quoted(name));
    return 1;
  }
  return Fail({.code = ErrorCode::kUnsupported,
               .message = fmt::format("the container '{}' was not made by mxc-exec", name),
               .hint = fmt::format("lxc-destroy -f -n '{}'", name)},
              1);
}

Preparation PreparationNamed(const std::string& flag) {
  if (flag == "unprepare-system-drive") return Preparation::kUndoDrive;
  if (flag == "prepare-null-device") return Preparation::kNullDevice;
  if (flag == "verify-null-device") return Preparation::kVerifyNullDevice;
  return flag == "dump-null-device" ? Preparation::kShowNullDevice : Preparation::kDrive;
}

int Prepare(const Options& options) {
  constexpr int kNotAdministrator = 65;  // as MXC's own program for it
  const Result<PreparationReply> reply =
      PrepareHost({.what = PreparationNamed(options.asked), .drive = options.drive});
  if (!reply) {
    const ErrorCode code = reply.error().code;
    return Fail(reply.error(), code == ErrorCode::kUnavailable ? kNotAdministrator
                               : code == ErrorCode::kUsage     ? 2
                                                               : 1);
  }
  fmt::print("{}", reply->text);
  return reply->status;
}

struct RefusedFlag {
  std::string_view name;
  const char* message;
  const char* hint;
};

constexpr RefusedFlag kRefusedFlags[] = {
    {"audit", "--audit records accesses in a trace of Windows that this program cannot read",
     "`audit` in a configuration records runs, and --report lists what was refused on Linux"},
    {"audit-verbose", "--audit-verbose belongs to --audit, which this program has not", "leave it out"},
    {"setup-wslc", "--setup-wslc fetches images, and this program fetches none",
     "put the root file system of the image into the distribution, below /var/lib/mxc-exec/images/NAME/TAG"},
};

// For flags that only Microsoft's program has.
int AnswerForReference(const std::string& flag) {
  for (const RefusedFlag& refused : kRefusedFlags) {
    if (refused.name != flag) continue;
    return Fail({.code = ErrorCode::kUnsupported, .message = refused.message, .hint = refused.hint}, 1);
  }
  fmt::print("mxc-exec collects and sends no telemetry: there is nothing to consent to.\n");
  return 0;
}

int PrintVerifiedAudit(const Options& options) {
  const Result<std::string> answer = VerifyAudit(options.audit_files, options.audit_anchors);
  if (!answer) return Fail(answer.error());
  fmt::print("{}", *answer);
  return 0;
}

bool AnswersPeople(const Options& options) {
  return options.form.empty() ? IsTerminal(kStandardOutput) : options.form == "text";
}

ProbeAnswer Probed(const Options& options, const Host& host, const Result<Plan>* asked) {
  const Result<Config> pins = PinsHere(options, host);
  return {.system = host.System(),
          .caller = host.Caller(),
          .backends = ProbeAll(host, pins),
          .helpers = ProbeHelpers(pins ? pins->helpers : std::vector<HelperPin>{}, host),
          .process = ProcessContainmentOf(host.System()),
          .asked = asked};
}

// The containment of a run that names none, for people: with the fallback to Landlock where the kernel
// refuses the first choice.
Containment UsualHere(const ProbeAnswer& answer, const Host& host) {
  if (answer.system != OperatingSystem::kLinux) return answer.process;
  const auto usable = [&](Containment containment) {
    return std::any_of(answer.backends.begin(), answer.backends.end(), [&](const ProbedBackend& probed) {
      return probed.containment == containment && probed.support.usable;
    });
  };
  const Containment first = LinuxProcess(host).containment;
  return usable(first) || !usable(Containment::kLandlock) ? first : Containment::kLandlock;
}

int PrintProbeAnswer(const Options& options, const Host& host, const Result<Plan>* asked) {
  const bool usable_only = options.mode == Mode::kAvailableBackends;
  ProbeAnswer answer = Probed(options, host, asked);
  if (!AnswersPeople(options)) {
    fmt::print("{}", usable_only ? AvailableBackendsJson(answer.backends) : ProbeJson(answer));
    return 0;
  }
  answer.process = UsualHere(answer, host);
  if (usable_only)
    std::erase_if(answer.backends, [](const ProbedBackend& probed) { return !probed.support.usable; });
  fmt::print("{}", ProbeText(answer, TakesColours(kStandardOutput)));
  return 0;
}

// A configuration beside the question must be one, and is planned for the answer; nothing of it is run.
int PrintProbe(const Options& options, const Host& host) {
  if (!options.HasConfig()) return PrintProbeAnswer(options, host, nullptr);
  const Request request = ReadRequest(options, host);
  if (!request.config) return Fail(request.config.error(), 1);
  Result<Prepared> prepared = Prepare(*request.config, options, host);
  const Result<Plan> asked = prepared ? Result<Plan>(std::move(prepared->plan)) : prepared.error();
  return PrintProbeAnswer(options, host, &asked);
}

std::string RemoteNames() {
  std::string names;
  for (const ContainmentTraits& traits : AllContainments()) {
    if (traits.remote) names += (names.empty() ? "`" : " or `") + std::string(traits.name) + "`";
  }
  return names;
}

// Of the place that the configuration names.
int PrintReapedThere(const Options& options, const Host& host) {
  const Request request = ReadRequest(options, host);
  if (!request.config) return Fail(request.config.error(), 1);
  const Result<Prepared> prepared = Prepare(*request.config, options, host);
  if (!prepared) return Fail(prepared.error());
  const Remote* const remote = RemoteOf(prepared->plan.containment);
  if (remote == nullptr)
    return Fail({.code = ErrorCode::kUsage,
                 .message = "--reap takes a configuration of the containment " + RemoteNames() + " only",
                 .hint = "leave it out to clear away sandboxes of this machine"},
                2);
  const Result<std::vector<std::string>> reaped = remote->reap(prepared->plan);
  if (!reaped) return Fail(reaped.error());
  std::string names;
  for (const std::string& name : *reaped) names += (names.empty() ? "" : ",") + JsonString(name);
  fmt::print("{{\"reaped\":[{}]}}\n", names);
  return 0;
}

// `options`: of a call for help.
std::string HelpOf(const Options& options, OperatingSystem system) {
  if (!options.asked.empty()) return VerbHelp(options.asked);
  const bool of_all = options.verb == Verb::kNone || options.help == "all";
  return of_all ? HelpText(options.help, system) : VerbHelp(options.verb);
}

}  // namespace

int RunQuery(const Options& options, const Host& host) {
  switch (options.mode) {
    case Mode::kHelp:
      fmt::print("{}", HelpOf(options, host.System()));
      return 0;
    case Mode::kVersion:
      fmt::print("mxc-exec {}\n", MXC_VERSION);
      return 0;
    case Mode::kProbe:
      return PrintProbe(options, host);
    case Mode::kAvailableBackends:
      return PrintProbeAnswer(options, host, nullptr);
    case Mode::kVerifyAudit:
      return PrintVerifiedAudit(options);
    case Mode::kPrintSchema:
      return PrintSchema(options.schema_version);
    case Mode::kProfiles:
      return PrintProfiles(options.profiles, host);
    case Mode::kImport:
      return PrintImport(options.import_file, host);
    case Mode::kDiscover:
      return PrintDiscovery(options.discover, host);
    case Mode::kList:
      return PrintSandboxes(AnswersPeople(options));
    case Mode::kReap:
      return options.HasConfig() ? PrintReapedThere(options, host) : PrintReaped();
    case Mode::kRecover:
      return 0;  // done at every start
    case Mode::kPrepare:
      return Prepare(options);
    case Mode::kDelete:
      return DeleteContainer(options, host);
    case Mode::kSetupHyperlight:
      return Fail({.code = ErrorCode::kUnsupported,
                   .message = "the 'hyperlight' backend is not part of this build",
                   .hint = "--probe lists what this host can use"},
                  1);
    case Mode::kOfReference:
      return AnswerForReference(options.asked);
    case Mode::kRun:
    case Mode::kDryRun:
    case Mode::kExplain:
      break;
  }
  return 2;
}

}  // namespace mxc
