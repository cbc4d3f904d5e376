#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "backends/seatbelt/seatbelt.h"
#include "base/quoted.h"

namespace mxc::seatbelt {
namespace {

using Document = nlohmann::ordered_json;

void AddSeatbelt(const SeatbeltSandbox& sandbox, ExplainPage& page) {
  page.Line("session", sandbox.new_session ? "new, without a terminal" : "new, with a private terminal");
  if (sandbox.private_temp) page.Line("temporary", "a directory of its own instead of /tmp, named by TMPDIR");
  page.Section("parameters of the profile");
  for (const SeatbeltParameter& parameter : sandbox.parameters) {
    page.Row(fmt::format("{:<11}{}", parameter.name, Quoted(parameter.value)));
  }
  page.Section("profile");
  page.Rows(sandbox.profile);
}

Document OfSeatbelt(const SeatbeltSandbox& sandbox) {
  Document parameters = Document::object();
  for (const SeatbeltParameter& parameter : sandbox.parameters) parameters[parameter.name] = parameter.value;
  return {{"profile", sandbox.profile},
          {"parameters", std::move(parameters)},
          {"privateTemp", sandbox.private_temp},
          {"newSession", sandbox.new_session}};
}

}  // namespace

Explanation Explain() {
  return {.text = [](const Plan& plan,
                     ExplainPage& page) { AddSeatbelt(std::get<SeatbeltLaunch>(plan.launch).sandbox, page); },
          .json =
              [](const Plan& plan) {
                const Document members = {
                    {"seatbelt", OfSeatbelt(std::get<SeatbeltLaunch>(plan.launch).sandbox)}};
                return members.dump(-1, ' ', false, Document::error_handler_t::replace);
              }};
}

}  // namespace mxc::seatbelt
