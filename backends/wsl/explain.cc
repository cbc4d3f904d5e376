#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "backends/wsl/wsl.h"
#include "base/quoted.h"

namespace mxc::wsl {
namespace {

using Document = nlohmann::ordered_json;

void AddWsl(const WslRun& run, ExplainPage& page) {
  page.Line("distribution", Quoted(run.distribution));
  page.Line("program", Quoted(run.program));
  page.Section("configuration of the mxc-exec inside");
  page.Rows(ShownText(run.config));
}

Document OfWsl(const WslRun& run) {
  return {{"distribution", run.distribution}, {"program", run.program}, {"config", ShownText(run.config)}};
}

}  // namespace

Explanation Explain() {
  return {
      .text = [](const Plan& plan, ExplainPage& page) { AddWsl(std::get<WslLaunch>(plan.launch).run, page); },
      .json =
          [](const Plan& plan) {
            const Document members = {{"wsl", OfWsl(std::get<WslLaunch>(plan.launch).run)}};
            return members.dump(-1, ' ', false, Document::error_handler_t::replace);
          }};
}

}  // namespace mxc::wsl
