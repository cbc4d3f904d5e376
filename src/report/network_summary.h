// What the network gateway refused during a run, for people: each destination once, with the line of the
// configuration that would allow it.
//
//   NetworkSummary summary(NetworkForm::kDirectional);
//   summary.Add(record);
//   fmt::print(stderr, "{}", summary.Text());
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "mxc/egress.h"

namespace mxc {

// How the configuration at hand writes its network rules.
enum class NetworkForm { kLegacy, kDirectional };

class NetworkSummary {
 public:
  // A program that tries one name after another fills a page, not our memory.
  static constexpr std::size_t kMaxDestinations = 100;

  explicit NetworkSummary(NetworkForm form) : form_(form) {}
  void Add(const GatewayRecord& record);
  // Whole lines; also when nothing was refused.
  [[nodiscard]] std::string Text() const;

 private:
  struct Refusals {
    GatewayRecord first = {};
    std::size_t count = 0;
  };
  [[nodiscard]] std::string Remedy(const GatewayRecord& record) const;

  NetworkForm form_;
  std::map<std::string, Refusals> refused_ = {};  // by destination, as it is printed
  std::size_t others_ = 0;
  std::uint64_t allowed_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t lost_ = 0;
};

}  // namespace mxc
