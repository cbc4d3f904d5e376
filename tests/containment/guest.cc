// The program the containment tests run inside: it tries things and says what the kernel answered.
//
//   guest read /srv/x ';' write /srv/y text ';' syscall 165 0 s:/mnt ...
//
// One line of output per operation: text that was read, "ok", or the name of the error ("EACCES").
// It is static and needs nothing but itself. Dangerous calls are made with arguments that the kernel rejects
// after its permission check, so that a test that finds a hole does no harm.
#include "tests/containment/guest.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace mxc::guest {
namespace {

const char* Text(const std::string& text) { return text.c_str(); }

std::string Read(const Words& words) {
  const int fd = ::open(Text(words[1]), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return Errno();
  return ReadDescriptor(fd);
}

std::string Write(const Words& words) {
  const int fd = ::open(Text(words[1]), O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_CLOEXEC, 0644);
  if (fd < 0) return Errno();
  return Answer(::write(fd, Text(words[2]), words[2].size()));
}

// May it be opened so? Nothing is read or written.
std::string Open(const Words& words) {
  const int flags = words[2] == "r" ? O_RDONLY : O_WRONLY;
  return Answer(::open(Text(words[1]), flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
}

std::string List(const Words& words) {
  DIR* directory = ::opendir(Text(words[1]));
  if (directory == nullptr) return Errno();
  Words names;
  while (const dirent* entry = ::readdir(directory)) {
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  }
  ::closedir(directory);
  std::sort(names.begin(), names.end());
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

// Through a descriptor that was opened for reading.
std::string Reopen(const Words& words) {
  const int fd = ::open(Text(words[1]), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return Errno();
  const int again = ::open(("/proc/self/fd/" + std::to_string(fd)).c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  return again < 0 ? Errno() : Answer(::write(again, "x", 1));
}

std::string MapAndWrite(const Words& words) {
  const int fd = ::open(Text(words[1]), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return Errno();
  void* memory = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) return Errno();
  *static_cast<volatile char*>(memory) = 'x';
  return "ok";
}

std::string Touch(const Words& words) {
  const std::array<timespec, 2> times{};
  return Answer(::utimensat(AT_FDCWD, Text(words[1]), times.data(), 0));
}

std::string Chmod(const Words& words) {
  return Answer(::chmod(Text(words[1]), static_cast<mode_t>(std::strtoul(Text(words[2]), nullptr, 8))));
}

std::string SetAttribute(const Words& words) {
  return Answer(::setxattr(Text(words[1]), "user.mxc", "x", 1, 0));
}

std::string Exchange(const Words& words) {
  return Answer(::renameat2(AT_FDCWD, Text(words[1]), AT_FDCWD, Text(words[2]), RENAME_EXCHANGE));
}

// A line of /proc/self/status, without its name.
std::string Status(const Words& words) {
  const std::string status = Read({"read", "/proc/self/status"});
  const auto begin = status.find("\\n" + words[1] + ":\t");
  if (begin == std::string::npos) return "absent";
  const auto value = begin + words[1].size() + 4;
  return status.substr(value, status.find("\\n", value) - value);
}

std::string Environment(const Words&) {
  std::string text;
  for (char** entry = environ; *entry != nullptr; ++entry)
    text += (text.empty() ? "" : "|") + std::string(*entry);
  return text;
}

// Every descriptor above the standard streams, with what can be read through it.
std::string Descriptors(const Words&) {
  std::string text;
  for (int fd = 3; fd < 1024; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0) text += (text.empty() ? "" : ",") + std::to_string(fd);
  }
  return text.empty() ? "none" : text;
}

// Processes whose environment or command line holds the text (given in two halves, so that ours does not).
std::string FindInProcesses(const Words& words) {
  std::string hits;
  for (int pid = 1; pid < 5000; ++pid) {
    const std::string process = "/proc/" + std::to_string(pid);
    for (const char* file : {"/environ", "/cmdline"}) {
      const std::string text = Read({"read", process + file});
      if (text.find(words[1] + words[2]) != std::string::npos) hits += process + file + " ";
    }
  }
  return hits.empty() ? "none" : hits;
}

// The path below every process' root, working directory.
std::string ReadThroughProcesses(const Words& words) {
  std::string text;
  for (int pid = 1; pid < 200; ++pid) {
    for (const char* link : {"/root", "/cwd"}) {
      text += Read({"read", "/proc/" + std::to_string(pid) + link + words[1]}) + " ";
    }
  }
  return text;
}

// A process that leaves its parent, its session and its streams, and holds a lock for as long as it lives.
std::string Daemon(const Words& words) {
  std::array<int, 2> ready{};
  if (::pipe2(ready.data(), O_CLOEXEC) != 0) return Errno();
  if (::fork() == 0) {
    ::setsid();
    if (::fork() != 0) ::_exit(0);
    for (const int number : {SIGTERM, SIGHUP, SIGINT}) ::signal(number, SIG_IGN);
    const int fd = ::open(Text(words[1]), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    const char answer = ::flock(fd, LOCK_EX) == 0 ? 'y' : 'n';
    for (int stream = 0; stream < 3; ++stream) ::close(stream);
    if (::write(ready[1], &answer, 1) != 1) ::_exit(1);
    ::close(ready[1]);
    while (true) ::pause();
  }
  ::close(ready[1]);
  char answer = 'n';
  return ::read(ready[0], &answer, 1) == 1 && answer == 'y' ? "ok" : "no daemon";
}

std::string Wait(const Words&) {
  while (true) ::pause();
}

// Waits until the file exists, so that the test outside can act meanwhile.
std::string Await(const Words& words) {
  for (int round = 0; round < 400; ++round) {
    if (::access(Text(words[1]), F_OK) == 0) return "ok";
    ::usleep(50000);
  }
  return "never";
}

// Runs a program; its output follows in lines of its own.
std::string Start(const Words& words) {
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) {
    std::vector<char*> argv;
    for (std::size_t i = 1; i < words.size(); ++i) argv.push_back(const_cast<char*>(Text(words[i])));
    argv.push_back(nullptr);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return std::to_string(WEXITSTATUS(status));
}

std::string Ids(const Words&) { return std::to_string(::getuid()) + " " + std::to_string(::geteuid()); }

const std::vector<Operation> file_operations = {
    {"read", 2, Read},
    {"write", 3, Write},
    {"open", 3, Open},
    {"list", 2, List},
    {"reopen", 2, Reopen},
    {"map", 2, MapAndWrite},
    {"touch", 2, Touch},
    {"chmod", 3, Chmod},
    {"chown", 2, [](const Words& w) { return Answer(::lchown(Text(w[1]), ::getuid(), ::getgid())); }},
    {"setxattr", 2, SetAttribute},
    {"truncate", 2, [](const Words& w) { return Answer(::truncate(Text(w[1]), 0)); }},
    {"opentrunc", 2,
     [](const Words& w) { return Answer(::open(Text(w[1]), O_RDONLY | O_TRUNC | O_CLOEXEC)); }},
    {"unlink", 2, [](const Words& w) { return Answer(::unlink(Text(w[1]))); }},
    {"rmdir", 2, [](const Words& w) { return Answer(::rmdir(Text(w[1]))); }},
    {"mkdir", 2, [](const Words& w) { return Answer(::mkdir(Text(w[1]), 0755)); }},
    {"chdir", 2, [](const Words& w) { return Answer(::chdir(Text(w[1]))); }},
    {"symlink", 3, [](const Words& w) { return Answer(::symlink(Text(w[1]), Text(w[2]))); }},
    {"link", 3, [](const Words& w) { return Answer(::link(Text(w[1]), Text(w[2]))); }},
    {"rename", 3, [](const Words& w) { return Answer(::rename(Text(w[1]), Text(w[2]))); }},
    {"exchange", 3, Exchange},
    {"status", 2, Status},
    {"environment", 1, Environment},
    {"descriptors", 1, Descriptors},
    {"find", 3, FindInProcesses},
    {"everyroot", 2, ReadThroughProcesses},
    {"daemon", 2, Daemon},
    {"wait", 1, Wait},
    {"await", 2, Await},
    {"start", 0, Start},
    {"ids", 1, Ids},
    {"kill", 3, [](const Words& w) { return Answer(::kill(std::stoi(w[1]), std::stoi(w[2]))); }},
};

std::string Perform(const Words& words) {
  for (const auto* table : {&file_operations, &KernelOperations(), &HogOperations(), &PassingOperations()}) {
    for (const Operation& operation : *table) {
      if (words[0] != operation.name) continue;
      if (operation.words != 0 && operation.words != words.size()) return "wrong number of words";
      return operation.perform(words);
    }
  }
  return "unknown operation";
}

}  // namespace

std::string Errno() { return ::strerrorname_np(errno); }

std::string Answer(long result) { return result < 0 ? Errno() : "ok"; }

std::string ReadDescriptor(int fd) {
  std::array<char, 65536> buffer{};
  const ssize_t count = ::read(fd, buffer.data(), buffer.size());
  const std::string answer = count < 0 ? Errno() : "";
  ::close(fd);
  std::string text = answer;
  for (ssize_t i = 0; i < count; ++i) {
    const char c = buffer.at(static_cast<std::size_t>(i));
    text += c == '\n' ? "\\n" : std::string(1, c == '\0' ? ' ' : c);
  }
  return text;
}

}  // namespace mxc::guest

int main(int argc, char** argv) {
  mxc::guest::Words words;
  for (int i = 1; i <= argc; ++i) {
    if (i < argc && std::strcmp(argv[i], ";") != 0) {
      words.emplace_back(argv[i]);
    } else if (!words.empty()) {
      std::printf("%s\n", mxc::guest::Perform(words).c_str());
      std::fflush(stdout);
      words.clear();
    }
  }
  return 0;
}
