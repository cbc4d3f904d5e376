// What other runs hold missing names with (Placeholder in mxc/plan.h): what it stands for does not exist, and
// goes when the last run that holds it ends. A run that took it for a file of the host would be left with a
// name that nothing holds.
#pragma once

#include <string>
#include <unordered_set>

#include "mxc/host.h"
#include "mxc/plan.h"
#include "policy/paths/rules.h"

namespace mxc {

// `lookup` of `path` is a placeholder, or a directory with the mode of one and nothing but such in it. A
// command can leave what looks so: only what HoldFiles joins or takes away counts.
[[nodiscard]] bool IsPlaceholder(const Host& host, const std::string& path, const Lookup& lookup);

// The host as it is without them.
class WithoutPlaceholders final : public ForwardingHost {
 public:
  // Borrows both. What the policy's own rules of `rules` name, and what leads to
  // something that one of them grants, is there all the same.
  WithoutPlaceholders(const Host& host, const RuleSet& rules);

  [[nodiscard]] Lookup LookAt(const std::string& path) const override;

 private:
  const RuleSet& rules_;
  std::unordered_set<std::string> leads_ = {};  // to what the policy's own rules name
};

}  // namespace mxc
