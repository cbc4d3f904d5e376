#include "backends/linux/explain.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "backends/lxc/lxc.h"
#include "base/quoted.h"

namespace mxc::lxc {
namespace {

using Document = nlohmann::ordered_json;

void AddLxc(const Plan& plan, ExplainPage& page) {
  const auto& container = std::get<LxcLaunch>(plan.launch);
  page.Line("container", container.name.empty() ? "one of this run" : Quoted(container.name));
  page.Section("its configuration for LXC");
  page.Rows(container.configuration);
  linux_backend::ExplainSandbox(container.sandbox, page);
}

std::string OfLxc(const Plan& plan) {
  const auto& container = std::get<LxcLaunch>(plan.launch);
  const Document members = {
      {"container", {{"name", container.name}, {"configuration", container.configuration}}},
      {"sandbox", Document::parse(linux_backend::SandboxJson(container.sandbox))}};
  return members.dump(-1, ' ', false, Document::error_handler_t::replace);
}

}  // namespace

Explanation Explain() { return {.text = AddLxc, .json = OfLxc}; }

}  // namespace mxc::lxc
