// Operations that use up as much of something as they get, and say how much that was.
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "tests/containment/guest.h"

namespace mxc::guest {
namespace {

constexpr std::size_t kMegabyte = 1U << 20U;

// How a child ended: "signal 9", or its exit status.
std::string EndOf(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
  return "exit " + std::to_string(WEXITSTATUS(status));
}

// Touches MEGABYTES of memory in a child.
std::string Memory(const Words& words) {
  const std::size_t bytes = std::stoul(words[1]) * kMegabyte;
  const pid_t child = ::fork();
  if (child < 0) return Errno();
  if (child == 0) {
    void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) ::_exit(1);
    std::memset(memory, 1, bytes);
    ::_exit(0);
  }
  return EndOf(child);
}

// Writes PATH in a child until it is MEGABYTES long or the kernel refuses: how many there are then, and why.
std::string Fill(const Words& words) {
  static std::array<char, kMegabyte> block{};
  block.fill('x');
  const pid_t child = ::fork();
  if (child < 0) return Errno();
  if (child == 0) {
    if (words.size() > 3) ::signal(SIGXFSZ, SIG_IGN);
    const int fd = ::open(words[1].c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    const int wanted = std::stoi(words[2]);
    int written = 0;
    while (written < wanted && ::write(fd, block.data(), block.size()) == static_cast<ssize_t>(kMegabyte))
      ++written;
    if (written < wanted) std::fprintf(stdout, "%d %s, ", written, Errno().c_str());
    std::fflush(stdout);
    ::_exit(written < wanted ? 1 : 0);
  }
  return EndOf(child);
}

// Starts children that wait, up to COUNT: how many there are, and why no more.
std::string Crowd(const Words& words) {
  const long wanted = std::stol(words[1]);
  std::vector<pid_t> children;
  std::string why;
  while (static_cast<long>(children.size()) < wanted && why.empty()) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::pause();
      ::_exit(0);
    }
    if (child < 0) {
      why = " " + Errno();
    } else {
      children.push_back(child);
    }
  }
  for (const pid_t child : children) ::kill(child, SIGKILL);
  for (const pid_t child : children) EndOf(child);
  return std::to_string(children.size()) + why;
}

// Every process starts others as fast as it can.
std::string ForkBomb(const Words& /*words*/) {
  for (;;) ::fork();
}

// One of a chain: starts the next, and exits. In one memory, as a copy of it would take longer than to reap
// it.
struct Chain {
  static constexpr std::size_t kStacks = 16, kBytes = 16384;
  alignas(16) std::array<std::byte, kStacks * kBytes> stacks;
  std::size_t next;
  std::time_t end;
};
int Link(void* argument) {
  Chain& chain = *static_cast<Chain*>(argument);
  while (std::time(nullptr) < chain.end) {
    chain.next = (chain.next + 1) % Chain::kStacks;
    std::byte* const top = chain.stacks.data() + (chain.next + 1) * Chain::kBytes;
    if (::clone(Link, top, CLONE_VM | SIGCHLD, argument) > 0) break;
    ::usleep(100);
  }
  ::_exit(0);
}

// Leaves COUNT processes that fork and exit for SECONDS, each in a session of its own. Never without a limit.
std::string Chains(const Words& words) {
  constexpr rlim_t kMost = 3000;
  static Chain chain{};
  const rlimit limit{.rlim_cur = kMost, .rlim_max = kMost};
  if (::setrlimit(RLIMIT_NPROC, &limit) != 0) return Errno();
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_IGN);
  chain.end = std::time(nullptr) + std::stol(words[2]);
  for (long i = std::stol(words[1]); i > 0; --i) {
    if (::fork() != 0) continue;
    ::setsid();
    Link(&chain);
  }
  ::signal(SIGCHLD, SIG_DFL);
  return "ok";
}

// Opens /dev/null, or another file, up to COUNT times: the highest descriptor, and why no more.
std::string Descriptors(const Words& words) {
  const long wanted = std::stol(words[1]);
  std::vector<int> opened;
  std::string why;
  while (static_cast<long>(opened.size()) < wanted && why.empty()) {
    const int fd = ::open(words.size() > 2 ? words[2].c_str() : "/dev/null", O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (fd < 0) {
      why = " " + Errno();
    } else {
      opened.push_back(fd);
    }
  }
  const int highest = opened.empty() ? -1 : opened.back();
  for (const int fd : opened) ::close(fd);
  return std::to_string(highest) + why;
}

// Sends to COUNT sockets of this machine as much as each takes: how many megabytes the kernel held for them.
std::string Datagrams(const Words& words) {
  constexpr int kMost = 16;
  const int wished = 64 << 20U;
  static std::array<char, 60000> block{};
  std::vector<int> sockets;
  const int sender = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  for (long i = std::stol(words[1]); i > 0; --i) {
    const int taker = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    ::setsockopt(taker, SOL_SOCKET, SO_RCVBUF, &wished, sizeof wished);
    sockaddr_in address{
        .sin_family = AF_INET, .sin_port = 0, .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
    socklen_t length = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);  // NOLINT(*-reinterpret-cast)
    if (::bind(taker, any, length) != 0 || ::getsockname(taker, any, &length) != 0) return Errno();
    for (int sent = 0; sent < kMost; ++sent)
      ::sendto(sender, block.data(), block.size(), MSG_DONTWAIT, any, length);
    sockets.push_back(taker);
  }
  std::size_t held = 0;
  for (const int taker : sockets) {
    for (ssize_t count = 0; (count = ::recv(taker, block.data(), block.size(), MSG_DONTWAIT)) > 0;)
      held += static_cast<std::size_t>(count);
    ::close(taker);
  }
  ::close(sender);
  return std::to_string(held / kMegabyte);
}

// COUNT processes that compute without end, and this one.
std::string Burn(const Words& words) {
  const pid_t self = ::getpid();
  for (long i = std::stol(words[1]); i > 0 && ::getpid() == self; --i) {
    if (::fork() < 0) return Errno();
  }
  const volatile bool forever = true;
  while (forever) {
  }
  return "ok";
}

// Computes for MILLISECONDS of processor time.
std::string Work(const Words& words) {
  const clock_t end = ::clock() + std::stol(words[1]) * (CLOCKS_PER_SEC / 1000);
  while (::clock() < end) {
  }
  return "ok";
}

}  // namespace

const std::vector<Operation>& HogOperations() {
  static const std::vector<Operation> table = {
      {"memory", 2, Memory},     {"fill", 0, Fill},     {"crowd", 2, Crowd},
      {"forkbomb", 1, ForkBomb}, {"chains", 3, Chains}, {"files", 0, Descriptors},
      {"burn", 2, Burn},         {"work", 2, Work},     {"datagrams", 2, Datagrams},
  };
  return table;
}

}  // namespace mxc::guest
