#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "backends/windows_sandbox/windows_sandbox.h"

namespace mxc::windows_sandbox {
namespace {

using Document = nlohmann::ordered_json;

void AddWindowsSandbox(const WindowsSandboxRun& run, ExplainPage& page) {
  page.Section("machine");
  page.Rows(WsbText(run, "(folder of the run)"));
}

Document OfWindowsSandbox(const WindowsSandboxRun& run) {
  return {
      {"machine", WsbText(run, "(folder of the run)")}, {"commandLine", run.command_line}, {"cwd", run.cwd}};
}

}  // namespace

Explanation Explain() {
  return {.text =
              [](const Plan& plan, ExplainPage& page) {
                AddWindowsSandbox(std::get<WindowsSandboxLaunch>(plan.launch).run, page);
              },
          .json =
              [](const Plan& plan) {
                const Document members = {
                    {"windowsSandbox", OfWindowsSandbox(std::get<WindowsSandboxLaunch>(plan.launch).run)}};
                return members.dump(-1, ' ', false, Document::error_handler_t::replace);
              }};
}

}  // namespace mxc::windows_sandbox
