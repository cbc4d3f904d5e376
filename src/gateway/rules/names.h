// Synthetic addresses, which stand for names inside the sandbox. A name keeps its address as long as the
// sandbox lives, and no two names share one: a connection to it is a connection to that name, whatever its
// real addresses are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "gateway/rules/address.h"

namespace mxc::egress {

// Names of one sandbox: half of 198.18.0.0/15. A program that asks for one new name after another then gets
// an error, and the gateway needs some 10 MB at most.
inline constexpr std::size_t kMaxNames = 65536;

class SyntheticNames {
 public:
  // The bits of the number, the last ones of an IPv4 or IPv6 address.
  static constexpr std::uint32_t kNumberMask = 0x0001ffff;
  static constexpr std::uint32_t kHostLoopbackNumber = 1;

  SyntheticNames();  // contains kHostLoopbackName, at kHostLoopbackAddress

  // The permanent number of the name; absent if the table is full.
  std::optional<std::uint32_t> Number(const std::string& name);
  [[nodiscard]] static IpAddress V4(std::uint32_t number);
  [[nodiscard]] static IpAddress V6(std::uint32_t number);

  // The ranges that are reserved for names; IPv6 addresses of names are in Block6.
  [[nodiscard]] static Cidr Range4();
  [[nodiscard]] static Cidr Range6();
  [[nodiscard]] static Cidr Block6();
  // Whether it is in Range4 or Range6.
  [[nodiscard]] static bool IsSynthetic(const IpAddress& address);
  // nullptr: no name has it.
  [[nodiscard]] const std::string* Find(const IpAddress& address) const;

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<const std::string*> names_;  // keys of `numbers_`, which never move
};

}  // namespace mxc::egress
