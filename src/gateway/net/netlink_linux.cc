#include <arpa/inet.h>
#include <linux/netlink.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "gateway/net/netlink.h"

namespace mxc::egress {
namespace {

constexpr std::size_t kAnswerBytes = 8192;  // a page holds any answer; extended errors stay off
constexpr int kMaxErrno = 4095;             // of the kernel

constexpr std::size_t Aligned(std::size_t size) { return (size + 3) & ~std::size_t{3}; }

template <class Value>
Value Read(std::span<const std::uint8_t> bytes, std::size_t at) {
  Value value{};
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

}  // namespace

void NetlinkBatch::Append(const void* data, std::size_t size) {
  const auto* bytes = static_cast<const std::uint8_t*>(data);
  bytes_.insert(bytes_.end(), bytes, bytes + size);
  bytes_.resize(Aligned(bytes_.size()));
  Settle();
}

void NetlinkBatch::Write16(std::size_t at, std::uint16_t value) {
  std::memcpy(bytes_.data() + at, &value, sizeof value);
}

void NetlinkBatch::Settle() {
  const auto length = static_cast<std::uint32_t>(bytes_.size() - message_);
  std::memcpy(bytes_.data() + message_ + offsetof(nlmsghdr, nlmsg_len), &length, sizeof length);
}

void NetlinkBatch::Begin(std::uint16_t type, std::uint16_t flags) {
  message_ = bytes_.size();
  nlmsghdr header{};
  header.nlmsg_type = type;
  header.nlmsg_flags = static_cast<std::uint16_t>(flags | NLM_F_REQUEST);
  header.nlmsg_seq = ++sequence_;
  bytes_.resize(message_ + sizeof header);
  std::memcpy(bytes_.data() + message_, &header, sizeof header);
  Settle();
}

void NetlinkBatch::Attribute(std::uint16_t type, std::span<const std::uint8_t> value) {
  const nlattr header{.nla_len = static_cast<std::uint16_t>(sizeof(nlattr) + value.size()), .nla_type = type};
  Append(&header, sizeof header);
  Append(value.data(), value.size());
}

void NetlinkBatch::Number(std::uint16_t type, std::uint32_t value) {
  std::array<std::uint8_t, sizeof value> bytes{};
  std::memcpy(bytes.data(), &value, sizeof value);
  Attribute(type, bytes);
}

void NetlinkBatch::NetworkNumber(std::uint16_t type, std::uint32_t value) { Number(type, htonl(value)); }

void NetlinkBatch::LongNetworkNumber(std::uint16_t type, std::uint64_t value) {
  std::array<std::uint8_t, sizeof value> bytes{};
  for (std::size_t i = bytes.size(); i > 0; --i, value >>= 8U)
    bytes[i - 1] = static_cast<std::uint8_t>(value);
  Attribute(type, bytes);
}

void NetlinkBatch::Text(std::uint16_t type, std::string_view value) {
  std::vector<std::uint8_t> bytes(value.begin(), value.end());
  bytes.push_back(0);
  Attribute(type, bytes);
}

std::size_t NetlinkBatch::Open(std::uint16_t type) {
  const std::size_t opened = bytes_.size();
  const nlattr header{.nla_len = sizeof(nlattr), .nla_type = static_cast<std::uint16_t>(type | NLA_F_NESTED)};
  Append(&header, sizeof header);
  return opened;
}

void NetlinkBatch::Close(std::size_t opened) {
  Write16(opened + offsetof(nlattr, nla_len), static_cast<std::uint16_t>(bytes_.size() - opened));
}

void NetlinkBatch::Acknowledge() {
  const std::size_t at = message_ + offsetof(nlmsghdr, nlmsg_flags);
  Write16(at, static_cast<std::uint16_t>(Read<std::uint16_t>(bytes_, at) | NLM_F_ACK));
  awaited_ = sequence_;
}

std::optional<NetlinkAnswer> NetlinkAnswers::Next() {
  while (!rest_.empty() && !malformed_) {
    nlmsghdr header{};
    if (rest_.size() >= sizeof header) header = Read<nlmsghdr>(rest_, 0);
    malformed_ = header.nlmsg_len < sizeof header || header.nlmsg_len > rest_.size();
    if (malformed_) break;
    const auto message = rest_.first(header.nlmsg_len);
    rest_ = rest_.subspan(std::min(rest_.size(), Aligned(header.nlmsg_len)));
    if (header.nlmsg_type != NLMSG_ERROR) continue;
    malformed_ = message.size() < sizeof header + sizeof(nlmsgerr);
    if (malformed_) break;
    const int error = Read<std::int32_t>(message, sizeof header);
    malformed_ = error > 0 || error < -kMaxErrno;
    if (!malformed_) return NetlinkAnswer{.sequence = header.nlmsg_seq, .error = -error};
  }
  return std::nullopt;
}

int Exchange(int socket, const NetlinkBatch& batch) {
  const std::span<const std::uint8_t> bytes = batch.Bytes();
  if (::send(socket, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) return errno;
  std::array<std::uint8_t, kAnswerBytes> buffer{};
  for (;;) {
    const ssize_t count = ::recv(socket, buffer.data(), buffer.size(), MSG_TRUNC);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    if (static_cast<std::size_t>(count) > buffer.size()) return EMSGSIZE;
    NetlinkAnswers answers{std::span(buffer).first(static_cast<std::size_t>(count))};
    while (const auto answer = answers.Next()) {
      if (answer->error != 0 || answer->sequence == batch.Awaited()) return answer->error;
    }
    if (answers.Malformed()) return EBADMSG;
  }
}

}  // namespace mxc::egress
