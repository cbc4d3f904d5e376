#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "base/own_files.h"

namespace mxc {
namespace {

int FlagsFor(OwnFile file) {
  switch (file) {
    case OwnFile::kLog:
      return O_APPEND | O_NOCTTY;
    case OwnFile::kResult:
      return O_TRUNC | O_NOCTTY;
    case OwnFile::kAudit:
      return O_APPEND | O_NONBLOCK;
  }
  return O_APPEND;
}

}  // namespace

UniqueFd OpenOwnFile(const std::string& path, OwnFile file) {
  return UniqueFd{::open(path.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | FlagsFor(file), 0600)};
}

bool IsRegularFile(int borrowed_fd) {
  struct stat status {};
  return ::fstat(borrowed_fd, &status) == 0 && S_ISREG(status.st_mode);
}

bool IsOpenDescriptor(int number) { return number >= 0 && ::fcntl(number, F_GETFD) >= 0; }

std::int64_t ReadSome(int borrowed_fd, std::span<char> buffer) {
  return ::read(borrowed_fd, buffer.data(), buffer.size());
}

std::int64_t WriteSome(int borrowed_fd, std::string_view text) {
  return ::write(borrowed_fd, text.data(), text.size());
}

void IgnoreFileSizeLimit() { ::signal(SIGXFSZ, SIG_IGN); }

std::int64_t OwnProcessId() { return ::getpid(); }

std::uint32_t OwnUserId() { return ::getuid(); }

bool FillRandom(std::span<unsigned char> bytes) { return ::getentropy(bytes.data(), bytes.size()) == 0; }

std::string RandomName() {
  std::array<unsigned char, 8> bytes{};
  if (!FillRandom(bytes)) return fmt::format("{:016x}", ::getpid());
  std::string name;
  for (const unsigned char byte : bytes) name += fmt::format("{:02x}", byte);
  return name;
}

}  // namespace mxc
