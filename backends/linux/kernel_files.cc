#include "backends/linux/kernel_files.h"

#include <string_view>

namespace mxc::linux_backend {
namespace {

struct KernelFile {
  std::string_view path;
  std::string_view reason;
  bool everybody = false;  // an ordinary caller can read it, too
};

// kcore, kmsg and kallsyms ask for capabilities, which nobody has inside.
constexpr KernelFile kFiles[] = {
    // Joining an empty session keyring would not do: a user's keys are shown to all processes of that user.
    {"/proc/keys", "names of the caller's keys", true},
    {"/proc/kpagecount", "use of every page of the machine"},
    {"/proc/kpageflags", "state of every page of the machine"},
    {"/proc/kpagecgroup", "owner of every page of the machine"},
    {"/proc/pagetypeinfo", "free pages of the machine"},
    {"/proc/slabinfo", "the kernel's heap, a help to those who attack it"},
    {"/proc/timer_list", "timers of all processes, addresses in the kernel"},
    {"/proc/vmallocinfo", "addresses in the kernel"},
};

}  // namespace

std::vector<std::string> KernelFilesHere(const Host& host, bool roots) {
  std::vector<std::string> found;
  for (const KernelFile& file : kFiles) {
    std::string path{file.path};
    const bool readable = file.everybody || (roots && host.Caller().IsRoot());
    if (readable && host.LookAt(path).status) found.push_back(std::move(path));
  }
  return found;
}

}  // namespace mxc::linux_backend
