// One connection to the local proxy, in a thread of its own.
#pragma once

#include <cstdint>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "base/pipe.h"
#include "base/unique_fd.h"
#include "gateway/rules/record_limit.h"
#include "gateway/rules/rules.h"
#include "mxc/egress.h"

namespace mxc::egress {

// State shared by the threads and the launcher.
struct ProxyState {
  explicit ProxyState(RuleBook book) : rules(std::move(book)) {}

  const RuleBook rules;
  UniqueFd listener = {};
  std::vector<std::pair<UniqueFd, std::uint16_t>> published = {};  // listener and port inside
  Pipe wake = {};

  std::mutex mutex = {};
  bool stopped = false;
  std::set<int> sockets = {};
  std::vector<GatewayRecord> records = {};
  RecordLimit limit = {};
  std::uint64_t lost = 0;

  void Report(GatewayRecord record);
};

// Serves a client's requests as far as the rules allow; then the connection ends.
void ServeProxyClient(ProxyState& state, UniqueFd client);
// Forwards a connection from a port of the host's loopback to `port` of the command's.
void ServePublished(ProxyState& state, UniqueFd client, std::uint16_t port);

}  // namespace mxc::egress
