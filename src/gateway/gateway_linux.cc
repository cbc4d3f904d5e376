#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <iterator>
#include <utility>

#include "gateway/gateway.h"
#include "gateway/relay/record.h"
#include "gateway/server_linux.h"

namespace mxc {
namespace {

// A loaded machine may not schedule the gateway for a second. One that is silent for longer hangs, and is
// killed.
constexpr std::int64_t kFinishMs = 3000;
// Some ten thousand records may remain (record_limit.h), which are written to files meanwhile.
constexpr std::int64_t kMostFinishMs = 30000;
constexpr int kRecordsPerTurn = 64;

struct SocketPair {
  UniqueFd ours = {};
  UniqueFd theirs = {};
};

Result<SocketPair> MakePair() {
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return SystemError(ErrorCode::kSetupFailed, "create a socket for the network gateway", errno);
  }
  return SocketPair{UniqueFd{ends[0]}, UniqueFd{ends[1]}};
}

std::int64_t NowMs() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1000000;
}

// Until the other end is closed, for at most `limit_ms`, and `silence_ms` without a record, or until it is
// interrupted.
void TakeRecordsUntilEnd(int records, const std::function<void(const GatewayRecord&)>& on_record,
                         std::int64_t limit_ms, std::int64_t silence_ms, const Undelivered& undelivered) {
  const std::int64_t deadline = NowMs() + limit_ms;
  std::int64_t heard_ms = NowMs();
  for (std::int64_t left = silence_ms; left > 0; left = std::min(deadline, heard_ms + silence_ms) - NowMs()) {
    for (int i = 0; i < kRecordsPerTurn; ++i) {
      const auto record = ReadRecord(records);
      if (!record) break;
      on_record(*record);
      heard_ms = NowMs();
    }
    pollfd polls[] = {{.fd = records, .events = POLLIN, .revents = 0},
                      {.fd = undelivered.interrupt, .events = POLLIN, .revents = 0}};
    if (::poll(polls, std::size(polls), static_cast<int>(left)) < 0 && errno != EINTR) break;
    if (polls[1].revents != 0 && undelivered.interrupted()) break;
    const short events = polls[0].revents;
    if ((events & (POLLHUP | POLLERR)) != 0 && (events & POLLIN) == 0) break;
    char next = 0;
    if ((events & POLLHUP) != 0 && ::recv(records, &next, 1, MSG_PEEK | MSG_DONTWAIT) <= 0) break;
  }
}

}  // namespace

Result<Gateway> StartGateway(const EgressRules& rules, const ResolverFiles& files,
                             const GatewayTimes& times) {
  Result<egress::RuleBook> book = egress::RuleBook::Compile(rules);
  if (!book) return book.error();
  Result<std::vector<egress::PublishedListener>> published = egress::OpenPublished(rules.publish);
  if (!published) return published.error();
  Result<SocketPair> handover = MakePair();
  if (!handover) return handover.error();
  Result<SocketPair> records = MakePair();
  if (!records) return records.error();
  const pid_t parent = ::getpid();
  const pid_t id = ::fork();
  if (id == 0) {
    egress::RunServer({.parent = parent,
                       .rules = *book,
                       .files = files,
                       .times = times,
                       .published = std::move(*published),
                       .handover = std::move(handover->theirs),
                       .records = std::move(records->theirs)});
  }
  if (id < 0) return SystemError(ErrorCode::kSetupFailed, "create the network gateway", errno);
  return Gateway{.id = id,
                 .handle = UniqueFd{static_cast<int>(::syscall(SYS_pidfd_open, id, 0U))},
                 .handover = std::move(handover->ours),
                 .records = std::move(records->ours)};
}

std::optional<GatewayRecord> ReadRecord(int records, const std::function<void(std::uint32_t)>& on_mark) {
  std::array<std::uint8_t, egress::kMaxRecordBytes> buffer{};
  for (;;) {
    const ssize_t count = ::recv(records, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;
    std::uint32_t mark = 0;
    if (count == sizeof mark && on_mark) {
      std::memcpy(&mark, buffer.data(), sizeof mark);
      on_mark(mark);
    }
    if (auto record = egress::DecodeRecord({buffer.data(), static_cast<std::size_t>(count)})) return record;
  }
}

bool MarkRecords(int records, std::uint32_t mark) {
  return ::send(records, &mark, sizeof mark, MSG_DONTWAIT | MSG_NOSIGNAL) == sizeof mark;
}

bool SendRecord(int socket, const GatewayRecord& record) {
  const egress::Bytes message = egress::EncodeRecord(record);
  return ::send(socket, message.data(), message.size(), MSG_DONTWAIT | MSG_NOSIGNAL) ==
         static_cast<ssize_t>(message.size());
}

void TakeLastRecords(int records, const std::function<void(const GatewayRecord&)>& on_record) {
  ::shutdown(records, SHUT_WR);
  TakeRecordsUntilEnd(records, on_record, kMostFinishMs, kFinishMs, {});
}

bool FinishGateway(Gateway& gateway, const std::function<void(const GatewayRecord&)>& on_record,
                   const Undelivered& undelivered) {
  gateway.handover.Reset();
  const int records = gateway.records.Get();
  constexpr std::int64_t kLimitMs = std::int64_t{kDeliveryMs} + kFinishMs;
  if (undelivered.wanted &&
      ::send(records, &kSandboxIsGone, sizeof kSandboxIsGone, MSG_NOSIGNAL) == sizeof kSandboxIsGone)
    TakeRecordsUntilEnd(records, on_record, kLimitMs, kLimitMs, undelivered);
  TakeLastRecords(gateway.records.Get(), on_record);
  ::kill(gateway.id, SIGKILL);
  int status = -1;
  while (::waitpid(gateway.id, &status, 0) < 0 && errno == EINTR) {
  }
  gateway = {};
  return status == 0;
}

}  // namespace mxc
