#include "unix_sockets/unix_sockets_linux.h"

#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>

#include "base/unique_fd.h"

namespace mxc {
namespace {

struct DumpRequest {
  nlmsghdr head = {};
  unix_diag_req socket = {};
};

// The next of the parts that begin with their own length; empty at the end, and where it is none.
template <typename Head>
std::span<const char> TakePart(std::span<const char>& rest, std::size_t length) {
  constexpr std::size_t kAlignment = 4;
  if (length < sizeof(Head) || length > rest.size()) {
    rest = {};
    return {};
  }
  const std::span<const char> part = rest.first(length);
  rest = rest.subspan(std::min(rest.size(), (length + kAlignment - 1) / kAlignment * kAlignment));
  return part;
}

enum class Dump { kMore, kDone, kFailed };

Dump Visit(std::span<const char> rest, const std::function<void(const UnixSocket&)>& visit) {
  while (rest.size() >= sizeof(nlmsghdr)) {
    const auto head = ValueAt<nlmsghdr>(rest);
    const std::span<const char> message = TakePart<nlmsghdr>(rest, head.nlmsg_len);
    if (head.nlmsg_type == NLMSG_DONE) return Dump::kDone;
    if (message.empty() || head.nlmsg_type == NLMSG_ERROR || (head.nlmsg_flags & NLM_F_DUMP_INTR) != 0)
      return Dump::kFailed;
    if (message.size() >= sizeof(nlmsghdr) + sizeof(unix_diag_msg))
      visit(UnixSocket(message.subspan(sizeof(nlmsghdr))));
  }
  return Dump::kMore;
}

}  // namespace

std::uint32_t UnixSocket::Number() const { return ValueAt<unix_diag_msg>(message_).udiag_ino; }

std::span<const char> UnixSocket::Attribute(unsigned type) const {
  for (auto rest = message_.subspan(sizeof(unix_diag_msg)); rest.size() >= sizeof(nlattr);) {
    const auto head = ValueAt<nlattr>(rest);
    const std::span<const char> part = TakePart<nlattr>(rest, head.nla_len);
    if (part.empty()) break;
    if (head.nla_type == type) return part.subspan(sizeof(nlattr));
  }
  return {};
}

bool DumpUnixSockets(std::uint32_t show, const std::function<void(const UnixSocket&)>& visit) {
  const UniqueFd netlink{::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG)};
  DumpRequest request;
  request.head.nlmsg_len = sizeof request;
  request.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  request.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  request.socket.sdiag_family = AF_UNIX;
  request.socket.udiag_states = ~0U;
  request.socket.udiag_show = show;
  if (!netlink || ::send(netlink.Get(), &request, sizeof request, 0) < 0) return false;
  std::array<char, 32768> buffer;  // NOLINT(*-member-init): the kernel fills it
  for (Dump state = Dump::kMore; state != Dump::kDone;) {
    const ssize_t size = ::recv(netlink.Get(), buffer.data(), buffer.size(), 0);
    if (size <= 0) return false;
    state = Visit(std::span<const char>(buffer).first(static_cast<std::size_t>(size)), visit);
    if (state == Dump::kFailed) return false;
  }
  return true;
}

}  // namespace mxc
