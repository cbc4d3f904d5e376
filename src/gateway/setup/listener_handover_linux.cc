#include "gateway/setup/listener_handover_linux.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <span>
#include <utility>

#include "base/passed_fds.h"
#include "gateway/setup/gateway_sockets.h"

namespace mxc {
namespace {

struct Descriptors {
  std::array<int, kMaxGatewaySockets> numbers = {};
  std::size_t count = 0;

  // 1 when it is a descriptor.
  std::uint32_t Add(int fd) {
    if (fd < 0 || count >= numbers.size()) return 0;
    numbers[count++] = fd;
    return 1;
  }
  std::uint32_t Add(std::span<const int> fds) {
    std::uint32_t added = 0;
    for (const int fd : fds) added += Add(fd);
    return added;
  }
};

}  // namespace

int SendGatewaySockets(int handover, const GatewaySockets& sockets) {
  Descriptors descriptors;
  egress::HandoverMessage content;
  content.tcp = descriptors.Add(sockets.tcp);
  content.udp = descriptors.Add(sockets.udp);
  content.raw4 = descriptors.Add(sockets.raw4);
  content.raw6 = descriptors.Add(sockets.raw6);
  content.refusals = descriptors.Add(sockets.refusals);
  content.counted = descriptors.Add(sockets.counted);
  content.inside = descriptors.Add(sockets.inside);
  const std::span<const int> fds = std::span(descriptors.numbers).first(descriptors.count);
  return SendWithFds(handover, &content, sizeof content, fds) < 0 ? -1 : 0;
}

int AwaitGateway(int handover) {
  char ready = 0;
  ssize_t count = 0;
  do {
    count = ::recv(handover, &ready, 1, 0);
  } while (count < 0 && errno == EINTR);
  if (count == 0) errno = EPIPE;
  return count == 1 ? 0 : -1;
}

namespace egress {

std::optional<ReceivedSockets> ReceiveSockets(int handover) {
  HandoverMessage content;
  std::array<int, kMaxGatewaySockets> numbers{};
  std::size_t passed = 0;
  const ssize_t count = ReceiveWithFds(handover, &content, sizeof content, 0, numbers, passed);
  std::vector<UniqueFd> fds(numbers.begin(), numbers.begin() + passed);
  const std::size_t wanted = std::size_t{content.tcp} + content.udp + content.raw4 + content.raw6 +
                             content.refusals + content.counted + content.inside;
  if (count != static_cast<ssize_t>(sizeof content) || fds.size() != wanted) return std::nullopt;
  ReceivedSockets sockets;
  auto next = fds.begin();
  const auto take = [&next](std::vector<UniqueFd>& into, std::uint32_t number) {
    for (; number > 0; --number) into.push_back(std::move(*next++));
  };
  take(sockets.tcp, content.tcp);
  take(sockets.udp, content.udp);
  if (content.raw4 == 1) sockets.raw4 = std::move(*next++);
  if (content.raw6 == 1) sockets.raw6 = std::move(*next++);
  if (content.refusals == 1) sockets.refusals = std::move(*next++);
  if (content.counted == 1) sockets.counted = std::move(*next++);
  take(sockets.inside, content.inside);
  return sockets;
}

}  // namespace egress
}  // namespace mxc
