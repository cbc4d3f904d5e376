#include "plan/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "plan/mount_words.h"
#include "policy/paths/paths.h"

namespace mxc {
namespace {

class Page {
 public:
  void Section(std::string_view title) { text_ += fmt::format("{}\n", title); }
  void Line(std::string_view name, std::string_view value) {
    text_ += fmt::format("{:<14}{}\n", name, Escaped(value));
  }
  void Row(std::string_view line) {
    text_ += fmt::format("  {}\n", Escaped(line.substr(0, line.find_last_not_of(' ') + 1)));
  }
  [[nodiscard]] std::string Take() { return std::move(text_); }

 private:
  std::string text_ = {};
};

std::string CommandText(const std::vector<std::string>& command) {
  std::string text;
  for (const std::string& argument : command) text += (text.empty() ? "" : " ") + Quoted(argument);
  return text;
}

std::string EnvironmentText(const Policy& policy) {
  std::string text;
  for (const Variable& variable : policy.process.environment) text += variable.name + "=… ";
  return text.empty() ? "empty" : text + "(values are never shown)";
}

std::string_view Explain(SeccompProfile profile) {
  switch (profile) {
    case SeccompProfile::kDefault:
      return "default";
    case SeccompProfile::kRootCaller:
      return "root caller: the default, and no set-gid bits";
    case SeccompProfile::kSharedSystem:
      return "no Unix sockets, no System V objects";
    case SeccompProfile::kNoSockets:
      return "no sockets";
  }
  return "default";
}

std::string_view NetworkText(const LinuxSandbox& sandbox) {
  if (sandbox.gateway) return "its own, with the network gateway as the only way out";
  return sandbox.private_network ? "none: a loopback of its own" : "the host's, unrestricted";
}

void AddSandbox(const LinuxSandbox& sandbox, Page& page) {
  page.Line("namespaces",
            fmt::format("user mount pid ipc uts cgroup{}", sandbox.private_network ? " network" : ""));
  page.Line("network", NetworkText(sandbox));
  page.Line("capabilities", "none, and no new privileges");
  page.Line("seccomp", Explain(sandbox.seccomp));
  page.Line("session", sandbox.new_session ? "new, without a terminal" : "new, with a private terminal");
  page.Line("host name", sandbox.hostname);
  page.Section("mounts, in order");
  for (const MountNode& node : sandbox.mounts) {
    const MountWords words = Words(node);
    page.Row(fmt::format("{:<11}{:<28} {}", words.kind, Quoted(words.target), words.detail));
  }
  if (sandbox.root_read_only) page.Row("root       read-only, once everything stands");
}

void AddLandlock(const LandlockSandbox& sandbox, Page& page) {
  page.Line("namespaces", "none");
  page.Line("network", sandbox.no_network ? "none: no sockets" : "the host's, unrestricted, no Unix sockets");
  page.Line("capabilities", "none, and no new privileges");
  page.Line("seccomp",
            fmt::format("{}; {}{}", Explain(sandbox.seccomp), Explain(SeccompProfile::kSharedSystem),
                        sandbox.no_network ? "; no sockets" : ""));
  page.Line("session", sandbox.new_session ? "new, without a terminal" : "new, with a private terminal");
  if (sandbox.private_temp) page.Line("temporary", "a directory of its own instead of /tmp, named by TMPDIR");
  page.Section("Landlock rules");
  for (const LandlockGrant& grant : sandbox.grants) {
    const bool writable = grant.access == Access::kReadWrite;
    page.Row(fmt::format("{:<11}{:<28} {}", writable ? "read-write" : "read-only", Quoted(grant.path),
                         grant.optional ? "where it exists" : ""));
  }
  for (const LandlockHole& hole : sandbox.holes) {
    page.Row(fmt::format("{:<11}{:<28} what stands beside it is granted entry by entry", "left out",
                         Quoted(hole.path)));
  }
}

void AddLines(std::string_view text, Page& page) {
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    page.Row(line);
  }
}

void AddContainer(const LxcChild& container, Page& page) {
  page.Line("container", container.name.empty() ? "one of this run" : Quoted(container.name));
  page.Section("its configuration for LXC");
  AddLines(container.configuration, page);
}

void AddSeatbelt(const SeatbeltSandbox& sandbox, Page& page) {
  page.Line("session", sandbox.new_session ? "new, without a terminal" : "new, with a private terminal");
  if (sandbox.private_temp) page.Line("temporary", "a directory of its own instead of /tmp, named by TMPDIR");
  page.Section("parameters of the profile");
  for (const SeatbeltParameter& parameter : sandbox.parameters) {
    page.Row(fmt::format("{:<11}{}", parameter.name, Quoted(parameter.value)));
  }
  page.Section("profile");
  AddLines(sandbox.profile, page);
}

void AddBaseContainer(const BaseContainer& base, Page& page) {
  const bool older = base.contract == BaseContract::kCreateInSandbox;
  page.Line("base", older ? "of the older contract of processmodel.dll"
                          : "a security environment of processmodel.dll");
  if (!base.proxy.empty()) page.Row(fmt::format("{:<11}{}", "proxy", Quoted(base.proxy)));
  if (!base.peer.empty()) page.Row(fmt::format("{:<11}{}", "peer", Quoted(base.peer)));
  for (const auto& [name, paths] :
       {std::pair{"read-write", &base.read_write}, std::pair{"read-only", &base.read_only},
        std::pair{"denied", &base.denied}}) {
    for (const std::string& path : *paths) page.Row(fmt::format("{:<11}{}", name, Quoted(path)));
  }
}

void AddAppContainer(const AppContainerSandbox& sandbox, Page& page) {
  std::string capabilities;
  for (const std::string& name : sandbox.capabilities)
    capabilities += (capabilities.empty() ? "" : " ") + name;
  if (!sandbox.base) page.Line("profile", sandbox.name.empty() ? "one of this run" : Quoted(sandbox.name));
  page.Line("capabilities", capabilities.empty() ? "none" : capabilities);
  if (sandbox.least_privilege) page.Line("privilege", "least: not even what every AppContainer may read");
  page.Line("ui limits", UiLimitNames(sandbox.ui_limits));
  page.Line("win32k", sandbox.no_win32k ? "refused" : "as usual");
  if (sandbox.base) AddBaseContainer(*sandbox.base, page);
  if (sandbox.acl.empty()) return;
  page.Section("access control entries for the container, taken away at the end");
  for (const AclChange& change : sandbox.acl) {
    page.Row(fmt::format("{:<6} 0x{:06x}  {}{}", Name(change.type), change.mask, Quoted(change.path),
                         change.inherited ? " and below" : ""));
  }
}

void AddWsl(const WslRun& run, Page& page) {
  page.Line("distribution", Quoted(run.distribution));
  page.Line("program", Quoted(run.program));
  page.Section("configuration of the mxc-exec inside");
  AddLines(ShownText(run.config), page);
}

void AddWindowsSandbox(const WindowsSandboxRun& run, Page& page) {
  page.Section("machine");
  AddLines(WsbText(run, "(folder of the run)"), page);
}

void AddNotCovered(const Plan& plan, Page& page) {
  if (plan.not_covered.empty()) return;
  page.Section("not covered");
  for (const std::string& text : plan.not_covered) page.Row(text);
}

std::string SettingsText(const ControlGroup& group) {
  std::string text;
  for (const CgroupSetting& setting : group.settings)
    text += fmt::format(" {}={}", setting.file, Quoted(setting.value));
  return text;
}

void AddSetup(const Plan& plan, Page& page) {
  if (plan.setup.empty()) return;
  page.Section("set up before, undone after");
  for (const Step& step : plan.setup) {
    if (const auto* file = std::get_if<Placeholder>(&step)) {
      page.Row(
          fmt::format("{:<11} {}", file->placeholder_kind ? "stand-in" : "placeholder", Quoted(file->path)));
    } else if (const auto* directory = std::get_if<OwnDirectory>(&step)) {
      page.Row(fmt::format("{:<11} {} (stays)", "directory", Quoted(directory->path)));
    } else {
      const auto& group = std::get<ControlGroup>(step);
      page.Row(fmt::format("{:<11} {}{}", "group", Quoted(group.parent + "/mxc-*"), SettingsText(group)));
    }
  }
}

void AddLimits(const Plan& plan, Page& page) {
  if (plan.timeout_ms != 0) page.Line("time-out", fmt::format("{} ms", plan.timeout_ms));
  for (const ResourceLimit& limit : plan.resources) page.Line(Name(limit.resource), AmountText(limit));
  if (plan.output.max_bytes != 0)
    page.Line("output", fmt::format("{} bytes per stream", plan.output.max_bytes));
  if (plan.output.redact_secrets) page.Line("redacted", "secrets");
  if (plan.output.redact_pii) page.Line("redacted", "personal data");
  if (!plan.audit.path.empty()) page.Line("audit", Quoted(plan.audit.path));
  for (const std::string& relaxation : plan.relaxations) page.Line("relaxation", relaxation);
}

// A settled ledger answers clause by clause; several may share a pointer.
void AddLedger(const Policy& policy, const Plan& plan, Page& page) {
  page.Section("ledger");
  for (std::size_t i = 0; i < plan.ledger.size(); ++i) {
    const Enforcement& entry = plan.ledger[i];
    page.Row(fmt::format("{:<34} {:<11} {}", entry.pointer, Name(entry.strength), entry.mechanism));
    const bool answers = i < policy.clauses.size() && policy.clauses[i].pointer == entry.pointer;
    if (answers) page.Row(fmt::format("  {}", policy.clauses[i].text));
  }
}

void AddWarnings(const Plan& plan, Page& page) {
  if (plan.warnings.empty()) return;
  page.Section("warnings");
  for (const Warning& warning : plan.warnings) {
    const std::string where = warning.pointer.empty() ? "" : " (" + warning.pointer + ")";
    page.Row(fmt::format("{}: {}{}", warning.category, warning.message, where));
  }
}

}  // namespace

const std::vector<std::string>& ExecutedBy(const Policy& policy, const Plan& plan) {
  return plan.sandbox ? plan.sandbox->argv : policy.process.argv;
}

std::string DescribeText(const Policy& policy, const Plan& plan) {
  Page page;
  page.Line("containment", fmt::format("{} (tier {})", Name(plan.containment), Name(plan.tier)));
  page.Line("command", CommandText(ExecutedBy(policy, plan)));
  page.Line("cwd", Quoted(policy.process.cwd));
  page.Line("environment", EnvironmentText(policy));
  AddLimits(plan, page);
  if (plan.isolation_level != IsolationLevel::kNone) page.Line("rung", Name(plan.isolation_level));
  if (const auto* container = std::get_if<LxcChild>(&plan.child)) AddContainer(*container, page);
  if (plan.sandbox) AddSandbox(*plan.sandbox, page);
  if (plan.landlock) AddLandlock(*plan.landlock, page);
  if (plan.seatbelt) AddSeatbelt(*plan.seatbelt, page);
  if (plan.app_container && plan.tier != Tier::kNone) AddAppContainer(*plan.app_container, page);
  if (plan.wsl) AddWsl(*plan.wsl, page);
  if (plan.windows_sandbox) AddWindowsSandbox(*plan.windows_sandbox, page);
  AddSetup(plan, page);
  AddLedger(policy, plan, page);
  AddNotCovered(plan, page);
  AddWarnings(plan, page);
  return page.Take();
}

}  // namespace mxc
