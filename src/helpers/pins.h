// Helpers are programs of the host that mxc-exec starts outside of every sandbox. Their pins, from where a
// helper is found to where it is started.
//
//   const PinnedHost pinned(host, pins);        // probes find and try out what is pinned
//   if (Status pins = pinned.Refusal(); !pins)  // another file stood there
//   PinPlan(pins, policy, plan);                // runners execute what is pinned
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "hash/pinned_program.h"
#include "mxc/host.h"
#include "mxc/plan.h"
#include "mxc/policy.h"

namespace mxc {

// Every name that can be pinned: of a file in the system's program directories.
[[nodiscard]] std::span<const std::string_view> AllHelpers();

class PinnedHost final : public ForwardingHost {
 public:
  PinnedHost(const Host& host, std::vector<HelperPin> pins) : ForwardingHost(host), pins_(std::move(pins)) {}

  // Nothing where another file stands than the one that is pinned.
  [[nodiscard]] std::optional<std::string> FindTool(std::string_view name) const override;
  [[nodiscard]] ToolRun Try(const std::vector<std::string>& argv, std::uint32_t limit_ms) const override;

  // The first mismatch since the last call. Errors: those of OpenPinned, with the pointer of the pin.
  [[nodiscard]] Status Refusal() const;

 private:
  std::vector<HelperPin> pins_;
  mutable std::map<std::string, PinnedProgram> found_ = {};  // by path
  mutable std::optional<Error> refusal_ = {};
};

// The pins of the helpers that the plan starts, into the plan, with an entry of the ledger each.
void PinPlan(const std::vector<HelperPin>& pins, Policy& policy, Plan& plan);
// `clause`: says that each has one among `pins`, the operator's: a caller can pin whatever stands there.
// Errors: kConflict, the plan starts a helper without.
[[nodiscard]] Status CheckAllPinned(const std::string& clause, const std::vector<HelperPin>& pins,
                                    Plan& plan);

}  // namespace mxc
