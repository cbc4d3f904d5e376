// The network gateway: a process of its own in the host's network namespace, which decides about and relays
// what leaves a sandbox whose every route ends in sockets that it holds (docs/adr/0013-egress-gateway.md).
//
//   Result<Gateway> gateway = StartGateway(rules);          // in the launcher, before the sandbox
//   ... in the sandbox's network namespace, async-signal-safe:
//   SendGatewaySockets(gateway->handover.Get(), sockets);       // it now owns copies; close yours
//   AwaitGateway(gateway->handover.Get());                      // serves from here on
//   ... in the launcher, beside everything else it polls:
//   while (auto record = ReadRecord(gateway->records.Get())) ...
//   FinishGateway(*gateway, on_record);                     // the sandbox is gone
//
// The gateway dies with the launcher, or when `records` is closed. Its end closes its sockets: a sandbox
// without its gateway has no network, never an open one.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>

#include "base/unique_fd.h"
#include "gateway/dns/resolver_files.h"
#include "gateway/setup/gateway_sockets.h"
#include "mxc/egress.h"
#include "mxc/error.h"

namespace mxc {

struct Gateway {
  pid_t id = -1;
  UniqueFd handle = {};    // pidfd; the launcher reaps the process (FinishGateway does)
  UniqueFd handover = {};  // for SendGatewaySockets and AwaitGateway; close it once the command runs
  UniqueFd records = {};   // non-blocking; readable: ReadRecord. Hang-up: the gateway is gone
};

// How long what is silent may stand, and how often that is looked at.
struct GatewayTimes {
  // TCP, nothing in either direction. Longer than the keep-alive of databases and of ssh; a dead peer is
  // found by TCP.
  std::uint64_t connection_idle_ms = std::uint64_t{2} * 3600 * 1000;
  std::uint64_t flow_idle_ms = 120000;  // RFC 4787, REQ-5: not less than two minutes
  std::uint64_t sweep_ms = 10000;
};

// Compiles the rules, takes the published ports, and forks. The caller must be single-threaded: the child
// goes on as a whole program. It keeps no capability, no descriptor but its own, no file but the resolver's,
// and ignores every signal but KILL. Errors: kConflict with the pointer of a published port that is taken;
// kSchema with the pointer of a rule that cannot be read; kSetupFailed.
[[nodiscard]] Result<Gateway> StartGateway(const EgressRules& rules, const ResolverFiles& files = {},
                                           const GatewayTimes& times = {});

// The next record that has arrived, or nothing. Malformed ones are passed over: the gateway parses
// untrusted bytes, so its records are checked too. `on_mark` is called of marks before
// it.
[[nodiscard]] std::optional<GatewayRecord> ReadRecord(
    int records, const std::function<void(std::uint32_t)>& on_mark = nullptr);
// Asks the gateway for its records up to now. What it has counted only is told, what it has told before is
// news again, and `mark` comes behind. False: it is gone, or is asked for too much.
[[nodiscard]] bool MarkRecords(int records, std::uint32_t mark);
// Passes one on, to whoever calls ReadRecord at the other end. False: there is no room, or nobody.
[[nodiscard]] bool SendRecord(int socket, const GatewayRecord& record);
// Tells the other end to stop, and takes the last records (bounded in number and time).
void TakeLastRecords(int records, const std::function<void(const GatewayRecord&)>& on_record);

// One byte from the launcher: no process of the sandbox is left.
inline constexpr char kSandboxIsGone = 'g';
// How long the gateway then goes on sending what the sandbox has said. A kernel does so for an ordinary
// program that has ended, for minutes; whoever waits for a run has to be told.
inline constexpr std::uint64_t kDeliveryMs = 5000;

// What is to become of bytes that the sandbox has sent and the gateway has not yet passed on.
struct Undelivered {
  bool wanted = true;
  // When this is readable, `interrupted` says whether they are wanted no longer. -1: nothing interrupts.
  int interrupt = -1;  // borrowed
  std::function<bool()> interrupted = nullptr;
};

// Once the sandbox is gone: lets the gateway deliver what is wanted, takes its last records, ends it and
// reaps it. False: it had to be killed, or has ended with records that it could not hand over.
[[nodiscard]] bool FinishGateway(Gateway& gateway, const std::function<void(const GatewayRecord&)>& on_record,
                                 const Undelivered& undelivered);

}  // namespace mxc
