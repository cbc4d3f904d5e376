#include "mxc/containment.h"

namespace mxc {

std::string_view Name(Containment containment) {
  switch (containment) {
    case Containment::kBubblewrap:
      return "bubblewrap";
    case Containment::kNamespaces:
      return "namespaces";
    case Containment::kLandlock:
      return "landlock";
    case Containment::kLxc:
      return "lxc";
    case Containment::kProcessContainer:
      return "processcontainer";
    case Containment::kWindowsSandbox:
      return "windows_sandbox";
    case Containment::kWslc:
      return "wslc";
    case Containment::kIsolationSession:
      return "isolation_session";
    case Containment::kMicrovm:
      return "microvm";
    case Containment::kHyperlight:
      return "hyperlight";
    case Containment::kSeatbelt:
      return "seatbelt";
    case Containment::kVm:
      return "vm";
    case Containment::kNone:
      return "none";
  }
  return "none";
}

std::string_view Name(IsolationLevel isolation_level) {
  switch (isolation_level) {
    case IsolationLevel::kNone:
      return "";
    case IsolationLevel::kNamespaces:
      return "namespaces";
    case IsolationLevel::kNamespacesOuterProc:
      return "namespaces-outer-proc";
    case IsolationLevel::kLandlock:
      return "landlock";
  }
  return "";
}

OperatingSystem HomeOf(Containment containment) {
  switch (containment) {
    case Containment::kBubblewrap:
    case Containment::kNamespaces:
    case Containment::kLandlock:
    case Containment::kLxc:
      return OperatingSystem::kLinux;
    case Containment::kProcessContainer:
    case Containment::kWindowsSandbox:
    case Containment::kWslc:
    case Containment::kIsolationSession:
    case Containment::kVm:
      return OperatingSystem::kWindows;
    case Containment::kSeatbelt:
      return OperatingSystem::kMacos;
    case Containment::kMicrovm:
    case Containment::kHyperlight:
    case Containment::kNone:
      return OperatingSystem::kAny;
  }
  return OperatingSystem::kAny;
}

bool IsExperimental(Containment containment) {
  switch (containment) {
    case Containment::kMicrovm:
    case Containment::kHyperlight:
    case Containment::kWindowsSandbox:
    case Containment::kWslc:
    case Containment::kIsolationSession:
      return true;
    case Containment::kBubblewrap:
    case Containment::kNamespaces:
    case Containment::kLandlock:
    case Containment::kLxc:
    case Containment::kProcessContainer:
    case Containment::kSeatbelt:
    case Containment::kVm:
    case Containment::kNone:
      return false;
  }
  return false;
}

bool BringsOwnSystem(Containment containment) {
  switch (containment) {
    case Containment::kWindowsSandbox:
    case Containment::kWslc:
    case Containment::kIsolationSession:
    case Containment::kMicrovm:
    case Containment::kHyperlight:
      return true;
    case Containment::kBubblewrap:
    case Containment::kNamespaces:
    case Containment::kLandlock:
    case Containment::kLxc:
    case Containment::kProcessContainer:
    case Containment::kSeatbelt:
    case Containment::kVm:
    case Containment::kNone:
      return false;
  }
  return false;
}

std::string_view Name(OperatingSystem system) {
  switch (system) {
    case OperatingSystem::kLinux:
      return "Linux";
    case OperatingSystem::kWindows:
      return "Windows";
    case OperatingSystem::kMacos:
      return "macOS";
    case OperatingSystem::kAny:
      return "any";
  }
  return "any";
}

std::string_view Name(Tier tier) {
  switch (tier) {
    case Tier::kNone:
      return "none";
    case Tier::kProcess:
      return "process";
    case Tier::kContainer:
      return "container";
    case Tier::kVirtualMachine:
      return "virtual-machine";
  }
  return "none";
}

std::optional<Tier> TierNamed(std::string_view name) {
  for (const Tier tier : {Tier::kNone, Tier::kProcess, Tier::kContainer, Tier::kVirtualMachine}) {
    if (Name(tier) == name) return tier;
  }
  return std::nullopt;
}

}  // namespace mxc
