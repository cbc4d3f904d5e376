#include "gateway/dns/dns_stub.h"

#include <charconv>

namespace mxc::egress {
namespace {

// Addresses stay valid as long as the sandbox; a minute saves most repeated questions.
constexpr std::uint32_t kTtlS = 60;
constexpr std::string_view kReverse4 = ".in-addr.arpa";
constexpr std::string_view kReverse6 = ".ip6.arpa";

bool IsLocalhost(std::string_view name) { return name == "localhost" || name.ends_with(".localhost"); }

// "4.3.2.1" or 32 hexadecimal digits, backwards, of a reverse name.
std::optional<IpAddress> ReverseAddress(std::string_view name) {
  if (name.ends_with(kReverse4)) {
    name.remove_suffix(kReverse4.size());
    std::string forward;
    while (!name.empty()) {
      const auto dot = name.rfind('.');
      forward += name.substr(dot == std::string_view::npos ? 0 : dot + 1);
      name = dot == std::string_view::npos ? std::string_view() : name.substr(0, dot);
      if (!name.empty()) forward += '.';
    }
    return IpAddress::Parse(forward);
  }
  name.remove_suffix(kReverse6.size());
  IpAddress address{.ipv6 = true};
  if (name.size() != 63) return std::nullopt;
  for (std::size_t i = 0; i < 32; ++i) {
    const char* digit = name.data() + 62 - 2 * i;
    unsigned value = 0;
    if (std::from_chars(digit, digit + 1, value, 16).ptr != digit + 1) return std::nullopt;
    address.bytes[i / 2] =
        static_cast<std::uint8_t>(address.bytes[i / 2] | (i % 2 == 0 ? value << 4U : value));
  }
  return address;
}

}  // namespace

DnsReply DnsStub::Answer(ByteView message) {
  DnsReply reply;
  const std::optional<DnsQuery> query = ReadQuery(message);
  if (!query) return reply;
  DnsAnswer answer;
  if (query->opcode != 0) {
    answer.code = DnsCode::kNotImplemented;
  } else if (!query->question) {
    answer.code = DnsCode::kFormatError;
  } else if (!query->bad_edns_version) {
    answer = AnswerName(*query->question, reply);
  }
  reply.message = WriteAnswer(*query, answer);
  return reply;
}

DnsAnswer DnsStub::AnswerName(const DnsQuestion& question, DnsReply& reply) {
  const std::string& name = question.name;
  if (name.ends_with(kReverse4) || name.ends_with(kReverse6)) return AnswerPointer(question);
  reply.name = question.raw.empty() ? "." : question.raw;
  if (IsLocalhost(name)) return Addresses(question, IpAddress::V4(0x7f000001), IpAddress::Loopback6());
  reply.judgement = {.reason = "not a host name"};
  if (!name.empty()) {
    reply.judgement = name == kHostLoopbackName ? rules_.JudgeHostLoopback(Protocol::kAny, 0)
                                                : rules_.JudgeName(name, Protocol::kAny, 0);
  }
  // NXDOMAIN, because clients then give up. Of REFUSED the C library makes EAI_AGAIN, after which they try
  // again for minutes, and musl waits for another answer.
  if (!reply.judgement.allowed || question.cls != kClassIn) {
    reply.refused = true;
    return {.code = question.cls == kClassIn ? DnsCode::kNoSuchName : DnsCode::kRefused};
  }
  const std::optional<std::uint32_t> number = names_.Number(name);
  if (!number) {
    reply.judgement = {.reason = "too many different names"};
    reply.refused = true;
    return {.code = DnsCode::kServerFailure};
  }
  reply.name = name;
  reply.number = number;
  return Addresses(question, SyntheticNames::V4(*number), SyntheticNames::V6(*number));
}

DnsAnswer DnsStub::Addresses(const DnsQuestion& question, const IpAddress& v4, const IpAddress& v6) const {
  DnsAnswer answer{.ttl_s = kTtlS};
  if (question.type == kTypeA || question.type == kTypeAny) answer.addresses.push_back(v4);
  if (ipv6_ && (question.type == kTypeAaaa || question.type == kTypeAny)) answer.addresses.push_back(v6);
  return answer;
}

DnsAnswer DnsStub::AnswerPointer(const DnsQuestion& question) const {
  const std::optional<IpAddress> address = ReverseAddress(question.name);
  const std::string* name = address ? names_.Find(*address) : nullptr;
  if (name == nullptr) return {.code = DnsCode::kNoSuchName};
  if (question.type != kTypePtr) return {};
  return {.pointer_name = *name, .ttl_s = kTtlS};
}

}  // namespace mxc::egress
