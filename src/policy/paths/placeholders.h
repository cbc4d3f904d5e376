// Placeholders of other runs (Placeholder in mxc/plan.h): the denied or protected path does not exist, and
// the placeholder disappears when the last run that holds it ends. A run that took it for a file of the host
// would then not hold the name.
#pragma once

#include <string>
#include <unordered_set>

#include "mxc/host.h"
#include "mxc/plan.h"
#include "policy/paths/rules.h"

namespace mxc {

// Whether `lookup` of `path` looks like a placeholder, or like a directory of placeholders with the mode of
// one. A command can create lookalikes, so only HoldFiles decides.
[[nodiscard]] bool IsPlaceholder(const Host& host, const std::string& path, const Lookup& lookup);

// The host without placeholders.
class WithoutPlaceholders final : public ForwardingHost {
 public:
  // Borrows both. Keeps objects that the policy's own rules in `rules` name, and directories above their
  // grants.
  WithoutPlaceholders(const Host& host, const RuleSet& rules);

  [[nodiscard]] Lookup LookAt(const std::string& path) const override;

 private:
  const RuleSet& rules_;
  std::unordered_set<std::string> leads_ = {};  // directories above what the policy's own rules name
};

}  // namespace mxc
