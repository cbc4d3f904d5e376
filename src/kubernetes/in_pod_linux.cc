#include "kubernetes/in_pod_linux.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <string>
#include <string_view>

#include "base/unique_fd.h"
#include "kubernetes/pod_stream.h"

namespace mxc::kubernetes {
namespace {

constexpr int kNoWord = 2;
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

void WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(fd, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

// A file without a name, at its beginning.
UniqueFd FileOf(const char* name, std::string_view text) {
  UniqueFd file{::memfd_create(name, MFD_CLOEXEC)};
  WriteAll(file.Get(), text);
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

}  // namespace

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
  WriteAll(out.Get(), mark);
  WriteAll(err.Get(), mark + ReportIn(status.Get()));
  return 0;
}

}  // namespace mxc::kubernetes
