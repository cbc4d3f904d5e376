// Writes the linker script that puts the functions of a launch next to each other.
//
//   generate_launch_order PROGRAM SCRIPT CONFIG...
//
// PROGRAM is the static program with its symbols. It runs once with each CONFIG, with a breakpoint on every
// function; the functions that were entered, by any of its processes, stand in SCRIPT in the order in which
// they were.
//
// A launch enters a fifth of the program, and these functions lie all over it. Each piece of 64 KiB that one
// of them touches is a page fault in the launcher, and another one in each process that it forks. Worth 6 %
// of a launch: measured by tests/bench/paired.py against a program that was configured with
// -DMXC_LAUNCH_ORDER=OFF.
//
// What the system refuses (namespaces, ptrace) makes the list shorter, and never fails the build.
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr unsigned kPatience = 60;  // seconds for one run
constexpr std::uint64_t kBreakpoint = 0xcc;

using Functions = std::map<std::uint64_t, std::vector<std::string>>;  // by address; aliases share one

// The functions of an ELF file that is loaded where it was linked.
Functions ReadFunctions(const char* program) {
  Functions functions;
  const int file = ::open(program, O_RDONLY | O_CLOEXEC);
  struct stat status {};
  if (file < 0 || ::fstat(file, &status) != 0) return functions;
  void* const mapped =
      ::mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_PRIVATE, file, 0);
  if (mapped == MAP_FAILED) return functions;
  const auto* const begin = static_cast<const char*>(mapped);
  const auto* const header = reinterpret_cast<const Elf64_Ehdr*>(begin);
  const auto* const sections = reinterpret_cast<const Elf64_Shdr*>(begin + header->e_shoff);
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_SYMTAB) continue;
    const char* const names = begin + sections[sections[i].sh_link].sh_offset;
    const auto* symbol = reinterpret_cast<const Elf64_Sym*>(begin + sections[i].sh_offset);
    for (auto left = sections[i].sh_size / sizeof(Elf64_Sym); left > 0; --left, ++symbol) {
      if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_shndx == SHN_UNDEF) continue;
      functions[symbol->st_value].emplace_back(names + symbol->st_name);
    }
  }
  return functions;
}

// Returns the byte that stood there.
std::uint64_t ReplaceByte(pid_t process, std::uint64_t address, std::uint64_t byte) {
  auto* const at =
      reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr): of the other process
  const auto word = static_cast<std::uint64_t>(::ptrace(PTRACE_PEEKTEXT, process, at, nullptr));
  const std::uint64_t changed = (word & ~std::uint64_t{0xff}) | byte;
  ::ptrace(PTRACE_POKETEXT, process, at, changed);
  return word & 0xff;
}

pid_t StartStopped(const char* program, const char* config) {
  const pid_t process = ::fork();
  if (process != 0) return process;
  const int null = ::open("/dev/null", O_RDWR);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO}) ::dup2(null, stream);
  ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
  ::execl(program, program, config, nullptr);
  ::_exit(127);
}

pid_t started = 0;

// Notes the functions that a run enters, each once.
class Trace {
 public:
  explicit Trace(const Functions& functions) : functions_(functions) {}

  void Run(const char* program, const char* config) {
    int status = 0;
    started = StartStopped(program, config);
    if (started < 0 || ::waitpid(started, &status, 0) != started || !WIFSTOPPED(status)) return;
    constexpr std::uintptr_t kOptions = PTRACE_O_TRACEFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACEVFORK |
                                        PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
    ::ptrace(PTRACE_SETOPTIONS, started, nullptr, kOptions);
    for (const auto& [address, names] : functions_)
      before_[address] = ReplaceByte(started, address, kBreakpoint);
    ::ptrace(PTRACE_CONT, started, nullptr, nullptr);
    ::alarm(kPatience);
    for (pid_t process = 0; (process = ::waitpid(-1, &status, __WALL)) > 0;) {
      if (WIFSTOPPED(status)) ::ptrace(PTRACE_CONT, process, nullptr, SignalOf(process, status));
    }
    ::alarm(0);
  }

  [[nodiscard]] const std::vector<std::uint64_t>& entered() const { return entered_; }

 private:
  // The signal that the process gets: none for what tracing itself has caused.
  std::uintptr_t SignalOf(pid_t process, int status) {
    const int signal = WSTOPSIG(status);
    const bool event = status >> 16 != 0;
    if (event || signal == SIGSTOP) return 0;  // a new process begins with SIGSTOP
    if (signal != SIGTRAP) return static_cast<std::uintptr_t>(signal);
    user_regs_struct registers{};
    ::ptrace(PTRACE_GETREGS, process, nullptr, &registers);
    const std::uint64_t address = registers.rip - 1;
    const auto before = before_.find(address);
    if (before == before_.end()) return 0;
    if (noted_.insert(address).second) entered_.push_back(address);
    ReplaceByte(process, address, before->second);
    registers.rip = address;
    ::ptrace(PTRACE_SETREGS, process, nullptr, &registers);
    return 0;
  }

  const Functions& functions_;
  std::map<std::uint64_t, std::uint64_t> before_;
  std::set<std::uint64_t> noted_;
  std::vector<std::uint64_t> entered_;
};

void EndRun(int /*signal*/) { ::kill(started, SIGKILL); }

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  ::signal(SIGALRM, EndRun);
  const Functions functions = ReadFunctions(argv[1]);
  Trace trace{functions};
  for (int i = 3; i < argc; ++i) trace.Run(argv[1], argv[i]);

  std::ofstream script{argv[2]};
  script << "SECTIONS {\n  .text_launch : {\n";
  for (const std::uint64_t address : trace.entered()) {
    for (const std::string& name : functions.at(address)) script << "    *(.text." << name << ")\n";
  }
  script << "  }\n}\nINSERT BEFORE .text;\n";
  std::printf("%zu of %zu functions are those of a launch\n", trace.entered().size(), functions.size());
  return script.flush() ? 0 : 1;
}
