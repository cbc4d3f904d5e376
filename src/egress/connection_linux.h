// One TCP connection of the sandbox: judged, dialled, looked into as far as it must be, relayed.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "egress/destination_linux.h"
#include "egress/dial_linux.h"
#include "egress/opening.h"
#include "egress/relay_linux.h"

namespace mxc::egress {

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using OnEnd = std::function<void(Connection&)>;

  // `socket` comes from inside, `meant` is where it was to go. `on_end` lets go of this. Start or Abort next.
  Connection(Services& services, UniqueFd socket, const IpEndpoint& meant, OnEnd on_end);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() = default;

  void Start();
  // Reset, and reported as it stands.
  void Abort(std::string_view reason);
  [[nodiscard]] std::uint64_t IdleSinceMs() const { return active_ms_; }

 private:
  // Receives the events of one of the two sockets.
  class Side : public Watcher {
   public:
    void OnEvents(std::uint32_t events) override;

    std::weak_ptr<Connection> owner = {};
    RelayEnd end = {};
  };

  void OnEndpoints(const std::vector<IpEndpoint>& endpoints);
  void OnDialled(Dialled result);
  void OnSide(Side& side, std::uint32_t events);
  void Advance();
  // The client's first bytes. False: wait for more.
  [[nodiscard]] bool PassOpening();
  [[nodiscard]] bool FlushOpening();
  [[nodiscard]] bool JudgeOpening(Opening::State state);
  void Refuse(std::string_view reason);
  void Finish();

  Services& services_;
  OnEnd on_end_;
  Destination destination_;
  std::shared_ptr<Side> inner_ = std::make_shared<Side>();
  std::shared_ptr<Side> outer_ = std::make_shared<Side>();
  std::optional<Dial> dial_;
  std::optional<Opening> opening_;  // absent: nothing (more) to look at
  Bytes unsent_ = {};               // of the opening, judged
  RelayLane out_;
  RelayLane in_;
  UniqueFd accepted_;  // until Start
  std::uint64_t active_ms_ = 0;
  bool ended_ = false;
  bool scheduled_ = false;
};

}  // namespace mxc::egress
