// Two connected sockets and the bytes between them, with the record of how it went. What a connection is
// before it carries bytes is the business of the classes derived from it.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "gateway/relay/services_linux.h"
#include "gateway/relay/splice_relay_linux.h"

namespace mxc::egress {

class ProxiedConnection : public std::enable_shared_from_this<ProxiedConnection> {
 public:
  using OnEnd = std::function<void(ProxiedConnection&)>;

  ProxiedConnection(const ProxiedConnection&) = delete;
  ProxiedConnection& operator=(const ProxiedConnection&) = delete;
  virtual ~ProxiedConnection() = default;

  // Resets both sockets, and reports it as it stands; an empty reason leaves the one that is there.
  void Abort(std::string_view reason);
  // The sandbox is gone: what it said to the end is left to the kernel to send, everything else is reset.
  void EndWithSandbox();
  [[nodiscard]] std::uint64_t IdleSinceMs() const { return active_ms_; }
  // The sandbox may have said more than has been passed on, and bytes have moved within `stalled_ms`.
  [[nodiscard]] bool Sends(std::uint64_t stalled_ms) const {
    return !out_.done && services_.loop.NowMs() - active_ms_ < stalled_ms;
  }

 protected:
  // Receives the events of one of the two sockets.
  class Side : public Watcher {
   public:
    void OnEvents(std::uint32_t events) override;

    std::weak_ptr<ProxiedConnection> owner = {};
    RelayEnd end = {};
  };

  // `on_end` lets go of this.
  ProxiedConnection(Services& services, OnEnd on_end);

  [[nodiscard]] virtual GatewayRecord& Record() = 0;
  // Are both sockets connected? Asked with each event of one of them. It may replace `side` by another, whose
  // predecessor then has no owner.
  [[nodiscard]] virtual bool Connected(const Side& side) = 0;
  // May bytes of the inner socket be carried? Called until it says yes for good; it may Abort.
  [[nodiscard]] virtual bool Admit() { return true; }
  // The same for bytes of the outer one.
  [[nodiscard]] virtual bool AdmitAnswer() { return true; }
  virtual void OnFinish() {}  // before the sockets are closed

  // Edge-triggered, both directions; `again` when an earlier watcher had it. False with errno.
  [[nodiscard]] bool Watch(const std::shared_ptr<Side>& side, bool again);
  // Moves what can be moved.
  void Advance();
  // Advances again when the others have had their turn.
  void Resume();
  void Refuse(std::string_view reason);

  Services& services_;
  std::shared_ptr<Side> inner_ = std::make_shared<Side>();  // towards the sandbox
  std::shared_ptr<Side> outer_ = std::make_shared<Side>();
  RelayDirection out_;
  RelayDirection in_;
  bool ended_ = false;

 private:
  void OnSide(Side& side, std::uint32_t events);
  void Finish();

  OnEnd on_end_;
  std::uint64_t active_ms_ = 0;
  bool scheduled_ = false;
};

}  // namespace mxc::egress
