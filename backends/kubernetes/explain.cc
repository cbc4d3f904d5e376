#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "backends/kubernetes/kubernetes.h"
#include "base/quoted.h"
#include "mxc/json.h"

namespace mxc::kubernetes {
namespace {

using Document = nlohmann::ordered_json;

// What is known when it is sent.
std::string Claim(const PodRun& run) {
  const ClaimNames names{.claim = "mxc-RUN", .owner = "RANDOM", .shutdown_time = "NOW+LEASE"};
  if (run.pod_template.empty()) return ClaimManifest(run, names);
  return SandboxManifest(run, names, JsonString("OF THE SandboxTemplate " + run.pod_template));
}

bool IsAccepted(const PodRun& run, PodCheck check) {
  return std::find(run.accepted.begin(), run.accepted.end(), check) != run.accepted.end();
}

// Of those that this run makes.
std::vector<std::pair<std::string, std::string>> Checks(const PodRun& run) {
  std::vector<std::pair<std::string, std::string>> checks;
  for (const PodCheckTraits& check : AllPodChecks()) {
    if (check.check == PodCheck::kRuntimeClass && !run.virtual_machine) continue;
    if (check.check == PodCheck::kLabels && run.labels.empty()) continue;
    if (check.check == PodCheck::kWorkspace && run.workspace.empty()) continue;
    checks.emplace_back(check.name,
                        (IsAccepted(run, check.check) ? "accepted if not: " : "") + std::string(check.text));
  }
  return checks;
}

void AddRun(const PodRun& run, ExplainPage& page) {
  page.Line("kubectl", Quoted(run.kubectl));
  for (const std::string& option : run.options) page.Line("", option);
  page.Line("program", Quoted(run.program));
  if (!run.workspace.empty()) page.Line("workspace", Quoted(run.workspace));
  page.Line("lives", std::to_string(run.ttl_s) + " s at most");
  page.Section(run.pod_template.empty() ? "claim" : "sandbox");
  page.Rows(Claim(run));
  page.Section("checks of the pod");
  for (const auto& [name, text] : Checks(run)) page.Row(fmt::format("{}: {}", name, text));
  for (const auto& [name, value] : run.labels) page.Row("label " + Quoted(fmt::format("{}={}", name, value)));
  page.Section("configuration of the mxc-exec inside");
  page.Rows(ShownText(run.config));
}

Document OfRun(const PodRun& run) {
  Document checks = Document::array();
  for (const auto& [name, text] : Checks(run)) checks.push_back({{"name", name}, {"text", text}});
  return {{"kubectl", run.kubectl}, {"options", run.options},     {"program", run.program},
          {"ttl", run.ttl_s},       {"claim", Claim(run)},        {"checks", std::move(checks)},
          {"labels", run.labels},   {"workspace", run.workspace}, {"config", ShownText(run.config)}};
}

}  // namespace

Explanation Explain() {
  return {.text = [](const Plan& plan,
                     ExplainPage& page) { AddRun(std::get<KubernetesLaunch>(plan.launch).run, page); },
          .json =
              [](const Plan& plan) {
                const Document members = {{"kubernetes", OfRun(std::get<KubernetesLaunch>(plan.launch).run)}};
                return members.dump(-1, ' ', false, Document::error_handler_t::replace);
              }};
}

}  // namespace mxc::kubernetes
