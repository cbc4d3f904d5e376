// Asks a proxy, on a connection to it, for one to somewhere else.
//
//   Tunnel tunnel(loop, std::move(dialled), ConnectRequest(proxy, host, port), on_result);
//   tunnel.Start();
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "gateway/net/loop_linux.h"
#include "gateway/relay/dial_linux.h"

namespace mxc::egress {

class Tunnel : public Watcher {
 public:
  // `result.socket` now leads to the destination; or it is invalid, and `problem` says why. May destroy the
  // tunnel.
  using Callback = std::function<void(Dialled result, std::string_view problem)>;

  Tunnel(Loop& loop, Dialled proxy, std::string request, Callback callback);

  void Start();
  void OnEvents(std::uint32_t events) override;
  // Closes the connection, without a call.
  void Abandon();

 private:
  void Send();
  void Receive();
  void Finish(std::string_view problem);

  Loop& loop_;
  Dialled proxy_;
  std::string unsent_;
  Callback callback_;
  Timer patience_;
};

}  // namespace mxc::egress
