#include "backends/linux/explain.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "backends/landlock/landlock.h"
#include "base/quoted.h"

namespace mxc::landlock {
namespace {

using Document = nlohmann::ordered_json;

void AddLandlock(const LandlockSandbox& sandbox, ExplainPage& page) {
  page.Line("namespaces", "none");
  page.Line("network", sandbox.no_network ? "none: no sockets" : "the host's, unrestricted, no Unix sockets");
  page.Line("capabilities", "none, and no new privileges");
  page.Line("seccomp", fmt::format("{}; {}{}", linux_backend::ProfileText(sandbox.seccomp),
                                   linux_backend::ProfileText(SeccompProfile::kSharedSystem),
                                   sandbox.no_network ? "; no sockets" : ""));
  page.Line("session", sandbox.new_session ? "new, without a terminal" : "new, with a private terminal");
  page.Line("temporary", fmt::format("a directory of its own in {}, with HOME{}", Quoted(sandbox.temp_place),
                                     sandbox.private_temp ? ", instead of /tmp, named by TMPDIR" : ""));
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

Document OfLandlock(const LandlockSandbox& sandbox) {
  Document grants = Document::array();
  for (const LandlockGrant& grant : sandbox.grants) {
    grants.push_back({{"path", grant.path},
                      {"access", grant.access == Access::kReadWrite ? "read-write" : "read-only"},
                      {"optional", grant.optional}});
  }
  Document holes = Document::array();
  for (const LandlockHole& hole : sandbox.holes) holes.push_back(hole.path);
  return {{"grants", std::move(grants)},      {"leftOut", std::move(holes)},
          {"tempPlace", sandbox.temp_place},  {"privateTemp", sandbox.private_temp},
          {"network", !sandbox.no_network},   {"scopedSignals", sandbox.scoped_signals},
          {"newSession", sandbox.new_session}};
}

}  // namespace

Explanation Explain() {
  return {.text = [](const Plan& plan,
                     ExplainPage& page) { AddLandlock(std::get<LandlockLaunch>(plan.launch).sandbox, page); },
          .json =
              [](const Plan& plan) {
                const Document members = {
                    {"landlock", OfLandlock(std::get<LandlockLaunch>(plan.launch).sandbox)}};
                return members.dump(-1, ' ', false, Document::error_handler_t::replace);
              }};
}

}  // namespace mxc::landlock
