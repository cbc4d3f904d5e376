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
  archive(action.kind);
  archive(action.target);
  archive(action.base);
  archive(action.path);
  archive(action.slot);
  archive(action.source);
  archive(action.writable);
  archive(action.tree);
  archive(action.outer);
  archive(action.checked);
  archive(action.unmapped_owners);
  archive(action.covers_self);
  archive(action.placeholder);
  archive(action.device);
  archive(action.inode);
  archive(action.read_only);
  archive(action.mode);
  archive(action.mode_text);
  archive(action.size_text);
}

}  // namespace

void Visit(ArchiveWriter& archive, const MountAction& action) { VisitAction(archive, action); }
void Visit(ArchiveReader& archive, MountAction& action) { VisitAction(archive, action); }

namespace {

// Everything of a Program that a container has: no Landlock rules made outside, no pid of the launcher's.
template <class Archive, class Order>
void VisitOrder(Archive& archive, Order& order) {
  auto& program = order.program;
  archive(program.mounts);
  archive(program.slots);
  archive(program.root_is_bind);
  archive(program.root_read_only);
  archive(program.uid_map);
  archive(program.gid_map);
  archive(program.private_network);
  archive(program.gateway_handover);
  archive(program.hostname);
  archive(program.limits);
  archive(program.group_entrances);
  archive(program.standard);
  archive(program.controlling_terminal);
  archive(program.terminal_path);
  archive(program.report);
  archive(program.watch_socket);
  archive(program.watch_files);
  archive(program.session);
  archive(program.command.candidates);
  archive(program.command.arguments);
  archive(program.plain.candidates);
  archive(program.plain.arguments);
  archive(program.variables);
  archive(program.cwd);
  archive(order.seccomp);
  archive(order.publishes);
  archive(order.steering);
  archive(order.steering_awaited);
  archive(order.outside);
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
