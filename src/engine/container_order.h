// What the first process of a container is to do: the launcher's Program, and what it needs besides. It goes
// through lxc-start to another run of this same program, as bytes that nobody else reads or writes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "engine/program.h"

namespace mxc::engine {

// A namespace, as the kernel tells it apart.
struct NamespaceId {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
};

// Those that a container must not share with the launcher.
inline constexpr std::array kOwnNamespaces = {"user", "mnt", "pid", "ipc", "uts", "cgroup", "net"};

struct ContainerOrder {
  Program program = {};
  SeccompProfile seccomp = SeccompProfile::kDefault;
  bool publishes = false;                                       // ports, through the gateway
  std::vector<std::uint8_t> steering = {};                      // egress::InsideSetup::rules, and
  std::uint32_t steering_awaited = 0;                           // what they await
  std::array<NamespaceId, kOwnNamespaces.size()> outside = {};  // the launcher's
};

[[nodiscard]] std::string Pack(const ContainerOrder& order);
// Nothing: not the bytes of an order.
[[nodiscard]] std::optional<ContainerOrder> Unpack(std::span<const char> bytes);

// Of the calling process.
[[nodiscard]] std::optional<NamespaceId> OwnNamespace(const char* name);

}  // namespace mxc::engine
