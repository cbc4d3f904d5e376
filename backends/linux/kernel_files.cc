#include "backends/linux/kernel_files.h"

#include <string_view>

namespace mxc::linux_backend {
namespace {

struct KernelFile {
  std::string_view path;
  std::string_view reason;
};

// kcore, kmsg and kallsyms ask for capabilities, which nobody has inside.
constexpr KernelFile kFiles[] = {
    {"/proc/kpagecount", "use of every page of the machine"},
    {"/proc/kpageflags", "state of every page of the machine"},
    {"/proc/kpagecgroup", "owner of every page of the machine"},
    {"/proc/slabinfo", "the kernel's heap, a help to those who attack it"},
    {"/proc/timer_list", "timers of all processes, addresses in the kernel"},
    {"/proc/vmallocinfo", "addresses in the kernel"},
};

}  // namespace

std::vector<std::string> KernelFilesHere(const Host& host) {
  std::vector<std::string> found;
  if (!host.Caller().IsRoot()) return found;
  for (const KernelFile& file : kFiles) {
    std::string path{file.path};
    if (host.LookAt(path).status) found.push_back(std::move(path));
  }
  return found;
}

}  // namespace mxc::linux_backend
