// What the network gateway costs, beside the host's loopback without a sandbox.
//
//   mxc_network_bench build/release/mxc-exec [SECONDS]
//
// Servers stand on the host's loopback; the sandbox reaches them as host.mxc.internal. The client is this
// program too, outside and inside.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

constexpr int kServers = 12;
constexpr int kParallel = 8;
constexpr const char* kInside = "198.18.0.1";  // host.mxc.internal
std::array<char, 262144> buffer;

enum class Mode : char { kSend = 's', kReceive = 'r', kConnect = 'c' };

using Clock = std::chrono::steady_clock;

sockaddr_in Address(const char* address, std::uint16_t port) {
  sockaddr_in four{};
  four.sin_family = AF_INET;
  four.sin_port = htons(port);
  ::inet_pton(AF_INET, address, &four.sin_addr);
  return four;
}

// ---- servers: the first byte of a connection says what it is for

void ServeOne(int connection) {
  char mode = 0;
  if (::recv(connection, &mode, 1, 0) != 1) return;
  switch (static_cast<Mode>(mode)) {
    case Mode::kSend:
      while (::recv(connection, buffer.data(), buffer.size(), 0) > 0) {
      }
      return;
    case Mode::kReceive:
      while (::send(connection, buffer.data(), buffer.size(), MSG_NOSIGNAL) > 0) {
      }
      return;
    case Mode::kConnect:
      ::send(connection, &mode, 1, MSG_NOSIGNAL);
  }
}

// Returns the port.
std::uint16_t StartServers() {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = Address("127.0.0.1", 0);
  socklen_t size = sizeof address;
  if (::bind(listener, reinterpret_cast<const sockaddr*>(&address), size) != 0) return 0;
  if (::listen(listener, 4096) != 0) return 0;
  ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  for (int i = 0; i < kServers; ++i) {
    if (::fork() != 0) continue;
    ::prctl(PR_SET_PDEATHSIG, static_cast<unsigned long>(SIGKILL));
    for (;;) {
      const int connection = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
      ServeOne(connection);
      ::close(connection);
    }
  }
  return ntohs(address.sin_port);
}

// ---- the client

int Open(const sockaddr_in& server, Mode mode) {
  const int connection = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const auto first = static_cast<char>(mode);
  const bool open = ::connect(connection, reinterpret_cast<const sockaddr*>(&server), sizeof server) == 0 &&
                    ::send(connection, &first, 1, MSG_NOSIGNAL) == 1;
  if (open) return connection;
  std::perror("connect");
  std::exit(1);
}

// Connections, or bytes.
std::uint64_t Count(const sockaddr_in& server, Mode mode, Clock::time_point end) {
  std::uint64_t count = 0;
  if (mode == Mode::kConnect) {
    for (; Clock::now() < end; ++count) {
      const int connection = Open(server, mode);
      while (::recv(connection, buffer.data(), buffer.size(), 0) > 0) {
      }
      ::close(connection);
    }
    return count;
  }
  const int connection = Open(server, mode);
  while (Clock::now() < end) {
    const ssize_t moved = mode == Mode::kSend ? ::send(connection, buffer.data(), buffer.size(), MSG_NOSIGNAL)
                                              : ::recv(connection, buffer.data(), buffer.size(), 0);
    if (moved <= 0) std::exit(1);
    count += static_cast<std::uint64_t>(moved);
  }
  ::close(connection);
  return count;
}

// Prints what all clients together did in a second.
int RunClient(char** argv) {
  const sockaddr_in server = Address(argv[2], static_cast<std::uint16_t>(std::atoi(argv[3])));
  const int clients = std::atoi(argv[5]);
  const double seconds = std::atof(argv[6]);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return 1;
  const Clock::time_point end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  for (int i = 0; i < clients; ++i) {
    if (::fork() != 0) continue;
    const std::uint64_t count = Count(server, static_cast<Mode>(argv[4][0]), end);
    ::_exit(::write(ends[1], &count, sizeof count) == sizeof count ? 0 : 1);
  }
  ::close(ends[1]);
  std::uint64_t sum = 0;
  std::uint64_t count = 0;
  for (; ::read(ends[0], &count, sizeof count) == sizeof count; sum += count) {
  }
  std::printf("%.0f\n", static_cast<double>(sum) / seconds);
  return 0;
}

// ---- the measurement

double Run(const std::string& command) {
  FILE* output = ::popen(command.c_str(), "r");
  double value = 0;
  const bool read = output != nullptr && std::fscanf(output, "%lf", &value) == 1;
  if (output == nullptr || ::pclose(output) != 0 || !read) {
    std::fprintf(stderr, "failed: %s\n", command.c_str());
    std::exit(1);
  }
  return value;
}

struct Row {
  const char* name;
  Mode mode;
  int clients;
  double unit;
};

constexpr Row kRows[] = {{"one stream out, MB/s", Mode::kSend, 1, 1e6},
                         {"one stream in, MB/s", Mode::kReceive, 1, 1e6},
                         {"new connections/s, one client", Mode::kConnect, 1, 1},
                         {"new connections/s, eight clients", Mode::kConnect, kParallel, 1}};

std::string Client(const std::string& self, const char* address, std::uint16_t port, const Row& row,
                   double seconds) {
  return self + " client " + address + " " + std::to_string(port) + " " + static_cast<char>(row.mode) + " " +
         std::to_string(row.clients) + " " + std::to_string(seconds);
}

int Measure(const std::string& program, double seconds) {
  constexpr int kRounds = 5;
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  const std::string folder = std::filesystem::path(self).parent_path();
  const std::uint16_t port = StartServers();
  std::string config = "/tmp/mxc-bench-XXXXXX";
  const int fd = ::mkostemp(config.data(), O_CLOEXEC);
  if (port == 0 || fd < 0) return 1;
  std::ofstream(config) << R"({"version":"1.0.0","containment":"namespaces","process":{"argv":["true"]},)"
                        << R"("filesystem":{"readonlyPaths":[")" << folder
                        << R"("]},"network":{"ingress":{"hostLoopback":"allow"}}})";
  std::printf("%-34s %10s %10s %8s\n", "best of 5", "direct", "gateway", "ratio");
  for (const Row& row : kRows) {
    double direct = 0;
    double through = 0;
    for (int round = 0; round < kRounds; ++round) {
      direct = std::max(direct, Run(Client(self, "127.0.0.1", port, row, seconds)));
      through =
          std::max(through, Run(program + " " + config + " -- " + Client(self, kInside, port, row, seconds)));
    }
    std::printf("%-34s %10.0f %10.0f %8.2f\n", row.name, direct / row.unit, through / row.unit,
                through / direct);
  }
  ::unlink(config.c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 7 && std::string(argv[1]) == "client") return RunClient(argv);
  if (argc < 2) {
    std::fprintf(stderr, "usage: mxc_network_bench PROGRAM [SECONDS]\n");
    return 2;
  }
  return Measure(argv[1], argc > 2 ? std::atof(argv[2]) : 1);
}
