// The first bytes of a connection. Properties:
//   how the bytes are cut into pieces changes nothing about what is passed and under which names;
//   every name that comes out is in its one form, every address plain.
//   what goes on to the server of an allowed name is the same however it arrives, and holds no host that any
//   server might see and no rule allows (tests/support/lenient_server.h);
//   a request that a proxy forwards is one request to its server too, of the same hosts and with the same
//   body.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/inspect/host_name_filter.h"
#include "gateway/inspect/protocol_sniffer.h"
#include "gateway/local_proxy/proxy_request.h"
#include "gateway/rules/rules.h"
#include "gateway/rules/upstream.h"
#include "tests/support/egress_rules.h"
#include "tests/support/lenient_server.h"

namespace mxc::egress {
namespace {

void Require(bool holds, std::string_view property) {
  if (holds) return;
  std::cerr << "violated: " << property << "\n";
  std::abort();
}

ProtocolSniffer::State FeedInPieces(ProtocolSniffer& opening, ByteView bytes, std::size_t piece) {
  ProtocolSniffer::State state = ProtocolSniffer::State::kMore;
  while (!bytes.empty() && state == ProtocolSniffer::State::kMore) {
    const ByteView chunk = bytes.first(std::min(piece, bytes.size()));
    bytes = bytes.subspan(chunk.size());
    state = opening.Feed(chunk);
  }
  return state;
}

// What of the bytes goes on to the server of good.test.
std::string Conversation(const RuleBook& rules, ByteView bytes, std::size_t piece) {
  HostNameFilter name_filter(rules, {.name = "good.test", .port = 80, .strict = true});
  std::string passed;
  bool refused = false;
  while (!bytes.empty() && !refused) {
    const std::size_t unread = std::min<std::uint64_t>(name_filter.Client().Unread(), bytes.size());
    const bool skips = unread > 0 && piece % 2 == 0;
    const ByteView chunk = bytes.first(skips ? unread : std::min(piece, bytes.size()));
    bytes = bytes.subspan(chunk.size());
    if (skips) {
      name_filter.Client().Skip(unread);
      passed.append(chunk.begin(), chunk.end());
      continue;
    }
    refused = !name_filter.Hear(chunk).empty();
    const Bytes taken = name_filter.Client().Take();
    passed.append(taken.begin(), taken.end());
  }
  return refused ? passed + "|refused" : passed;
}

void CheckForwarded(const ProtocolSniffer& asked, std::string_view text) {
  if (asked.Is() != ProtocolSniffer::Kind::kHttp || asked.Port() == 0 || asked.Connects()) return;
  const std::string request = RequestForServer(text.substr(0, asked.Size()));
  ProtocolSniffer served;
  const Bytes bytes(request.begin(), request.end());
  Require(served.Feed(bytes) == ProtocolSniffer::State::kDone && served.Is() == ProtocolSniffer::Kind::kHttp,
          "a request");
  Require(served.Size() == request.size() && served.Port() == 0, "one head, without an authority");
  Require(served.Body().chunked == asked.Body().chunked && served.Body().length == asked.Body().length,
          "the same body");
  for (const std::string& host : served.Hosts()) {
    const std::vector<std::string>& hosts = asked.Hosts();
    Require(std::find(hosts.begin(), hosts.end(), host) != hosts.end(), "hosts that were asked for");
  }
}

}  // namespace
}  // namespace mxc::egress

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mxc::egress;  // NOLINT(google-build-using-namespace)
  const ByteView bytes(data, size);
  ProtocolSniffer whole;
  const ProtocolSniffer::State state = FeedInPieces(whole, bytes, size + 1);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}}) {
    ProtocolSniffer pieces;
    const ProtocolSniffer::State same = FeedInPieces(pieces, bytes, piece);
    Require((same == ProtocolSniffer::State::kDone) == (state == ProtocolSniffer::State::kDone),
            "passed in pieces as a whole");
    if (same != ProtocolSniffer::State::kDone) continue;
    Require(pieces.Is() == whole.Is() && pieces.Hosts() == whole.Hosts(), "the same names");
    Require(pieces.Head().encrypted == whole.Head().encrypted, "the same secrecy");
  }
  for (const std::string& host : whole.Hosts()) {
    const auto address = IpAddress::Parse(host);
    Require(address ? address->Text() == host : ValidName(host) == host, "one form of a host");
  }
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (state == ProtocolSniffer::State::kDone) CheckForwarded(whole, text);
  const ConnectAnswer answer = ReadConnectAnswer(text);
  Require(answer.size <= size, "a head within the bytes");
  static const RuleBook rules = OnlyGood();
  const std::string said = Conversation(rules, bytes, size + 1);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{64}}) {
    Require(Conversation(rules, bytes, piece) == said, "cut in one way");
  }
  const std::string passed = said.substr(0, said.rfind("|refused"));
  for (const std::string& host : mxc::test::HostsSeen(passed))
    Require(host == "good.test", "every host is judged");
  return 0;
}
