// A network namespace whose every address leads to the gateway.

#include "engine/child.h"
#include "gateway/setup/gateway_sockets.h"

namespace mxc::engine {
namespace {

Step StepOf(egress::InsideStep step) {
  switch (step) {
    case egress::InsideStep::kSteer:
      return Step::kSteer;
    case egress::InsideStep::kRoutes:
      return Step::kRoutes;
    case egress::InsideStep::kSockets:
      return Step::kGatewaySockets;
    case egress::InsideStep::kLoopback:
    case egress::InsideStep::kJoin:
    case egress::InsideStep::kAwait:
      break;
  }
  return Step::kNetwork;
}

}  // namespace

// Runs before the capabilities over the namespace are dropped. The gateway starts meanwhile, and receives the
// sockets while the mounts are made.
void SetUpGateway(const Child& child) {
  const Program& program = child.program;
  if (program.gateway_handover < 0) return;
  egress::InsideSockets sockets;
  egress::InsideStep failed{};
  if (egress::OpenInside(program.inside, sockets, failed) != 0) child.Fail(StepOf(failed));
  child.Check(SendGatewaySockets(program.gateway_handover, sockets.View()), Step::kGateway);
  sockets.Close();
}

void AwaitGatewayStart(const Child& child) {
  if (child.program.gateway_handover >= 0)
    child.Check(AwaitGateway(child.program.gateway_handover), Step::kGateway);
}

}  // namespace mxc::engine
