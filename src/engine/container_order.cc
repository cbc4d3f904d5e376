#include "engine/container_order.h"

#include <sys/stat.h>

#include <utility>
#include <vector>

#include "base/archive.h"
#include "seccomp/seccomp.h"

namespace mxc::engine {
namespace {

template <class Archive, class Action>
void VisitAction(Archive& archive, Action& action) {
  archive(action.kind, action.target, action.base, action.path, action.slot, action.source, action.writable,
          action.tree, action.outer, action.checked, action.unmapped_owners, action.covers_self,
          action.placeholder, action.device, action.inode, action.read_only, action.mode, action.mode_text,
          action.size_text);
}

}  // namespace

void Visit(ArchiveWriter& archive, const MountAction& action) { VisitAction(archive, action); }
void Visit(ArchiveReader& archive, MountAction& action) { VisitAction(archive, action); }

namespace {

// Everything of a Program that a container has: no Landlock rules made outside, no pid of the launcher's.
template <class Archive, class Order>
void VisitOrder(Archive& archive, Order& order) {
  auto& program = order.program;
  archive(program.mounts, program.slots, program.root_is_bind, program.root_read_only, program.own_tmp,
          program.uid_map, program.gid_map, program.private_network, program.gateway_handover,
          program.hostname, program.limits, program.group_entrances, program.standard,
          program.controlling_terminal, program.terminal_path, program.report, program.watch_socket,
          program.discard_sender, program.discard_queue, program.watch_files, program.session,
          program.command.candidates, program.command.arguments, program.plain.candidates,
          program.plain.arguments, program.variables, program.cwd, order.seccomp, order.publishes,
          order.steering, order.steering_awaited, order.outside);
}

}  // namespace

std::string Pack(const ContainerOrder& order) {
  ArchiveWriter writer;
  VisitOrder(writer, order);
  return writer.Take();
}

std::optional<ContainerOrder> Unpack(std::span<const char> bytes) {
  std::optional<ContainerOrder> order{std::in_place};
  ArchiveReader reader(bytes);
  VisitOrder(reader, *order);
  if (!reader.Ended()) return std::nullopt;
  Program& program = order->program;
  program.filters = {SeccompProgram(order->seccomp)};
  if (program.gateway_handover >= 0) {
    program.inside = egress::PrepareInside({.publish = std::vector<PublishedPort>(order->publishes ? 1 : 0)});
    program.inside.rules = egress::NetlinkBatch(order->steering, order->steering_awaited);
  }
  SetReportPipe(-1, program.report, program);
  SetPointers(program);
  return order;
}

std::optional<NamespaceId> OwnNamespace(const char* name) {
  struct stat status {};
  const std::string path = std::string("/proc/self/ns/") + name;
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return NamespaceId{.device = status.st_dev, .inode = status.st_ino};
}

}  // namespace mxc::engine
