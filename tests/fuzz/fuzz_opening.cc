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
#include "tests/support/lenient_server.h"

namespace mxc::egress {
namespace {

void Require(bool holds, std::string_view property) {
  if (holds) return;
  std::cerr << "violated: " << property << "\n";
  std::abort();
}

Opening::State FeedInPieces(Opening& opening, ByteView bytes, std::size_t piece) {
  Opening::State state = Opening::State::kMore;
  while (!bytes.empty() && state == Opening::State::kMore) {
    const ByteView chunk = bytes.first(std::min(piece, bytes.size()));
    bytes = bytes.subspan(chunk.size());
    state = opening.Feed(chunk);
  }
  return state;
}

// What of the bytes goes on to the server of good.test.
std::string Conversation(const RuleBook& rules, ByteView bytes, std::size_t piece) {
  Interview interview(rules, {.name = "good.test", .port = 80, .strict = true});
  std::string passed;
  bool refused = false;
  while (!bytes.empty() && !refused) {
    const std::size_t unread = std::min<std::uint64_t>(interview.Client().Unread(), bytes.size());
    const bool skips = unread > 0 && piece % 2 == 0;
    const ByteView chunk = bytes.first(skips ? unread : std::min(piece, bytes.size()));
    bytes = bytes.subspan(chunk.size());
    if (skips) {
      interview.Client().Skip(unread);
      passed.append(chunk.begin(), chunk.end());
      continue;
    }
    refused = !interview.Hear(chunk).empty();
    const Bytes taken = interview.Client().Take();
    passed.append(taken.begin(), taken.end());
  }
  return refused ? passed + "|refused" : passed;
}

RuleBook OnlyGood() {
  NetworkRule rule{.to = {{.host = "good.test"}}, .pointer = "/allow"};
  return RuleBook::Compile({.allow = {rule}}).value();
}

void CheckForwarded(const Opening& asked, std::string_view text) {
  if (asked.Is() != Opening::Kind::kHttp || asked.Port() == 0 || asked.Connects()) return;
  const std::string request = RequestForServer(text.substr(0, asked.Size()));
  Opening served;
  const Bytes bytes(request.begin(), request.end());
  Require(served.Feed(bytes) == Opening::State::kDone && served.Is() == Opening::Kind::kHttp, "a request");
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
  Opening whole;
  const Opening::State state = FeedInPieces(whole, bytes, size + 1);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}}) {
    Opening pieces;
    const Opening::State same = FeedInPieces(pieces, bytes, piece);
    Require((same == Opening::State::kDone) == (state == Opening::State::kDone),
            "passed in pieces as a whole");
    if (same != Opening::State::kDone) continue;
    Require(pieces.Is() == whole.Is() && pieces.Hosts() == whole.Hosts(), "the same names");
    Require(pieces.Head().encrypted == whole.Head().encrypted, "the same secrecy");
  }
  for (const std::string& host : whole.Hosts()) {
    const auto address = IpAddress::Parse(host);
    Require(address ? address->Text() == host : ValidName(host) == host, "one form of a host");
  }
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (state == Opening::State::kDone) CheckForwarded(whole, text);
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
