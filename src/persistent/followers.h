// Launchers that get the decisions of the sandbox's gateway while their commands run. The daemon waits for
// none of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "mxc/egress.h"

namespace mxc::session {

class Followers {
 public:
  // Asks the gateway for a mark behind its records up to now (MarkRecords). False: there is no gateway.
  using AskMark = std::function<bool(std::uint32_t mark)>;

  explicit Followers(AskMark ask_mark) : ask_mark_(std::move(ask_mark)) {}
  // Adds a launcher. It gets `reply` once all records of earlier decisions have been skipped, then the
  // records of later ones. False: there are too many.
  [[nodiscard]] bool Add(UniqueFd connection, std::string reply);
  void OnRecord(const GatewayRecord& record);
  void OnMark(std::uint32_t mark);
  // The gateway has ended, so no mark will come.
  void OnGatewayEnd();
  // Closes all connections.
  void End();

  // Descriptors to poll for reading; OnEvent is to be called for each readable one, the last first.
  [[nodiscard]] std::vector<int> Descriptors() const;
  void OnEvent(std::size_t index);  // the command has ended, or its launcher

 private:
  struct Follower {
    UniqueFd connection = {};
    std::string reply = {};
    std::uint32_t mark = 0;  // the mark that it waits for; 0: none
    bool begun = false;      // the reply was sent
    std::uint64_t lost = 0;  // records for which there was no room
  };
  void Await(Follower& follower);
  [[nodiscard]] static bool Begin(Follower& follower);

  AskMark ask_mark_;
  std::vector<Follower> all_ = {};
  std::uint32_t last_mark_ = 0;
};

}  // namespace mxc::session
