// One TCP connection of the sandbox: judged, dialled, looked into as far as it must be, relayed.
#pragma once

#include <memory>
#include <optional>

#include "gateway/inspect/host_name_filter.h"
#include "gateway/relay/destination_linux.h"
#include "gateway/relay/dial_linux.h"
#include "gateway/relay/proxied_connection_linux.h"
#include "gateway/relay/tunnel_linux.h"

namespace mxc::egress {

class Connection : public ProxiedConnection {
 public:
  // `socket` comes from inside, `meant` is where it was to go. `buffer_bytes` as for LimitBuffers, for each
  // of the two sockets; 0: no limit. Start or Abort next.
  Connection(Services& services, UniqueFd socket, const IpEndpoint& meant, int buffer_bytes, OnEnd on_end);

  void Start();

 private:
  [[nodiscard]] GatewayRecord& Record() override { return destination_.Record(); }
  [[nodiscard]] bool Connected(const Side& side) override;
  [[nodiscard]] bool Admit() override;
  [[nodiscard]] bool AdmitAnswer() override;
  void OnFinish() override;

  void OnEndpoints(const std::vector<IpEndpoint>& endpoints);
  void OnDialled(Dialled result);
  void OnReached(Dialled result, std::string_view problem);
  [[nodiscard]] bool Listen();
  [[nodiscard]] bool Judged(const std::string& problem);
  [[nodiscard]] bool Flush();
  void Fail(bool& ready);
  void LetPass();
  [[nodiscard]] bool IsAnswered() const;
  void Reconnect();

  Destination destination_;
  int buffer_bytes_;
  std::optional<Dial> dial_;
  std::shared_ptr<Tunnel> tunnel_ = {};
  IpEndpoint dialled_ = {};
  std::optional<HostNameFilter> client_;  // absent: nothing (more) to look at
  Bytes unsent_ = {};                     // of what it said, judged
  std::uint64_t answered_ = 0;            // bytes of the server's when it was last spoken to
  bool client_ended_ = false;             // it says no more
};

}  // namespace mxc::egress
