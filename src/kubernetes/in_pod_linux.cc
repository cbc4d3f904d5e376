#include "kubernetes/in_pod_linux.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/pipe.h"
#include "base/process_tree.h"
#include "base/unique_fd.h"
#include "kubernetes/pod_stream.h"

namespace mxc::kubernetes {
namespace {

constexpr int kNoWord = 2;
constexpr int kEndWaitMs = 5000;
constexpr std::size_t kMaxReport = std::size_t{256} << 10U;

// Not a byte more than that: what follows is the command's.
bool ReadExactly(std::string& text, std::size_t size) {
  text.resize(size);
  for (std::size_t done = 0; done < size;) {
    const ssize_t count = ::read(STDIN_FILENO, text.data() + done, size - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += static_cast<std::size_t>(count);
  }
  return true;
}

// A file without a name, at its beginning.
UniqueFd FileOf(const char* name, std::string_view text) {
  UniqueFd file{::memfd_create(name, MFD_CLOEXEC)};
  if (!WriteAll(file.Get(), text)) return {};
  ::lseek(file.Get(), 0, SEEK_SET);
  return file;
}

// The lines that the launcher wants; the others tell of single files and connections, without bound.
std::string ReportIn(int fd) {
  std::string lines;
  ::lseek(fd, 0, SEEK_SET);
  std::array<char, 65536> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): read(2) fills it
  for (ssize_t count = 0; (count = ::read(fd, buffer.data(), buffer.size())) > 0;)
    lines.append(buffer.data(), static_cast<std::size_t>(count));
  std::string report;
  for (std::string_view rest = lines; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n') + 1);
    if (line.empty()) break;
    rest.remove_prefix(line.size());
    const bool end = line.starts_with(R"({"event":"outcome")") || line.starts_with(R"({"event":"error")");
    const bool wanted = end || line.starts_with(R"({"event":"warning")");
    if (wanted && (end || report.size() < kMaxReport)) report += line;
  }
  return report;
}

// Which process holds it the handle says, before the number can be another's.
struct PodsProgram {
  pid_t id = -1;
  UniqueFd handle = {};
};

bool IsCalled(pid_t process, std::string_view name) {
  const std::string text = ProcessText(process, "cmdline");
  const std::string words = std::string(1, '\0') + kInPodFlag + std::string(1, '\0') + std::string(name);
  const std::size_t first = text.find('\0');
  return first != std::string::npos && std::string_view(text).substr(first).starts_with(words);
}

// Without the children that they have forked, which end with them.
std::vector<PodsProgram> ProgramsCalled(std::string_view name) {
  std::vector<PodsProgram> found;
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::opendir("/proc"), ::closedir);
  while (const dirent* entry =
             listing ? ::readdir(listing.get()) : nullptr) {  // NOLINT(concurrency-mt-unsafe)
    const pid_t id = static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10));
    if (id <= 1) continue;
    PodsProgram program{.id = id, .handle = HandleOf(id)};
    if (program.handle && IsCalled(id, name) && !IsCalled(ParentOf(id), name))
      found.push_back(std::move(program));
  }
  return found;
}

bool HasEnded(const PodsProgram& program, int limit_ms) {
  pollfd ended{.fd = program.handle.Get(), .events = POLLIN, .revents = 0};
  return ::poll(&ended, 1, limit_ms) == 1;
}

}  // namespace

int EndPodsPrograms(std::string_view name) {
  bool all_ended = true;
  for (const PodsProgram& program : ProgramsCalled(name)) SignalHandle(program.handle, SIGTERM);
  for (const PodsProgram& program : ProgramsCalled(name)) {
    if (HasEnded(program, kEndWaitMs)) continue;
    SignalHandle(program.handle, SIGKILL);
    all_ended = HasEnded(program, kEndWaitMs) && all_ended;
  }
  return all_ended ? 0 : 1;
}

int RunAsPodsProgram(char* name, int (*run_main)(int argc, char** argv)) {
  std::string header;
  std::string document;
  const bool greeted = ReadExactly(header, kHeaderBytes);
  const auto word = greeted ? ReadHeader(header) : std::nullopt;
  if (!word || !ReadExactly(document, word->document)) {
    std::fputs("mxc-exec: --in-pod is for the launcher of a containment `kubernetes` alone\n", stderr);
    return kNoWord;
  }
  // The command's end may close ours.
  const UniqueFd out{::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)};
  const UniqueFd err{::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)};
  const UniqueFd config = FileOf("mxc-config", document);
  const UniqueFd status = FileOf("mxc-status", "");
  std::string config_fd = std::to_string(config.Get());
  std::string status_fd = std::to_string(status.Get());
  std::string quiet = "--quiet";
  std::string config_flag = "--config-fd";
  std::string status_flag = "--status-fd";
  std::array<char*, 7> arguments = {
      name,   quiet.data(), config_flag.data(), config_fd.data(), status_flag.data(), status_fd.data(),
      nullptr};
  static_cast<void>(run_main(static_cast<int>(arguments.size()) - 1, arguments.data()));
  const std::string mark = MarkOf(word->token);
  static_cast<void>(WriteAll(out.Get(), mark));
  static_cast<void>(WriteAll(err.Get(), mark + ReportIn(status.Get())));
  return 0;
}

}  // namespace mxc::kubernetes
