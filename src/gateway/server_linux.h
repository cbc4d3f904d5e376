// The gateway's process, from fork to its end.
#pragma once

#include <vector>

#include "gateway/gateway.h"
#include "gateway/relay/publish_linux.h"
#include "gateway/rules/rules.h"

namespace mxc::egress {

struct ServerStart {
  pid_t parent = 0;
  const RuleBook& rules;
  ResolverFiles files = {};
  GatewayTimes times = {};
  std::vector<PublishedListener> published = {};
  UniqueFd handover = {};
  UniqueFd records = {};
};

[[noreturn]] void RunServer(ServerStart start);

}  // namespace mxc::egress
