#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "backends/appcontainer/appcontainer.h"
#include "base/quoted.h"

namespace mxc::appcontainer {
namespace {

using Document = nlohmann::ordered_json;

void AddBaseContainer(const BaseContainer& base, ExplainPage& page) {
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

void AddAppContainer(const AppContainerSandbox& sandbox, ExplainPage& page) {
  if (!sandbox.base) page.Line("profile", sandbox.name.empty() ? "one of this run" : Quoted(sandbox.name));
  page.Line("capabilities",
            sandbox.capabilities.empty() ? "none" : fmt::format("{}", fmt::join(sandbox.capabilities, " ")));
  if (sandbox.least_privilege) page.Line("privilege", "least: not even what every AppContainer may read");
  page.Line("ui limits", UiLimitNames(sandbox.ui_limits));
  page.Line("win32k", sandbox.no_win32k ? "refused" : "as usual");
  if (sandbox.loopback_exempt) page.Line("loopback", "exempt: every service of this machine's loopback");
  if (sandbox.base) AddBaseContainer(*sandbox.base, page);
  if (!sandbox.bfs.empty())
    page.Section(std::string("grants by bfscfg.exe, ") +
                 (sandbox.bfs_kept ? "kept after the run" : "cleared at the end"));
  for (const BfsGrant& grant : sandbox.bfs) {
    page.Row(fmt::format("{:<11}{}", grant.read_write ? "read-write" : "read-only", Quoted(grant.path)));
  }
  if (sandbox.acl.empty()) return;
  page.Section("access control entries for the container, taken away at the end");
  for (const AclChange& change : sandbox.acl) {
    page.Row(fmt::format("{:<6} 0x{:06x}  {}{}", Name(change.type), change.mask, Quoted(change.path),
                         change.inherited ? " and below" : ""));
  }
}

Document OfAppContainer(const AppContainerSandbox& sandbox) {
  Document acl = Document::array();
  for (const AclChange& change : sandbox.acl) {
    acl.push_back({{"path", change.path},
                   {"type", Name(change.type)},
                   {"mask", change.mask},
                   {"inherited", change.inherited},
                   {"pointer", change.pointer}});
  }
  Document container = {{"profile", sandbox.name},
                        {"capabilities", sandbox.capabilities},
                        {"leastPrivilege", sandbox.least_privilege},
                        {"win32k", !sandbox.no_win32k},
                        {"uiLimits", sandbox.ui_limits},
                        {"commandLine", sandbox.command_line},
                        {"acl", std::move(acl)}};
  if (sandbox.loopback_exempt) container["loopbackExempt"] = true;
  if (!sandbox.bfs.empty()) {
    Document grants = Document::array();
    for (const BfsGrant& grant : sandbox.bfs)
      grants.push_back({{"path", grant.path}, {"readWrite", grant.read_write}, {"pointer", grant.pointer}});
    container["bfs"] = {{"grants", std::move(grants)}, {"kept", sandbox.bfs_kept}};
  }
  if (const auto& base = sandbox.base) {
    const bool older = base->contract == BaseContract::kCreateInSandbox;
    container["base"] = {{"contract", older ? "create-in-sandbox" : "security-environment"},
                         {"readWrite", base->read_write},
                         {"readOnly", base->read_only},
                         {"denied", base->denied},
                         {"proxy", base->proxy},
                         {"peer", base->peer}};
  }
  return container;
}

}  // namespace

Explanation Explain() {
  return {.text =
              [](const Plan& plan, ExplainPage& page) {
                AddAppContainer(std::get<AppContainerLaunch>(plan.launch).sandbox, page);
              },
          .json =
              [](const Plan& plan) {
                const Document members = {
                    {"appContainer", OfAppContainer(std::get<AppContainerLaunch>(plan.launch).sandbox)}};
                return members.dump(-1, ' ', false, Document::error_handler_t::replace);
              }};
}

}  // namespace mxc::appcontainer
