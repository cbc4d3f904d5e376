// The addresses that stand for names inside the sandbox. A name keeps its address as long as the sandbox
// lives, and no two names ever share one: a connection to it is a connection to that name, whatever its real
// addresses are and however they change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "gateway/rules/address.h"

namespace mxc::egress {

// Names of one sandbox: half of 198.18.0.0/15, so that a program that asks for one new name after another
// meets an error and not our memory (some 10 MB then).
inline constexpr std::size_t kMaxNames = 65536;

class SyntheticNames {
 public:
  // The number stands in the last bits of an IPv4 address, and in those of an IPv6 address.
  static constexpr std::uint32_t kNumberMask = 0x0001ffff;
  static constexpr std::uint32_t kHostLoopbackNumber = 1;

  SyntheticNames();  // holds kHostLoopbackName, at kHostLoopbackAddress

  // Its number, now and ever; absent when the table is full.
  std::optional<std::uint32_t> Number(const std::string& name);
  [[nodiscard]] static IpAddress V4(std::uint32_t number);
  [[nodiscard]] static IpAddress V6(std::uint32_t number);

  // What only names have; names have those of Block6 alone.
  [[nodiscard]] static Cidr Range4();
  [[nodiscard]] static Cidr Range6();
  [[nodiscard]] static Cidr Block6();
  // Is it of these ranges?
  [[nodiscard]] static bool IsSynthetic(const IpAddress& address);
  // nullptr: no name has it.
  [[nodiscard]] const std::string* Find(const IpAddress& address) const;

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<const std::string*> names_;  // keys of `numbers_`, which never move
};

}  // namespace mxc::egress
