// Which containment a configuration gets: the intent, the experimental gate, the operating system.
#include <string>

#include "policy/resolve.h"

namespace mxc {
namespace {

Containment ConcreteFor(Intent intent, Containment written, OperatingSystem system,
                        const ResolveOptions& options) {
  switch (intent) {
    case Intent::kConcrete:
      return written;
    case Intent::kProcess:
    case Intent::kAuto:
      if (system == OperatingSystem::kWindows) return Containment::kProcessContainer;
      if (system == OperatingSystem::kMacos) return Containment::kSeatbelt;
      return options.linux_process;
    case Intent::kVm:
      return system == OperatingSystem::kWindows ? Containment::kWindowsSandbox : Containment::kVm;
    case Intent::kMicrovm:
      return Containment::kMicrovm;
  }
  return written;
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
  const std::string home{Name(HomeOf(containment))};
  std::string hint = "use \"process\", the isolation of " + here;
  if (containment == Containment::kVm) {
    hint = here + " has no virtual machine backend, and a weaker one is never taken instead; " + hint;
  } else {
    hint = "it belongs to " + home + " (`--explain` shows its plan here); " + hint;
  }
  return {.code = ErrorCode::kUnsupported,
          .message = "the '" + name + "' backend is not available on " + here,
          .pointer = pointer,
          .hint = hint};
}

// The reference asks for the experimental flag before it looks at the system, but only for names it knows
// here.
bool GateComesFirst(const Config& config, Containment containment) {
  if (HomeOf(containment) == OperatingSystem::kAny) return true;
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
  const Containment containment = ConcreteFor(config.intent, config.containment, system, options);
  const std::string& pointer = config.containment_pointer;
  const OperatingSystem home = HomeOf(containment);
  const bool gated = IsExperimental(containment) && !options.experimental;

  if (gated && GateComesFirst(config, containment)) return Gated(containment, pointer);
  const bool elsewhere = home != OperatingSystem::kAny && home != system;
  // The intent "vm" names no backend that could be planned.
  const bool planned = options.shown_only && containment != Containment::kVm;
  if (elsewhere && !planned) return OfAnotherSystem(containment, system, pointer);
  if (gated) return Gated(containment, pointer);
  if (containment == Containment::kMicrovm) {
    return Error{.code = ErrorCode::kUnsupported,
                 .message = "the 'microvm' backend is not built into this program",
                 .pointer = pointer,
                 .hint = "use \"process\""};
  }
  if (containment == Containment::kHyperlight) {
    return Error{.code = ErrorCode::kUnavailable,
                 .message = "the 'hyperlight' backend has no guest image on this host",
                 .pointer = pointer,
                 .hint = "use \"process\""};
  }
  if (containment == Containment::kNone && !options.allow_unsandboxed) {
    return Error{.code = ErrorCode::kGated,
                 .message = "containment 'none' runs the command without any isolation",
                 .pointer = pointer,
                 .hint = "pass --allow-unsandboxed if that is what you want"};
  }
  if (containment == Containment::kSeatbelt && BringsProfile(config) && !options.allow_unsandboxed) {
    return Error{.code = ErrorCode::kGated,
                 .message = "seatbelt.profileOverride takes the place of the whole policy",
                 .pointer = "/seatbelt/profileOverride",
                 .hint = "pass --allow-unsandboxed if that is what you want, or write a policy"};
  }
  return containment;
}

}  // namespace mxc
