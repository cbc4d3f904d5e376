// What every connection of the gateway needs; one of each, owned by the server.
#pragma once

#include "gateway/dns/dns_stub.h"
#include "gateway/dns/host_resolver_linux.h"
#include "gateway/net/loop_linux.h"
#include "gateway/net/splice_pipes_linux.h"
#include "gateway/relay/announcer_linux.h"
#include "gateway/relay/record.h"
#include "gateway/rules/names.h"
#include "gateway/rules/rules.h"

namespace mxc::egress {

struct Services {
  Loop& loop;
  const RuleBook& rules;
  SyntheticNames& names;
  DnsStub& dns;
  const Announcer& announcer;
  HostResolver& resolver;
  PipePool& pipes;
  Reporter& reporter;
};

}  // namespace mxc::egress
