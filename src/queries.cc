#include "queries.h"

#include <fmt/core.h>

#include <cstdio>
#include <string_view>
#include <utility>
#include <vector>

#include "access/host_preparation.h"
#include "base/quoted.h"
#include "base/terminal.h"
#include "config/schema.h"
#include "dispatch.h"
#include "flag_values.h"
#include "help.h"
#include "import/import.h"
#include "isolation_fallback.h"
#include "lifecycle.h"
#include "policy/cgroups.h"
#include "policy/discover.h"
#include "profiles/profile.h"
#include "read_request.h"
#include "report/probe_text.h"
#include "report/report.h"
#include "report/verify_audit.h"

namespace mxc {
namespace {

constexpr int kStandardInput = 0;
constexpr int kStandardOutput = 1;

int Fail(const Error& error, int status) {
  TellError(error);
  return status;
}

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
  if (!support.usable || host.System() != OperatingSystem::kLinux) return limits;
  Policy policy{.containment = backend.containment, .cgroups = FindCgroups(host), .identity = host.Caller()};
  policy.process.argv = {"/bin/true"};
  policy.process.cwd = "/";
  for (const Resource resource : kResources) limits.push_back(Probe(resource, backend, support, policy));
  return limits;
}

std::vector<ProbedBackend> ProbeAll(const Host& host) {
  std::vector<ProbedBackend> probed;
  for (const ContainmentTraits& traits : AllContainments()) {
    const Containment containment = traits.containment;
    if (!traits.isolates) continue;  // needs nothing, and isolates nothing
    const Backend& backend = Dispatch(containment);
    Support support = backend.probe(host, ProbeDepth::kLive);
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
  for (const std::string& warning : import->warnings) TellWarning(warning);
  fmt::print("{}", import->text);
  return 0;
}

// `words`: "list", or "show" and names.
int PrintProfiles(const std::vector<std::string>& words, const Host& host) {
  if (words.front() == "list" && words.size() == 1) {
    fmt::print("{}", ProfileTable(host));
    return 0;
  }
  if (words.front() == "list" || words.size() == 1)
    return Fail(UsageError("profiles are shown by name", "mxc-exec profile list, or profile show NAME"), 2);
  for (std::size_t i = 1; i < words.size(); ++i) {
    const Result<Profile> profile = ReadProfile(words[i], host);
    if (!profile) return Fail(profile.error(), ExitStatus(profile.error().code));
    fmt::print("{}", profile->text);
  }
  return 0;
}

// What LXC takes for a name and not for an option or a path.
bool IsContainerName(const std::string& name) {
  constexpr std::string_view kFirst = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  return kFirst.find(name.front()) != std::string_view::npos &&
         name.find_first_not_of(std::string(kFirst) + "_.-:") == std::string::npos;
}

// A container of ours leaves nothing behind, so it is one that runs, or another program's.
int DeleteContainer(const std::string& name, const Host& host) {
  if (name.empty()) {
    return Fail({.code = ErrorCode::kUsage, .message = "--delete needs --containername NAME"}, 1);
  }
  const bool valid = IsContainerName(name);
  const Result<bool> ended = valid ? EndContainer(name, host) : Result<bool>(false);
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
      PrepareHost({.what = PreparationNamed(options.prepare), .drive = options.drive});
  if (!reply) {
    const ErrorCode code = reply.error().code;
    return Fail(reply.error(), code == ErrorCode::kUnavailable ? kNotAdministrator
                               : code == ErrorCode::kUsage     ? 2
                                                               : 1);
  }
  fmt::print("{}", reply->text);
  return reply->status;
}

int PrintVerifiedAudit(const Options& options) {
  const Result<std::string> answer = VerifyAudit(options.audit_files, options.audit_anchors);
  if (!answer) return Fail(answer.error(), ExitStatus(answer.error().code));
  fmt::print("{}", *answer);
  return 0;
}

bool AnswersPeople(const Options& options) {
  return options.form.empty() ? IsTerminal(kStandardOutput) : options.form == "text";
}

ProbeAnswer Probed(const Host& host, const Result<Plan>* asked) {
  return {.system = host.System(),
          .caller = host.Caller(),
          .backends = ProbeAll(host),
          .process = ProcessContainmentOf(host.System()),
          .asked = asked};
}

int PrintAvailable(const Options& options, const Host& host) {
  ProbeAnswer answer = Probed(host, nullptr);
  if (!AnswersPeople(options)) {
    fmt::print("{}", AvailableBackendsJson(answer.backends));
    return 0;
  }
  std::erase_if(answer.backends, [](const ProbedBackend& probed) { return !probed.support.usable; });
  if (answer.system == OperatingSystem::kLinux) answer.process = LinuxProcess(host).containment;
  fmt::print("{}", ProbeText(answer, TakesColours(kStandardOutput)));
  return 0;
}

int PrintProbeAnswer(const Options& options, const Host& host, const Result<Plan>* asked) {
  ProbeAnswer answer = Probed(host, asked);
  if (!AnswersPeople(options)) {
    fmt::print("{}", ProbeJson(answer.system, answer.caller, answer.backends, asked));
    return 0;
  }
  if (answer.system == OperatingSystem::kLinux) answer.process = LinuxProcess(host).containment;
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

}  // namespace

int RunQuery(const Options& options, const Host& host) {
  switch (options.mode) {
    case Mode::kHelp:
      fmt::print("{}", HelpText(options.help, host.System()));
      return 0;
    case Mode::kVersion:
      fmt::print("mxc-exec {}\n", MXC_VERSION);
      return 0;
    case Mode::kProbe:
      return PrintProbe(options, host);
    case Mode::kAvailableBackends:
      return PrintAvailable(options, host);
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
      return PrintReaped();
    case Mode::kRecover:
      return 0;  // done at every start
    case Mode::kPrepare:
      return Prepare(options);
    case Mode::kDelete:
      return DeleteContainer(options.container_name, host);
    case Mode::kSetupHyperlight:
      return Fail({.code = ErrorCode::kUnsupported,
                   .message = "the 'hyperlight' backend is not part of this build",
                   .hint = "--probe lists what this host can use"},
                  1);
    case Mode::kRun:
    case Mode::kDryRun:
    case Mode::kExplain:
      break;
  }
  return 2;
}

}  // namespace mxc
