// The order to the first process of a container: the launcher's Program, and what it needs besides. It goes
// through lxc-start to another instance of this program, as bytes that nobody else reads or writes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "engine/program.h"

namespace mxc::engine {

// The identity of a namespace: device and inode of its file in /proc/PID/ns.
struct NamespaceId {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
};

// The namespaces that a container must not share with the launcher.
inline constexpr std::array kOwnNamespaces = {"user", "mnt", "pid", "ipc", "uts", "cgroup", "net"};

struct ContainerOrder {
  Program program = {};
  SeccompProfile seccomp = SeccompProfile::kDefault;
  bool publishes = false;                                       // ports, through the gateway
  std::vector<std::uint8_t> steering = {};                      // egress::InsideSetup::rules
  std::uint32_t steering_awaited = 0;                           // NetlinkBatch::Awaited of them
  std::array<NamespaceId, kOwnNamespaces.size()> outside = {};  // the launcher's
};

[[nodiscard]] std::string Pack(const ContainerOrder& order);
// Absent: the bytes are no order.
[[nodiscard]] std::optional<ContainerOrder> Unpack(std::span<const char> bytes);

// A namespace of the calling process.
[[nodiscard]] std::optional<NamespaceId> OwnNamespace(const char* name);

}  // namespace mxc::engine
