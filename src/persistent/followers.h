// Launchers that are told what the sandbox's gateway decides while their commands run. None of them is waited
// for.
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
  // Asks the gateway for its records up to now (MarkRecords). False: it stands no more, or never did.
  using AskMark = std::function<bool(std::uint32_t mark)>;

  explicit Followers(AskMark ask_mark) : ask_mark_(std::move(ask_mark)) {}
  // It is sent `reply` once the records of what was decided before have been passed over, and then those of
  // what is. False: there are too many.
  [[nodiscard]] bool Add(UniqueFd connection, std::string reply);
  void OnRecord(const GatewayRecord& record);
  void OnMark(std::uint32_t mark);
  // No mark comes any more: the gateway is gone.
  void OnGatewayEnd();
  // All are told that nothing comes any more.
  void End();

  // To be polled for reading, in order, and what to call for each that has something, the last first.
  [[nodiscard]] std::vector<int> Descriptors() const;
  void OnEvent(std::size_t index);  // the command has ended, or its launcher

 private:
  struct Follower {
    UniqueFd connection = {};
    std::string reply = {};
    std::uint32_t mark = 0;  // that it waits for; 0: none
    bool begun = false;      // it has its reply
    std::uint64_t lost = 0;  // for which there was no room
  };
  void Await(Follower& follower);
  [[nodiscard]] static bool Begin(Follower& follower);

  AskMark ask_mark_;
  std::vector<Follower> all_ = {};
  std::uint32_t last_mark_ = 0;
};

}  // namespace mxc::session
