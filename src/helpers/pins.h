// Helpers are programs of the host that mxc-exec starts outside of every sandbox. Their pins, from where a
// helper is found to where it is started.
//
//   const PinnedHost pinned(host, config);      // probes find and try out what is pinned
//   if (Status pins = pinned.Refusal(); !pins)  // another file stood there, or one without a pin
//   PinPlan(pins, policy, plan);                // runners execute what is pinned
#pragma once

#include <functional>
#include <map>
#include <optional>
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
[[nodiscard]] std::vector<std::string_view> AllHelpers();

class PinnedHost final : public ForwardingHost {
 public:
  // `config`: what it says of helpers, the operator's clauses among it.
  PinnedHost(const Host& host, const Config& config)
      : ForwardingHost(host), pins_(config.helpers), verify_pointer_(config.verify_pointer) {}

  // Nothing where another file stands than the one that is pinned.
  [[nodiscard]] std::optional<std::string> FindTool(std::string_view name) const override;
  // Executes no helper without a pin where the operator asks for one.
  [[nodiscard]] ToolRun Try(const std::vector<std::string>& argv, std::uint32_t limit_ms) const override;

  // The first helper since the last call that was not to be executed. Errors: those of OpenPinned, with the
  // pointer of the pin; kConflict.
  [[nodiscard]] Status Refusal() const;

 private:
  std::vector<HelperPin> pins_;
  std::string verify_pointer_;
  mutable std::map<std::string, std::string, std::less<>> helpers_ = {};  // names of those found, by path
  mutable std::map<std::string, PinnedProgram> found_ = {};               // that are pinned, by path
  mutable std::optional<Error> refusal_ = {};
};

// The pins of the helpers that the plan starts, into the plan, with an entry of the ledger each.
void PinPlan(const std::vector<HelperPin>& pins, Policy& policy, Plan& plan);
// Where the operator asks for it, each has a pin of the operator's: a caller can pin whatever stands there.
// Errors: kConflict, the plan starts a helper without.
[[nodiscard]] Status CheckAllPinned(const Config& config, Plan& plan);

}  // namespace mxc
