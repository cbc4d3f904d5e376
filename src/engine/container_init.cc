#include "engine/container_init.h"

#include <linux/close_range.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <charconv>
#include <cstring>
#include <optional>
#include <vector>

#include "engine/child.h"
#include "engine/container_order.h"

namespace mxc {
namespace {

std::optional<engine::ContainerOrder> ReadOrder(const char* descriptor) {
  int file = -1;
  std::from_chars(descriptor, descriptor + std::strlen(descriptor), file);
  struct stat status {};
  if (::fstat(file, &status) != 0 || status.st_size <= 0) return std::nullopt;
  const auto size = static_cast<std::size_t>(status.st_size);
  void* const memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  if (memory == MAP_FAILED) return std::nullopt;
  std::optional<engine::ContainerOrder> order = engine::Unpack({static_cast<const char*>(memory), size});
  ::munmap(memory, size);
  return order;
}

}  // namespace

void RunContainerInit(const char* descriptor) {
  // They had to pass lxc-start; none may reach the command.
  const bool kept = ::syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC) == 0;
  const std::optional<engine::ContainerOrder> order = kept ? ReadOrder(descriptor) : std::nullopt;
  if (!order) ::_exit(255);
  const engine::Program& program = order->program;
  std::vector<int> slots(program.slots, -1);
  engine::Child child{
      .program = program, .slots = slots, .command = engine::CommandOf(program), .report_to = program.report};
  engine::ContainerMain(child, *order);
}

}  // namespace mxc
