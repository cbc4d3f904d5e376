#include "engine/namespace_discard.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <span>

#include "base/passed_fds.h"
#include "engine/child.h"

namespace mxc {

Discard Discard::Make() {
  int ends[2] = {-1, -1};
  // Not blocking: a full queue must not hold up the end of a sandbox.
  if (::socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0) return {};
  return {.sender = UniqueFd{ends[1]}, .queue = UniqueFd{ends[0]}};
}

UniqueFd Discard::Mounts() const {
  char byte = 0;
  std::array<int, 3> all = {-1, -1, -1};
  std::size_t count = 0;
  if (!queue) return {};
  [[maybe_unused]] const ssize_t size =
      ReceiveWithFds(queue.Get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT, all, count);
  for (std::size_t i = 1; i < count; ++i) ::close(all.at(i));
  return UniqueFd{count > 0 ? all.front() : -1};
}

namespace {

void Send(int sender, std::span<const int> fds) {
  const char byte = 0;
  [[maybe_unused]] const ssize_t sent = SendWithFds(sender, &byte, 1, fds);
}

}  // namespace

void CloseLater(UniqueFd fd) {
  const Discard discard = Discard::Make();
  if (!discard.sender || !fd) return;
  const int put_away = fd.Get();
  const int queue = discard.queue.Get();
  Send(discard.sender.Get(), std::span(&put_away, 1));
  Send(discard.sender.Get(), std::span(&queue, 1));
  fd.Reset();  // before the socket: its queue has the last reference
}

namespace engine {

void PutNamespacesAway(const Child& child) {
  std::array<int, 3> all{};
  std::size_t count = 0;
  for (const int fd : {child.locked_mounts, child.mounts, child.network})
    if (fd >= 0) all.at(count++) = fd;
  if (child.locked_mounts >= 0) Send(child.program.discard_sender, std::span(all).first(count));
  for (const int fd : std::span(all).first(count)) ::close(fd);
}

void SealDiscarded(const Child& child) {
  if (child.locked_mounts >= 0)
    Send(child.program.discard_sender, std::span(&child.program.discard_queue, 1));
}

}  // namespace engine
}  // namespace mxc
