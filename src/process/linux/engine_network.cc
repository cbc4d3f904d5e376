// The sandbox's own network: a loopback interface, and the gateway's sockets when there is a gateway.
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>

#include "egress/gateway.h"
#include "process/linux/engine_child.h"

namespace mxc::engine {
namespace {

void BringUpLoopback(const Child& child) {
  const int socket = child.Check(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), Step::kNetwork);
  ifreq request{};
  std::memcpy(request.ifr_name, "lo", sizeof "lo");
  request.ifr_flags = IFF_UP | IFF_RUNNING | IFF_LOOPBACK;
  child.Check(::ioctl(socket, SIOCSIFFLAGS, &request), Step::kNetwork);
  ::close(socket);
}

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

// While the capabilities over the namespace are still held. The gateway prepares itself meanwhile, and takes
// the sockets while the mounts are made.
void SetUpNetwork(const Child& child) {
  const Program& program = child.program;
  if (!program.private_network) return;
  if (program.gateway_door < 0) {
    BringUpLoopback(child);
    return;
  }
  egress::InsideSockets sockets;
  egress::InsideStep failed{};
  if (egress::OpenInside(program.inside, sockets, failed) != 0) child.Fail(StepOf(failed));
  child.Check(SendGatewaySockets(program.gateway_door, sockets.View()), Step::kGateway);
  sockets.Close();
}

void AwaitNetwork(const Child& child) {
  if (child.program.gateway_door >= 0) child.Check(AwaitGateway(child.program.gateway_door), Step::kGateway);
}

}  // namespace mxc::engine
