// The network gateway: a process in the host's network namespace that holds the sockets in which every route
// of a sandbox ends. It decides which of the sandbox's traffic may leave, and relays that
// (docs/adr/0013-egress-gateway.md).
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

// How long an idle connection or flow is kept, and how often they are checked.
struct GatewayTimes {
  // TCP without data in either direction. Longer than the keep-alive of databases and of ssh; TCP itself
  // detects a dead peer.
  std::uint64_t connection_idle_ms = std::uint64_t{2} * 3600 * 1000;
  std::uint64_t flow_idle_ms = 120000;  // RFC 4787, REQ-5: not less than two minutes
  std::uint64_t sweep_ms = 10000;
};

// Compiles the rules, takes the published ports, and forks. The caller must be single-threaded,
// because the child never calls exec. The child keeps no capability, only its own descriptors and the files
// of the resolver, and ignores every signal but KILL. Errors: kConflict with the pointer of a published port
// that is taken; kSchema with the pointer of a rule that cannot be read; kSetupFailed.
[[nodiscard]] Result<Gateway> StartGateway(const EgressRules& rules, const ResolverFiles& files = {},
                                           const GatewayTimes& times = {});

// The next record that has arrived, or nothing. Skips malformed ones: the gateway parses untrusted bytes, so
// its records are checked too. Calls `on_mark` for each mark that precedes the record.
[[nodiscard]] std::optional<GatewayRecord> ReadRecord(
    int records, const std::function<void(std::uint32_t)>& on_mark = nullptr);
// Asks the gateway for its records up to now, with `mark` after them. It also sends those that it has only
// counted so far, and afterwards reports again what it has reported before. False: it has ended, or too many
// marks are pending.
[[nodiscard]] bool MarkRecords(int records, std::uint32_t mark);
// Sends a record to the process that calls ReadRecord at the other end. False: the socket is full, or closed
// there.
[[nodiscard]] bool SendRecord(int socket, const GatewayRecord& record);
// Tells the other end to stop, and takes the last records (bounded in number and time).
void TakeLastRecords(int records, const std::function<void(const GatewayRecord&)>& on_record);

// One byte from the launcher: no process of the sandbox is left.
inline constexpr char kSandboxIsGone = 'g';
// How long the gateway then goes on sending the bytes that the sandbox had sent. For an ordinary program the
// kernel does so for minutes after its end; here the caller waits for the run.
inline constexpr std::uint64_t kDeliveryMs = 5000;

// Whether bytes that the sandbox has sent, and the gateway has not yet relayed, are still delivered.
struct Undelivered {
  bool wanted = true;
  // When this is readable, `interrupted` decides whether delivery stops. -1: nothing interrupts it.
  int interrupt = -1;  // borrowed
  std::function<bool()> interrupted = nullptr;
};

// Once the sandbox is gone: lets the gateway deliver what is wanted, takes its last records, ends it and
// reaps it. False: it had to be killed, or has ended with records that it could not hand over.
[[nodiscard]] bool FinishGateway(Gateway& gateway, const std::function<void(const GatewayRecord&)>& on_record,
                                 const Undelivered& undelivered);

}  // namespace mxc
