// Which containment a configuration gets: the intent, the experimental gate, the operating system.
#include <string>

#include "config/decoding.h"
#include "policy/resolve.h"

namespace mxc {
namespace {

Containment ConcreteFor(const Config& config, OperatingSystem system, const ResolveOptions& options) {
  const bool linux_process = MeansProcess(config) && system == OperatingSystem::kLinux;
  return linux_process ? options.linux_process : ContainmentFor(config, system);
}

Error Gated(Containment containment, const std::string& pointer) {
  return {.code = ErrorCode::kGated,
          .message = "the '" + std::string(Name(containment)) +
                     "' backend is experimental; enable experimental features to use it",
          .pointer = pointer,
          .hint = "pass --experimental"};
}

Error OfAnotherSystem(Containment containment, OperatingSystem system, const std::string& pointer) {
  const std::string name{Name(containment)};
  const std::string here{Name(system)};
  const std::string home{Name(TraitsOf(containment).home)};
  std::string hint = "use \"process\", the isolation of " + here;
  if (!TraitsOf(containment).planned) {
    hint = here + " has no virtual machine backend, and a weaker one is never taken instead; " + hint;
  } else {
    hint = "it belongs to " + home + " (`--explain` shows its plan here); " + hint;
  }
  return Unsupported("the '" + name + "' backend is not available on " + here, pointer, hint);
}

// The reference checks the experimental flag before the system, but only for names that it knows here.
bool GateComesFirst(const Config& config, Containment containment) {
  if (TraitsOf(containment).home == OperatingSystem::kAny) return true;
  return containment == Containment::kWindowsSandbox && config.dialect == Dialect::kContract11;
}

bool BringsProfile(const Config& config) {
  for (const JsonMember& member : config.backend_section.members) {
    if (member.key == "profileOverride" && !member.value.text.empty()) return true;
  }
  return false;
}

}  // namespace

bool MeansProcess(const Config& config) {
  return config.intent == Intent::kProcess || config.intent == Intent::kAuto;
}

Result<Containment> SelectContainment(const Config& config, OperatingSystem system,
                                      const ResolveOptions& options) {
  const Containment containment = ConcreteFor(config, system, options);
  const std::string& pointer = config.containment_pointer;
  const OperatingSystem home = TraitsOf(containment).home;
  const bool gated = TraitsOf(containment).experimental && !options.experimental;

  if (gated && GateComesFirst(config, containment)) return Gated(containment, pointer);
  const bool elsewhere = home != OperatingSystem::kAny && home != system;
  // The intent "vm" has no backend that could plan it.
  const bool planned = options.shown_only && TraitsOf(containment).planned;
  if (elsewhere && !planned) return OfAnotherSystem(containment, system, pointer);
  if (gated) return Gated(containment, pointer);
  if (const MissingBackend& missing = TraitsOf(containment).missing; !missing.reason.empty()) {
    return Error{
        .code = missing.code,
        .message = "the '" + std::string(Name(containment)) + "' backend " + std::string(missing.reason),
        .pointer = pointer,
        .hint = "use \"process\""};
  }
  if (!TraitsOf(containment).isolates && !options.allow_unsandboxed) {
    return Error{.code = ErrorCode::kGated,
                 .message = "containment 'none' runs the command without any isolation",
                 .pointer = pointer,
                 .hint = "pass --allow-unsandboxed if that is what you want"};
  }
  if (BringsProfile(config) && !options.allow_unsandboxed) {
    return Error{.code = ErrorCode::kGated,
                 .message = "seatbelt.profileOverride takes the place of the whole policy",
                 .pointer = "/seatbelt/profileOverride",
                 .hint = "pass --allow-unsandboxed if that is what you want, or write a policy"};
  }
  return containment;
}

}  // namespace mxc
