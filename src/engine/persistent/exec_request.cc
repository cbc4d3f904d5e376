#include "engine/persistent/exec_request.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "base/passed_fds.h"
#include "base/unique_fd.h"

namespace mxc::engine {
namespace {

constexpr std::uint64_t kMagic = 0x33636578652d786dULL;  // "mx-exec3"
// Far more than execve takes (MAX_ARG_STRLEN each, 6 MiB in all on Linux with the usual stack).
constexpr std::size_t kMaxBytes = std::size_t{64} << 20U;
constexpr std::size_t kLists = 5;

struct Header {
  std::uint64_t magic = 0;
  std::uint64_t slots = 0;
  std::uint64_t background = 0;
  std::uint64_t watched = 0;  // there is a watch socket; kFiles: for files as well
};

constexpr std::uint64_t kConnections = 1;
constexpr std::uint64_t kFiles = 2;

std::uint64_t WatchedBy(const Program& program) {
  if (program.watch_socket < 0) return 0;
  return program.watch_files ? kFiles : kConnections;
}

// The memory file as it grows: slots and texts apart, because the offsets need the number of slots.
class Builder {
 public:
  Builder(std::size_t slots, const Program& program)
      : header_{.magic = kMagic,
                .slots = slots,
                .background = program.background,
                .watched = WatchedBy(program)} {}

  void Add(const std::string& text) {
    offsets_.push_back(sizeof(Header) + header_.slots * sizeof(std::uint64_t) + texts_.size());
    texts_.append(text.c_str(), text.size() + 1);
  }
  void AddList(const std::vector<std::string>& list) {
    for (const std::string& text : list) Add(text);
    offsets_.push_back(0);
  }
  [[nodiscard]] std::string Bytes() const {
    std::string bytes(reinterpret_cast<const char*>(&header_), sizeof header_);
    bytes.append(reinterpret_cast<const char*>(offsets_.data()), offsets_.size() * sizeof(std::uint64_t));
    return bytes + texts_;
  }

 private:
  Header header_;
  std::vector<std::uint64_t> offsets_ = {};
  std::string texts_ = {};
};

Result<UniqueFd> MakeFile(const std::string& bytes) {
  UniqueFd file{::memfd_create("mxc-command", MFD_CLOEXEC)};
  if (!file) return SystemError(ErrorCode::kSetupFailed, "create a memory file", errno);
  for (std::size_t written = 0; written < bytes.size();) {
    const ssize_t count = ::write(file.Get(), bytes.data() + written, bytes.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return SystemError(ErrorCode::kSetupFailed, "write a memory file", errno);
    written += static_cast<std::size_t>(count);
  }
  return file;
}

constexpr std::size_t kStreams = 3;
constexpr std::size_t kMaxFiles = kStreams + 3;  // three streams, a terminal, a watch socket, a memory file

// Turns offsets into addresses in place, and finds the lists.
bool Link(char* base, std::size_t size, Command& command, bool& watched) {
  Header header;
  std::memcpy(&header, base, sizeof header);
  const std::size_t most = (size - sizeof header) / sizeof(std::uint64_t);
  if (header.magic != kMagic || header.slots > most || base[size - 1] != '\0') return false;
  auto** const slots = reinterpret_cast<char**>(base + sizeof header);
  std::array<char**, kLists + 1> begins{slots};
  std::size_t lists = 0;
  for (std::size_t i = 0; i < header.slots; ++i) {
    std::uint64_t offset = 0;
    std::memcpy(&offset, slots + i, sizeof offset);
    if (offset >= size) return false;
    slots[i] = offset == 0 ? nullptr : base + offset;
    if (offset != 0) continue;
    if (++lists > kLists) return false;
    begins.at(lists) = slots + i + 1;
  }
  // Behind the last list exactly the working directory.
  if (lists != kLists || begins[kLists] + 1 != slots + header.slots) return false;
  command.program = {.paths = begins[0], .argv = begins[1]};
  command.plain = {.paths = begins[2], .argv = begins[3]};
  command.envp = begins[4];
  command.cwd = *begins[kLists];
  command.background = header.background != 0;
  command.watch_files = header.watched == kFiles;
  watched = header.watched != 0;
  return command.program.argv[0] != nullptr;
}

// Of a command that did not fit into its message.
bool MapFile(int file, ReceivedCommand& received, bool& watched) {
  struct stat status {};
  if (::fstat(file, &status) != 0) return false;
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size <= sizeof(Header) || size > kMaxBytes) return false;
  void* const memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
  if (memory == MAP_FAILED) return false;
  received.mapped = {static_cast<char*>(memory), size};
  return Link(received.mapped.data(), size, received.command, watched);
}

}  // namespace

Error NobodyTookIt() {
  return {
      .code = ErrorCode::kNotStarted,
      .message =
          "the sandbox could not take the command: it has ended, or too many descriptors of this user are "
          "in flight",
      .pointer = "/sandboxId",
      .hint = "look at it with --list; start it again, or end the program that leaves descriptors unread"};
}

Status SendCommand(int connection, const Program& program) {
  const std::vector<std::string>* const lists[kLists] = {
      &program.command.candidates, &program.command.arguments, &program.plain.candidates,
      &program.plain.arguments, &program.variables};
  std::size_t slots = kLists + 1;
  for (const auto* list : lists) slots += list->size();
  Builder builder(slots, program);
  for (const auto* list : lists) builder.AddList(*list);
  builder.Add(program.cwd);
  std::string bytes = builder.Bytes();

  std::vector<int> files = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
  for (std::size_t i = 0; i < kStreams; ++i) {
    if (program.standard.at(i) >= 0) files.at(i) = program.standard.at(i);
  }
  if (program.controlling_terminal >= 0) files.push_back(program.controlling_terminal);
  if (program.watch_socket >= 0) files.push_back(program.watch_socket);
  UniqueFd file;
  if (bytes.size() > kMaxMessage) {
    Result<UniqueFd> made = MakeFile(bytes);
    if (!made) return made.error();
    file = std::move(*made);
    files.push_back(file.Get());
    bytes.resize(1);  // a message without any carries no descriptors
  }
  if (SendWithFds(connection, bytes.data(), bytes.size(), files) > 0) return Done{};
  if (errno != EPIPE && errno != ECONNRESET)
    return SystemError(ErrorCode::kSetupFailed, "hand the command over to the sandbox", errno);
  return NobodyTookIt();
}

bool ReceiveCommand(int connection, ReceivedCommand& received) {
  std::array<int, kMaxFiles> numbers = {};
  std::size_t files = 0;
  const ssize_t count =
      ReceiveWithFds(connection, received.message.data(), received.message.size(), 0, numbers, files);
  const bool mapped = count == 1;
  if (count <= 0 || files < kStreams + (mapped ? 1 : 0)) return false;
  const auto size = static_cast<std::size_t>(count);
  bool watched = false;
  const bool linked =
      mapped ? MapFile(numbers.at(files - 1), received, watched)
             : size > sizeof(Header) && Link(received.message.data(), size, received.command, watched);
  const std::size_t others = kStreams + (watched ? 1 : 0) + (mapped ? 1 : 0);
  if (!linked || files < others || files > others + 1) return false;
  received.command.standard = {numbers[0], numbers[1], numbers[2]};
  if (files > others) received.command.controlling_terminal = numbers[kStreams];
  if (watched) received.command.watch_socket = numbers.at(files - (mapped ? 2 : 1));
  return true;
}

void Forget(ReceivedCommand& received) {
  if (!received.mapped.empty()) ::munmap(received.mapped.data(), received.mapped.size());
  ::explicit_bzero(received.message.data(), received.message.size());
}

}  // namespace mxc::engine
