// The guest's operations on the kernel's surface: single system calls, sockets, the terminal, shared objects.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <functional>
#include <list>

#include "tests/containment/guest.h"

namespace mxc::guest {
namespace {

// In a child, so that a signal or a changed state harms nobody. Its answer, or "SIGSYS" and the like.
std::string InChild(const std::function<std::string()>& body) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return Errno();
  const pid_t child = ::fork();
  if (child < 0) return Errno();
  if (child == 0) {
    const std::string answer = body();
    const ssize_t written = ::write(ends[1], answer.data(), answer.size());
    ::_exit(written < 0 ? 1 : 0);
  }
  ::close(ends[1]);
  std::string answer = ReadDescriptor(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? std::string("SIG") + ::sigabbrev_np(WTERMSIG(status)) : answer;
}

// An argument of a system call: a number, "s:text", "z:64" (that many zero bytes), or "x:0a0b" (bytes).
class Arguments {
 public:
  explicit Arguments(const Words& words) {
    for (std::size_t i = 2; i < words.size() && i < 8; ++i) values_.at(i - 2) = Value(words[i]);
  }
  [[nodiscard]] long operator[](std::size_t i) const { return values_.at(i); }

 private:
  long Value(const std::string& word) {
    const std::string rest = word.size() > 2 ? word.substr(2) : "";
    if (word.rfind("s:", 0) == 0) return Keep(rest + '\0');
    if (word.rfind("z:", 0) == 0) return Keep(std::string(std::stoul(rest), '\0'));
    if (word.rfind("x:", 0) == 0) {
      std::string bytes;
      for (std::size_t i = 0; i + 1 < rest.size(); i += 2) {
        bytes += static_cast<char>(std::stoul(rest.substr(i, 2), nullptr, 16));
      }
      return Keep(bytes);
    }
    return static_cast<long>(std::stoull(word, nullptr, 0));
  }
  long Keep(std::string bytes) {
    buffers_.push_back(std::move(bytes));
    return reinterpret_cast<long>(buffers_.back().data());
  }

  std::array<long, 6> values_{};
  std::list<std::string> buffers_;
};

std::string Call(const Words& words) {
  const Arguments a(words);
  const long number = std::stol(words[1]);
  const long result = ::syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  // The second return of a call that made a process.
  if (result == 0 && (number == SYS_clone || number == SYS_clone3)) ::_exit(0);
  return Answer(result);
}

std::string SystemCall(const Words& words) {
  return InChild([&] { return Call(words); });
}

// The same, from inside a nested user and mount namespace when one can be had.
std::string NestedCall(const Words& words) {
  return InChild(
      [&] { return ::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0 ? "no namespace: " + Errno() : Call(words); });
}

// getpid through the 32-bit entry of a 64-bit process.
std::string Interrupt80(const Words&) {
#ifdef __x86_64__
  return InChild([] {
    long result = 20;
    // NOLINTNEXTLINE(hicpp-no-assembler): there is no other way to this entry
    asm volatile("int $0x80" : "+a"(result) : : "memory", "cc", "r8", "r9", "r10", "r11");
    return static_cast<int>(result) > 0 ? std::string("ok") : std::string("refused");
  });
#else
  return "SIGSYS";
#endif
}

// A call number with the x32 bit.
std::string X32(const Words&) {
  return InChild([] { return Answer(::syscall(0x40000000L | SYS_getpid)); });
}

std::string Send(int fd, const std::string& text) {
  if (::send(fd, text.data(), text.size(), MSG_NOSIGNAL) < 0) return Errno();
  return "ok";
}

// connect NETWORK ADDRESS PORT TEXT, with NETWORK one of tcp, udp (IPv4 or IPv6), unix, abstract.
std::string Connect(const Words& words) {
  const bool stream = words[1] != "udp";
  sockaddr_storage storage{};
  socklen_t length = 0;
  if (words[1] == "unix" || words[1] == "abstract") {
    auto* address = reinterpret_cast<sockaddr_un*>(&storage);
    address->sun_family = AF_UNIX;
    const std::string name = (words[1] == "abstract" ? std::string(1, '\0') : "") + words[2];
    std::memcpy(address->sun_path, name.data(), name.size());
    length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  } else if (words[2].find(':') != std::string::npos) {
    auto* address = reinterpret_cast<sockaddr_in6*>(&storage);
    address->sin6_family = AF_INET6;
    address->sin6_port = htons(static_cast<std::uint16_t>(std::stoi(words[3])));
    ::inet_pton(AF_INET6, words[2].c_str(), &address->sin6_addr);
    length = sizeof(sockaddr_in6);
  } else {
    auto* address = reinterpret_cast<sockaddr_in*>(&storage);
    address->sin_family = AF_INET;
    address->sin_port = htons(static_cast<std::uint16_t>(std::stoi(words[3])));
    ::inet_pton(AF_INET, words[2].c_str(), &address->sin_addr);
    length = sizeof(sockaddr_in);
  }
  const int fd = ::socket(storage.ss_family, (stream ? SOCK_STREAM : SOCK_DGRAM) | SOCK_CLOEXEC, 0);
  if (fd < 0) return Errno();
  if (::connect(fd, reinterpret_cast<sockaddr*>(&storage), length) != 0) return Errno();
  return Send(fd, words[4]);
}

// A listener inside talks to itself.
std::string OwnLoopback(const Words&) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  auto* plain = reinterpret_cast<sockaddr*>(&address);
  if (listener < 0 || ::bind(listener, plain, length) != 0 || ::listen(listener, 1) != 0) return Errno();
  ::getsockname(listener, plain, &length);
  return Answer(::connect(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), plain, length));
}

// Pushes a character into the terminal's input, as if the user had typed it.
std::string PushInput(const Words& words) {
  const int fd = words[1] == "tty" ? ::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC) : std::stoi(words[1]);
  if (fd < 0) return Errno();
  const char character = '!';
  return Answer(::ioctl(fd, TIOCSTI, &character));
}

std::string SharedMemory(const Words& words) {
  const int id = ::shmget(static_cast<key_t>(std::stol(words[1])), 0, 0);
  if (id < 0) return Errno();
  const void* memory = ::shmat(id, nullptr, SHM_RDONLY);
  if (memory == reinterpret_cast<void*>(-1)) return Errno();
  return static_cast<const char*>(memory);
}

// A key of the launcher's session keyring.
std::string SessionKey(const Words& words) {
  constexpr long kSearch = 10;
  constexpr long kRead = 11;
  constexpr long kSessionKeyring = -3;
  const long key = ::syscall(SYS_keyctl, kSearch, kSessionKeyring, "user", words[1].c_str(), 0);
  if (key < 0) return Errno();
  std::array<char, 100> text{};
  return ::syscall(SYS_keyctl, kRead, key, text.data(), text.size() - 1) < 0 ? Errno() : text.data();
}

}  // namespace

const std::vector<Operation>& KernelOperations() {
  static const std::vector<Operation> table = {
      {"syscall", 0, SystemCall},  {"nested", 0, NestedCall},
      {"int80", 1, Interrupt80},   {"x32", 1, X32},
      {"connect", 5, Connect},     {"ownloopback", 1, OwnLoopback},
      {"pushinput", 2, PushInput}, {"shm", 2, SharedMemory},
      {"key", 2, SessionKey},
  };
  return table;
}

}  // namespace mxc::guest
