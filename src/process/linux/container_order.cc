#include "process/linux/container_order.h"

#include <sys/stat.h>

#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "process/linux/seccomp.h"

namespace mxc::engine {
namespace {

template <class Archive, class Action>
void Visit(Archive& archive, Action& action);

class Writer {
 public:
  void operator()(const std::string& text) {
    (*this)(text.size());
    bytes_.append(text);
  }
  template <class Value>
  void operator()(const Value& value) {
    if constexpr (std::is_trivially_copyable_v<Value>) {
      bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    } else {
      (*this)(value.size());
      for (const auto& item : value) Item(item);
    }
  }
  [[nodiscard]] std::string Take() { return std::move(bytes_); }

 private:
  void Item(const MountAction& action) { Visit(*this, action); }
  template <class Value>
  void Item(const Value& value) {
    (*this)(value);
  }

  std::string bytes_ = {};
};

// Past the end everything is empty, and Ended() false.
class Reader {
 public:
  explicit Reader(std::span<const char> bytes) : rest_(bytes) {}

  void operator()(std::string& text) {
    std::size_t size = 0;
    (*this)(size);
    failed_ = failed_ || size > rest_.size();
    if (failed_) return;
    text.assign(rest_.data(), size);
    rest_ = rest_.subspan(size);
  }
  template <class Value>
  void operator()(Value& value) {
    if constexpr (std::is_trivially_copyable_v<Value>) {
      const bool there = rest_.size() >= sizeof value;
      failed_ = failed_ || !there;
      if (failed_) return;
      std::memcpy(&value, rest_.data(), sizeof value);
      rest_ = rest_.subspan(sizeof value);
    } else {
      std::size_t size = 0;
      (*this)(size);
      failed_ = failed_ || size > rest_.size();  // each item takes a byte at least
      if (failed_) return;
      value.resize(size);
      for (auto& item : value) Item(item);
    }
  }
  [[nodiscard]] bool Ended() const { return !failed_ && rest_.empty(); }

 private:
  void Item(MountAction& action) { Visit(*this, action); }
  template <class Value>
  void Item(Value& value) {
    (*this)(value);
  }

  std::span<const char> rest_;
  bool failed_ = false;
};

template <class Archive, class Action>
void Visit(Archive& archive, Action& action) {
  archive(action.kind);
  archive(action.target);
  archive(action.base);
  archive(action.path);
  archive(action.slot);
  archive(action.source);
  archive(action.writable);
  archive(action.outer);
  archive(action.checked);
  archive(action.covers_self);
  archive(action.placeholder);
  archive(action.device);
  archive(action.inode);
  archive(action.read_only);
  archive(action.mode);
  archive(action.mode_text);
  archive(action.size_text);
}

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
  archive(program.gateway_door);
  archive(program.hostname);
  archive(program.limits);
  archive(program.group_entrances);
  archive(program.standard);
  archive(program.controlling_terminal);
  archive(program.terminal_path);
  archive(program.report);
  archive(program.watch_door);
  archive(program.session);
  archive(program.command.candidates);
  archive(program.command.arguments);
  archive(program.plain.candidates);
  archive(program.plain.arguments);
  archive(program.variables);
  archive(program.cwd);
  archive(order.seccomp);
  archive(order.publishes);
  archive(order.outside);
}

}  // namespace

std::string Pack(const ContainerOrder& order) {
  Writer writer;
  VisitOrder(writer, order);
  return writer.Take();
}

std::optional<ContainerOrder> Unpack(std::span<const char> bytes) {
  std::optional<ContainerOrder> order{std::in_place};
  Reader reader(bytes);
  VisitOrder(reader, *order);
  if (!reader.Ended()) return std::nullopt;
  Program& program = order->program;
  program.filters = {SeccompProgram(order->seccomp)};
  if (program.gateway_door >= 0)
    program.inside = egress::PrepareInside({.publish = std::vector<PublishedPort>(order->publishes ? 1 : 0)});
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
