#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/process_tree.h"

namespace mxc {
namespace {

// One reading of /proc: the children of each process.
using ProcessTable = std::unordered_map<pid_t, std::vector<pid_t>>;

ProcessTable ReadProcesses() {
  ProcessTable table;
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir("/proc"), ::closedir);
  if (!directory) return table;
  while (const dirent* entry = ::readdir(directory.get())) {  // NOLINT(concurrency-mt-unsafe)
    const char* const end = entry->d_name + std::strlen(entry->d_name);
    pid_t id = 0;
    const auto [stop, error] = std::from_chars(entry->d_name, end, id);
    if (error != std::errc{} || stop != end) continue;
    table[ParentOf(id)].push_back(id);
  }
  return table;
}

}  // namespace

std::string ProcessText(pid_t process, const char* file) {
  const UniqueFd opened{
      ::open(("/proc/" + std::to_string(process) + "/" + file).c_str(), O_RDONLY | O_CLOEXEC)};
  std::string text;
  std::array<char, 4096> buffer;  // NOLINT(*-member-init): read(2) fills it
  for (ssize_t count = 0; opened && (count = ::read(opened.Get(), buffer.data(), buffer.size())) > 0;)
    text.append(buffer.data(), static_cast<std::size_t>(count));
  return text;
}

pid_t ParentOf(pid_t process) {
  const std::string path = "/proc/" + std::to_string(process) + "/stat";
  const UniqueFd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!file) return -1;
  std::array<char, 512> buffer{};
  const ssize_t count = ::read(file.Get(), buffer.data(), buffer.size());
  if (count <= 0) return -1;
  // "1234 (name) S 1 ...": the name may hold anything, so count from its closing parenthesis.
  const std::string_view text(buffer.data(), static_cast<std::size_t>(count));
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string_view::npos || name_end + 4 > text.size()) return -1;
  pid_t parent = -1;
  std::from_chars(text.data() + name_end + 4, text.data() + text.size(), parent);
  return parent;
}

std::vector<pid_t> ChildrenOf(pid_t process) { return ReadProcesses()[process]; }

// The kernel's own list, where it has one (CONFIG_PROC_CHILDREN), leaves out some of several children that
// come and go.
pid_t OnlyChildOf(pid_t process) {
  const std::string id = std::to_string(process);
  const UniqueFd list{::open(("/proc/" + id + "/task/" + id + "/children").c_str(), O_RDONLY | O_CLOEXEC)};
  std::array<char, 64> text{};  // "4711 "
  if (!list) {
    const std::vector<pid_t> children = ChildrenOf(process);
    return children.size() == 1 ? children.front() : -1;
  }
  const ssize_t size = ::read(list.Get(), text.data(), text.size());
  const char* const end = text.data() + std::max<ssize_t>(size, 0);
  pid_t child = -1;
  const auto [stop, error] = std::from_chars(text.data(), end, child);
  return error == std::errc{} && stop + 1 == end ? child : -1;
}

UniqueFd HandleOf(pid_t process) {
  return UniqueFd{static_cast<int>(::syscall(SYS_pidfd_open, process, 0U))};
}

void SignalHandle(const UniqueFd& handle, int signal) {
  if (handle) ::syscall(SYS_pidfd_send_signal, handle.Get(), signal, nullptr, 0U);
}

std::size_t SignalDescendants(pid_t root, int signal) {
  ProcessTable table = ReadProcesses();
  std::vector<pid_t> parents = {root};
  std::size_t count = 0;
  for (std::size_t i = 0; i < parents.size(); ++i) {
    const pid_t parent = parents[i];
    for (const pid_t child : table[parent]) {
      const UniqueFd handle = HandleOf(child);
      // The handle pins the process; that it is still this parent's child proves it is the one we found.
      if (!handle || ParentOf(child) != parent) continue;
      parents.push_back(child);
      SignalHandle(handle, signal);
      ++count;
    }
  }
  return count;
}

// If `parent` ended before the first call, no signal comes.
bool DieWith(pid_t parent) {
  return ::prctl(PR_SET_PDEATHSIG, static_cast<unsigned long>(SIGKILL), 0UL, 0UL, 0UL) == 0 &&
         ::getppid() == parent;
}

}  // namespace mxc
