#include "gateway/dns/dns_message.h"

#include <algorithm>

#include "base/lists.h"
#include "base/quoted.h"
#include "gateway/rules/rules.h"

namespace mxc::egress {
namespace {

constexpr std::size_t kHeaderBytes = 12;
constexpr std::uint16_t kTypeOpt = 41;
constexpr std::size_t kMaxNameBytes = 255;
constexpr std::size_t kMaxRecords = 256;  // of a response we look at
// A resolver behind a path with small packets: RFC 9715 names 1232 as what passes everywhere.
constexpr std::uint16_t kOurUdpSize = 1232;

// Reads forward; a read past the end gives zeros and stops everything after it.
class Reader {
 public:
  explicit Reader(ByteView message) : message_(message) {}

  [[nodiscard]] bool Failed() const { return failed_; }
  [[nodiscard]] std::size_t At() const { return at_; }

  std::uint8_t Byte() {
    if (failed_ || at_ >= message_.size()) {
      failed_ = true;
      return 0;
    }
    return message_[at_++];
  }
  std::uint16_t Number16() {
    const unsigned high = Byte();
    return static_cast<std::uint16_t>((high << 8U) | Byte());
  }
  std::uint32_t Number32() {
    const std::uint32_t high = Number16();
    return (high << 16U) | Number16();
  }
  ByteView Take(std::size_t count) {
    if (failed_ || message_.size() - at_ < count) {
      failed_ = true;
      return {};
    }
    at_ += count;
    return message_.subspan(at_ - count, count);
  }
  // Labels with dots between them. A compression pointer must lead backwards, so that no chain of them can
  // loop; every label is at least one step forward, and their sum is bounded.
  std::string Name() {
    std::string name;
    std::size_t bytes = 1;
    std::size_t limit = at_;  // the next pointer must lead before this
    std::optional<std::size_t> resume;
    for (std::uint8_t length = Byte(); length != 0; length = Byte()) {
      if ((length & 0xc0U) == 0xc0U) {
        const std::size_t target = ((length & 0x3fU) << 8U) | Byte();
        resume = resume.value_or(at_);
        if (target >= limit) return Fail();
        limit = at_ = target;
        continue;
      }
      bytes += length + std::size_t{1};
      if ((length & 0xc0U) != 0 || bytes > kMaxNameBytes) return Fail();
      AppendLabel(name, Take(length));
    }
    if (failed_) return Fail();
    at_ = resume.value_or(at_);
    return name;
  }

 private:
  std::string Fail() {
    failed_ = true;
    return {};
  }
  static void AppendLabel(std::string& name, ByteView label) {
    if (!name.empty()) name += '.';
    name += EscapedLabel({reinterpret_cast<const char*>(label.data()), label.size()});
  }

  ByteView message_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

void PutName(Bytes& out, std::string_view name) {
  while (!name.empty()) {
    const std::string_view label = TakePiece(name, '.');
    out.push_back(static_cast<std::uint8_t>(label.size()));
    out.insert(out.end(), label.begin(), label.end());
  }
  out.push_back(0);
}

// The OPT record of RFC 6891: root name, our UDP size in place of a class, nothing set.
void PutOpt(Bytes& out, unsigned extended_code) {
  out.push_back(0);
  Put16(out, kTypeOpt);
  Put16(out, kOurUdpSize);
  Put16(out, extended_code << 8U);
  Put16(out, 0);
  Put16(out, 0);
}

// Name, type, class and TTL of an answer; the name is the question's, at offset 12.
void PutRecordHead(Bytes& out, std::uint16_t type, std::uint32_t ttl_s, std::size_t length) {
  Put16(out, 0xc000U | kHeaderBytes);
  Put16(out, type);
  Put16(out, kClassIn);
  Put16(out, ttl_s >> 16U);
  Put16(out, ttl_s & 0xffffU);
  Put16(out, static_cast<unsigned>(length));
}

void PutRecords(Bytes& out, const DnsAnswer& answer) {
  for (const IpAddress& address : answer.addresses) {
    const std::size_t length = address.ipv6 ? 16 : 4;
    PutRecordHead(out, address.ipv6 ? kTypeAaaa : kTypeA, answer.ttl_s, length);
    out.insert(out.end(), address.bytes.begin(), address.bytes.begin() + static_cast<std::ptrdiff_t>(length));
  }
  if (answer.pointer_name.empty()) return;
  PutRecordHead(out, kTypePtr, answer.ttl_s, answer.pointer_name.size() + 2);
  PutName(out, answer.pointer_name);
}

DnsQuestion ReadQuestion(Reader& reader) {
  DnsQuestion question;
  question.raw = reader.Name();
  question.type = reader.Number16();
  question.cls = reader.Number16();
  if (const auto name = ValidName(question.raw)) question.name = *name;
  return question;
}

struct Record {
  std::string owner = {};  // ValidName, or empty
  std::uint16_t type = 0;
  std::uint16_t cls = 0;
  std::uint32_t ttl_s = 0;
  ByteView data = {};
  std::string alias = {};  // of a CNAME: ValidName, or empty, which no owner is
};

Record ReadRecord(Reader& reader) {
  Record record;
  record.owner = ValidName(reader.Name()).value_or("");
  record.type = reader.Number16();
  record.cls = reader.Number16();
  record.ttl_s = reader.Number32();
  const std::uint16_t length = reader.Number16();
  Reader inside = reader;  // a name in the data may point to anything before it
  record.data = reader.Take(length);
  if (record.type != kTypeCname) return record;
  const std::string alias = inside.Name();
  if (!inside.Failed() && inside.At() == reader.At()) record.alias = ValidName(alias).value_or("");
  return record;
}

void AddAddress(const Record& record, DnsResponse& response) {
  IpAddress address{.ipv6 = record.type == kTypeAaaa};
  if (record.data.size() != (address.ipv6 ? 16U : 4U)) return;
  std::copy(record.data.begin(), record.data.end(), address.bytes.begin());
  response.addresses.push_back(address);
}

// The OPT record among `count` additional ones, if there is one.
void ReadEdns(Reader& reader, unsigned count, DnsQuery& query) {
  for (unsigned i = 0; i < count && i < 4 && !reader.Failed(); ++i) {
    const std::string owner = reader.Name();
    const std::uint16_t type = reader.Number16();
    const std::uint16_t size = reader.Number16();
    const std::uint32_t flags = reader.Number32();
    reader.Take(reader.Number16());
    if (type != kTypeOpt || !owner.empty() || reader.Failed()) continue;
    query.edns_size = size;
    query.bad_edns_version = ((flags >> 16U) & 0xffU) != 0;
  }
}

}  // namespace

std::optional<DnsQuery> ReadQuery(ByteView message) {
  if (message.size() < kHeaderBytes) return std::nullopt;
  Reader reader(message);
  DnsQuery query{.id = reader.Number16()};
  const std::uint16_t flags = reader.Number16();
  if ((flags & 0x8000U) != 0) return std::nullopt;  // an answer: whoever answers answers may loop
  query.opcode = static_cast<std::uint8_t>((flags >> 11U) & 0xfU);
  query.recursion_desired = (flags & 0x0100U) != 0;
  const std::uint16_t questions = reader.Number16();
  const std::uint32_t records = reader.Number32();  // answers and authorities: none in a query
  const std::uint16_t additional = reader.Number16();
  if (questions != 1 || records != 0) return query;
  DnsQuestion question = ReadQuestion(reader);
  if (reader.Failed()) return query;
  const ByteView wire = message.subspan(kHeaderBytes, reader.At() - kHeaderBytes);
  question.wire.assign(wire.begin(), wire.end());
  query.question = std::move(question);
  ReadEdns(reader, additional, query);
  return query;
}

Bytes WriteAnswer(const DnsQuery& query, const DnsAnswer& answer) {
  Bytes out;
  const auto count = answer.addresses.size() + (answer.pointer_name.empty() ? 0 : 1);
  Put16(out, query.id);
  // QR and RA are set, AA is not.
  Put16(out, 0x8080U | (unsigned{query.opcode} << 11U) | (query.recursion_desired ? 0x0100U : 0U) |
                 static_cast<unsigned>(answer.code));
  Put16(out, query.question ? 1 : 0);
  Put16(out, static_cast<unsigned>(count));
  Put16(out, 0);
  Put16(out, query.edns_size ? 1 : 0);
  if (query.question) out.insert(out.end(), query.question->wire.begin(), query.question->wire.end());
  PutRecords(out, answer);
  if (query.edns_size) PutOpt(out, query.bad_edns_version ? 1 : 0);  // 1: BADVERS, in the upper bits
  return out;
}

Bytes WriteQuestion(std::uint16_t id, std::string_view name, std::uint16_t type) {
  Bytes out;
  Put16(out, id);
  Put16(out, 0x0100);  // recursion desired
  for (const unsigned count : {1U, 0U, 0U, 1U}) Put16(out, count);
  PutName(out, name);
  Put16(out, type);
  Put16(out, kClassIn);
  PutOpt(out, 0);
  return out;
}

std::optional<DnsResponse> ReadResponse(ByteView message, std::uint16_t id, std::string_view name,
                                        std::uint16_t type) {
  Reader reader(message);
  const std::uint16_t got = reader.Number16();
  const std::uint16_t flags = reader.Number16();
  const std::uint16_t questions = reader.Number16();
  const std::uint16_t answers = reader.Number16();
  reader.Number32();
  if (reader.Failed() || got != id || (flags & 0x8000U) == 0 || questions != 1) return std::nullopt;
  const DnsQuestion question = ReadQuestion(reader);
  if (reader.Failed() || question.name != name || question.type != type) return std::nullopt;
  DnsResponse response{.code = static_cast<DnsCode>(flags & 0xfU), .truncated = (flags & 0x0200U) != 0};
  response.ttl_s = 0xffffffffU;
  std::string owner{name};  // follows the aliases, which stand in order
  for (std::size_t i = 0; i < std::min<std::size_t>(answers, kMaxRecords); ++i) {
    const Record record = ReadRecord(reader);
    if (reader.Failed()) return std::nullopt;
    if (record.owner != owner || record.cls != kClassIn) continue;
    if (record.type != type && record.type != kTypeCname) continue;
    response.ttl_s = std::min(response.ttl_s, record.ttl_s);
    if (record.type == kTypeCname) {
      owner = record.alias;
    } else if (response.addresses.size() < kMaxAddresses) {
      AddAddress(record, response);
    }
  }
  return response;
}

}  // namespace mxc::egress
