// DNS messages. Properties:
//   a question is answered or passed over, and an answer repeats its question;
//   only a name that a rule allows gets an address, and only an address that is its own;
//   an answer of the host's name server yields a bounded number of addresses of the type asked for.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "gateway/dns/dns_stub.h"
#include "gateway/relay/record.h"
#include "gateway/rules/resolv_conf.h"

namespace mxc::egress {
namespace {

void Require(bool holds, std::string_view property) {
  if (holds) return;
  std::cerr << "violated: " << property << "\n";
  std::abort();
}

void AskStub(ByteView message) {
  static const RuleBook rules =
      *RuleBook::Compile({.allow = {{.to = {{.host = "a.test"}, {.host = "*.b.test"}}}}});
  SyntheticNames names;
  DnsStub stub(rules, names, true);
  const DnsReply reply = stub.Answer(message);
  if (reply.message.empty()) return;
  Require(reply.message.size() >= 12 && reply.message[0] == message[0] && reply.message[1] == message[1],
          "its id");
  Require((reply.message[2] & 0x80U) != 0, "marked as an answer");
  const unsigned answers = reply.message[6] * 256U + reply.message[7];
  const unsigned code = reply.message[3] & 0xfU;
  Require(code == 0 || answers == 0, "no answers beside an error");
  const auto query = ReadQuery(message);
  Require(query.has_value(), "read twice");
  if (!query->question || answers == 0) return;
  const std::string& name = query->question->name;
  const bool allowed = name == "a.test" || name.ends_with(".b.test") || name == "localhost" ||
                       name.ends_with(".localhost") || name.ends_with(".arpa");
  Require(allowed, "an answer only for an allowed name");
}

}  // namespace
}  // namespace mxc::egress

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mxc::egress;  // NOLINT(google-build-using-namespace)
  const ByteView bytes(data, size);
  AskStub(bytes);
  if (size >= 2) {
    const auto id = static_cast<std::uint16_t>(data[0] * 256U + data[1]);
    for (const std::uint16_t type : {kTypeA, kTypeAaaa}) {
      const auto response = ReadResponse(bytes, id, "a.test", type);
      if (!response) continue;
      Require(response->addresses.size() <= kMaxAddresses, "bounded");
      for (const IpAddress& address : response->addresses)
        Require(address.ipv6 == (type == kTypeAaaa), "of its type");
    }
  }
  (void)DecodeRecord(bytes);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Require(!ParseResolvConf(text).servers.empty(), "a name server");
  (void)FindInHosts(text, "a.test");
  return 0;
}
