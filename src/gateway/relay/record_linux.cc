#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "gateway/relay/record.h"

namespace mxc::egress {
namespace {

// Room for every name that DNS can carry, four bytes for one: the launcher hides values in it, and would not
// find one that is cut.
constexpr std::size_t kMaxText = 1024;
constexpr int kWaitMs = 3000;  // as the launcher waits for us
constexpr std::uint64_t kPauseMs = 20;
// Far below what the socket's buffer holds by default (208 KiB, each of some 800 bytes to the kernel).
constexpr std::size_t kMostTogether = 64;

void PutNumber(Bytes& out, std::uint64_t value, unsigned width) {
  for (unsigned i = 0; i < width; ++i) out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

void PutText(Bytes& out, std::string_view text) {
  text = text.substr(0, kMaxText);
  PutNumber(out, text.size(), 2);
  out.insert(out.end(), text.begin(), text.end());
}

struct Source {
  ByteView bytes;
  bool failed = false;

  std::uint64_t Number(unsigned width) {
    failed = failed || bytes.size() < width;
    if (failed) return 0;
    std::uint64_t value = 0;
    for (unsigned i = 0; i < width; ++i) value |= std::uint64_t{bytes[i]} << (8 * i);
    bytes = bytes.subspan(width);
    return value;
  }
  std::string Text() {
    const std::size_t size = Number(2);
    failed = failed || size > kMaxText || size > bytes.size();
    if (failed) return {};
    std::string text(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    bytes = bytes.subspan(size);
    return text;
  }
};

}  // namespace

Bytes EncodeRecord(const GatewayRecord& record) {
  Bytes out;
  PutNumber(out, static_cast<std::uint64_t>(record.event), 1);
  PutNumber(out, static_cast<std::uint64_t>(record.verdict), 1);
  PutNumber(out, record.port, 2);
  for (const std::uint64_t number :
       {record.time_ms, record.duration_ms, record.bytes_out, record.bytes_in, record.lost}) {
    PutNumber(out, number, 8);
  }
  for (const std::string* text : {&record.name, &record.address, &record.pointer, &record.reason}) {
    PutText(out, *text);
  }
  return out;
}

std::optional<GatewayRecord> DecodeRecord(ByteView message) {
  Source source{message};
  const std::uint64_t event = source.Number(1);
  const std::uint64_t verdict = source.Number(1);
  GatewayRecord record{.port = static_cast<std::uint16_t>(source.Number(2))};
  for (std::uint64_t* number :
       {&record.time_ms, &record.duration_ms, &record.bytes_out, &record.bytes_in, &record.lost}) {
    *number = source.Number(8);
  }
  for (std::string* text : {&record.name, &record.address, &record.pointer, &record.reason}) {
    *text = source.Text();
  }
  if (source.failed || !source.bytes.empty() || event > 3 || verdict > 1) return std::nullopt;
  record.event = static_cast<GatewayEvent>(event);
  record.verdict = static_cast<RuleAction>(verdict);
  return record;
}

void Reporter::Report(GatewayRecord record) {
  if (limit_.IsDayOver(loop_.NowMs())) WriteRepeats();
  switch (limit_.Look(record, loop_.NowMs())) {
    case RecordLimit::Fate::kWrite:
      record.lost = std::exchange(lost_, 0);
      return Write(record);
    case RecordLimit::Fate::kRepeat:
      return;
    case RecordLimit::Fate::kLeaveOut:
      ++lost_;
      return;
  }
}

void Reporter::WriteRepeats() {
  for (const GatewayRecord& record : limit_.TakeRepeats()) Write(record);
}

// A record without a destination stands for one record that was left out, and counts the others.
void Reporter::Finish() {
  WriteRepeats();
  if (lost_ == 0) return;
  const std::uint64_t others = std::exchange(lost_, 0) - 1;
  Write({.time_ms = WallClockMs(), .reason = "too many decisions to write all of them", .lost = others});
}

void Reporter::Mark(std::uint32_t mark) {
  Finish();
  Bytes message(sizeof mark);
  std::memcpy(message.data(), &mark, sizeof mark);
  pending_.push_back(std::move(message));
  Send();
}

void Reporter::Write(const GatewayRecord& record) {
  if (record.verdict == RuleAction::kAllow && pending_.size() >= kMostPending) {
    lost_ += 1 + record.lost;
    return;
  }
  pending_.push_back(EncodeRecord(record));
  if (!pause_.IsSet() || pending_.size() % kMostTogether == 0) Send();
}

void Reporter::Send() {
  if (!pending_.empty()) pause_.Set(loop_, kPauseMs, [this] { Send(); });
  while (Hand()) {
  }
}

bool Reporter::Flush() {
  pollfd room{.fd = socket_, .events = POLLOUT, .revents = 0};
  for (std::size_t before = 0; !pending_.empty() && before != pending_.size();) {
    before = pending_.size();
    if (::poll(&room, 1, kWaitMs) > 0) Send();
  }
  return pending_.empty();
}

bool Reporter::Hand() {
  std::array<mmsghdr, kMostTogether> messages{};
  std::array<iovec, kMostTogether> parts{};
  const std::size_t count = std::min(pending_.size(), kMostTogether);
  for (std::size_t i = 0; i < count; ++i) {
    parts.at(i) = {.iov_base = pending_[i].data(), .iov_len = pending_[i].size()};
    messages.at(i).msg_hdr.msg_iov = &parts.at(i);
    messages.at(i).msg_hdr.msg_iovlen = 1;
  }
  const int sent =
      ::sendmmsg(socket_, messages.data(), static_cast<unsigned>(count), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent > 0) pending_.erase(pending_.begin(), pending_.begin() + sent);
  return sent > 0 && !pending_.empty();
}

}  // namespace mxc::egress
