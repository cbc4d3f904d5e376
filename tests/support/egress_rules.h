// Two rules of egress: good.test alone, and everything but evil.test.
#pragma once

#include "gateway/rules/rules.h"

namespace mxc::egress {

inline RuleBook OnlyGood() {
  return RuleBook::Compile({.allow = {{.to = {{.host = "good.test"}}, .pointer = "/allow"}}}).value();
}
inline RuleBook AllButEvil() {
  const NetworkRule rule{.to = {{.host = "evil.test"}, {.host = "*.evil.test"}}, .pointer = "/deny"};
  return RuleBook::Compile({.egress = RuleAction::kAllow, .deny = {rule}}).value();
}

}  // namespace mxc::egress
