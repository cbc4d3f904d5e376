// The gateway's process, from fork to its end.
#pragma once

#include "egress/gateway.h"
#include "egress/rules.h"

namespace mxc::egress {

struct ServerStart {
  pid_t parent = 0;
  const RuleBook& rules;
  const EgressRules& source;
  ResolverFiles files = {};
  UniqueFd door = {};
  UniqueFd records = {};
};

[[noreturn]] void RunServer(ServerStart start);

}  // namespace mxc::egress
