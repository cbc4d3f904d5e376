// One TCP connection of the sandbox: judged, dialled, looked into as far as it must be, relayed.
#pragma once

#include <optional>

#include "egress/destination_linux.h"
#include "egress/dial_linux.h"
#include "egress/opening.h"
#include "egress/pair_linux.h"

namespace mxc::egress {

class Connection : public Pair {
 public:
  // `socket` comes from inside, `meant` is where it was to go. Start or Abort next.
  Connection(Services& services, UniqueFd socket, const IpEndpoint& meant, OnEnd on_end);

  void Start();

 private:
  [[nodiscard]] GatewayRecord& Record() override { return destination_.Record(); }
  [[nodiscard]] bool Connected(const Side& side) override;
  [[nodiscard]] bool Admit() override;
  void OnFinish() override { dial_.reset(); }

  void OnEndpoints(const std::vector<IpEndpoint>& endpoints);
  void OnDialled(Dialled result);
  [[nodiscard]] bool PassOpening();
  [[nodiscard]] bool FlushOpening();
  [[nodiscard]] bool JudgeOpening(Opening::State state);

  Destination destination_;
  std::optional<Dial> dial_;
  std::optional<Opening> opening_;  // absent: nothing (more) to look at
  Bytes unsent_ = {};               // of the opening, judged
};

}  // namespace mxc::egress
