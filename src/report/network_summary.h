// What the network gateway refused during a run, for people: each destination once, with the reasons and the
// rule that would allow it.
//
//   NetworkSummary summary(PolicyForm::kDirectional);
//   summary.Add(record);
//   fmt::print(stderr, "{}", summary.Text());
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "mxc/egress.h"
#include "report/policy_form.h"

namespace mxc {

// LinuxSandbox::hostname. Programs look it up in passing.
inline constexpr std::string_view kSandboxName = "localhost";

class NetworkSummary {
 public:
  // A program that tries one name after another fills a page, not our memory.
  static constexpr std::size_t kMaxDestinations = 100;
  static constexpr std::size_t kMaxReasons = 20;  // of a destination

  // The profile that has a host; "": none.
  using ProfileOf = std::string (*)(std::string_view host);

  // `proxy_unused`: the environment names a proxy, and the policy does not ask for it.
  explicit NetworkSummary(PolicyForm form, ProfileOf profile_of = nullptr, bool proxy_unused = false)
      : form_(form), profile_of_(profile_of), proxy_unused_(proxy_unused) {}
  void Add(const GatewayRecord& record);
  [[nodiscard]] bool HasRefusals() const { return !refused_.empty(); }
  // Whole lines; also when nothing was refused.
  [[nodiscard]] std::string Text() const;
  // For --report=short: destinations that a rule decided about, or that a rule would allow, the last first.
  [[nodiscard]] std::vector<std::string> Short() const;

 private:
  struct Refusals {
    std::vector<GatewayRecord> reasons = {};  // the first record of each, at least one
    std::size_t count = 0;
    std::size_t others = 0;  // of them for further reasons
    std::size_t order = 0;   // in which destinations were met
  };
  void AddRefusal(const GatewayRecord& record, const std::string& destination);
  [[nodiscard]] std::string Lines(const Refusals& refusals) const;
  [[nodiscard]] std::string_view WithoutSearchDomain(std::string_view name) const;
  [[nodiscard]] std::string Remedy(const GatewayRecord& record) const;
  [[nodiscard]] std::string LoopbackAddition(const GatewayRecord& record) const;
  [[nodiscard]] std::string WayToHost(const GatewayRecord& record) const;
  [[nodiscard]] std::string Addition(const GatewayRecord& record) const;  // what the policy lacks

  PolicyForm form_;
  ProfileOf profile_of_;
  bool proxy_unused_;
  std::map<std::string, Refusals> refused_ = {};  // by destination, as it is printed
  std::size_t others_ = 0;
  std::uint64_t allowed_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t lost_ = 0;
};

}  // namespace mxc
