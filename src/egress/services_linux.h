// What every connection of the gateway needs; one of each, owned by the server.
#pragma once

#include "egress/announcer_linux.h"
#include "egress/dns_stub.h"
#include "egress/host_resolver_linux.h"
#include "egress/loop_linux.h"
#include "egress/names.h"
#include "egress/pipes_linux.h"
#include "egress/record.h"
#include "egress/rules.h"

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
