#include "backends/linux/explain.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "backends/linux/mount_words.h"
#include "base/quoted.h"
#include "mxc/plan.h"

namespace mxc::linux_backend {
namespace {

using Document = nlohmann::ordered_json;

std::string_view NetworkText(const LinuxSandbox& sandbox) {
  if (sandbox.gateway) return "its own, with the network gateway as the only way out";
  return sandbox.private_network ? "none: a loopback of its own" : "the host's, unrestricted";
}

Document OfSandbox(const LinuxSandbox& sandbox) {
  Document namespaces = {"user", "mount", "pid", "ipc", "uts", "cgroup"};
  if (sandbox.private_network) namespaces.push_back("network");
  Document mounts = Document::array();
  for (const MountNode& node : sandbox.mounts) {
    MountWords words = Words(node);
    Document row = {{"kind", std::move(words.kind)}, {"target", std::move(words.target)}};
    if (!words.detail.empty()) row["detail"] = std::move(words.detail);
    mounts.push_back(std::move(row));
  }
  return {{"namespaces", std::move(namespaces)},
          {"gateway", sandbox.gateway},
          {"capabilities", Document::array()},
          {"noNewPrivileges", true},
          {"seccomp", sandbox.seccomp == SeccompProfile::kDefault ? "default" : "root-caller"},
          {"newSession", sandbox.new_session},
          {"hostname", sandbox.hostname},
          {"rootReadOnly", sandbox.root_read_only},
          {"mounts", std::move(mounts)}};
}

}  // namespace

std::string_view ProfileText(SeccompProfile profile) {
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

void ExplainSandbox(const LinuxSandbox& sandbox, ExplainPage& page) {
  page.Line("namespaces",
            fmt::format("user mount pid ipc uts cgroup{}", sandbox.private_network ? " network" : ""));
  page.Line("network", NetworkText(sandbox));
  page.Line("capabilities", "none, and no new privileges");
  page.Line("seccomp", ProfileText(sandbox.seccomp));
  page.Line("session", sandbox.new_session ? "new, without a terminal" : "new, with a private terminal");
  page.Line("host name", sandbox.hostname);
  page.Section("mounts, in order");
  for (const MountNode& node : sandbox.mounts) {
    const MountWords words = Words(node);
    page.Row(fmt::format("{:<11}{:<28} {}", words.kind, Quoted(words.target), words.detail));
  }
  if (sandbox.root_read_only) page.Row("root       read-only, once everything stands");
}

std::string SandboxJson(const LinuxSandbox& sandbox) {
  return OfSandbox(sandbox).dump(-1, ' ', false, Document::error_handler_t::replace);
}

Explanation ExplainLinuxSandbox() {
  return {
      .text = [](const Plan& plan, ExplainPage& page) { ExplainSandbox(*LinuxSandboxOf(plan.launch), page); },
      .json =
          [](const Plan& plan) { return "{\"sandbox\":" + SandboxJson(*LinuxSandboxOf(plan.launch)) + "}"; }};
}

}  // namespace mxc::linux_backend
