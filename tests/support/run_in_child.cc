#include "tests/support/run_in_child.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>
#include <sstream>
#include <thread>

#include "run/run.h"

namespace mxc::test {
namespace {

constexpr std::size_t kTextBytes = 4096;

void CopyText(std::array<char, kTextBytes>& target, const std::string& text) {
  const std::size_t count = std::min(text.size(), target.size() - 1);
  std::memcpy(target.data(), text.data(), count);
  target.at(count) = '\0';
}

std::string Contents(const UniqueFd& file) {
  struct stat status {};
  if (!file || ::fstat(file.Get(), &status) != 0) return {};
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  const ssize_t count = ::pread(file.Get(), text.data(), text.size(), 0);
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return text;
}

UniqueFd MemoryFile(const char* name) { return UniqueFd{::memfd_create(name, MFD_CLOEXEC)}; }

std::size_t Index(Resource resource) { return static_cast<std::size_t>(resource); }

}  // namespace

// Written by the launcher, read when it has ended.
struct RunningPlan::Shared {
  bool finished = false;
  bool ok = false;
  Outcome outcome = {};
  std::array<bool, 7> reached = {};
  ErrorCode code = ErrorCode::kInternal;
  std::atomic<long> started = 0;  // read at any time
  std::array<char, kTextBytes> message = {};
  std::array<char, kTextBytes> hint = {};
  bool outdated = false;
  std::array<char, kTextBytes> warning = {};
};

Plan ShellPlan(const std::string& script) {
  Plan plan;
  plan.launch =
      DirectLaunch{.command = {.program = "/bin/sh",
                               .argv = {std::string("sh"), std::string("-c"), script},
                               .environment = {{.name = "PATH", .value = Secret("/usr/bin:/bin")}}}};
  return plan;
}

Exec& ExecOf(Plan& plan) {
  if (auto* const bubblewrap = std::get_if<BubblewrapLaunch>(&plan.launch)) return bubblewrap->bwrap;
  return std::get<DirectLaunch>(plan.launch).command;
}

RunningPlan::RunningPlan(const Plan& plan, const RunSetup& setup) {
  void* const memory =
      ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  shared_ = new (memory) Shared;
  input_ = MemoryFile("input");
  out_ = MemoryFile("out");
  err_ = MemoryFile("err");
  [[maybe_unused]] const ssize_t written = ::pwrite(input_.Get(), setup.input.data(), setup.input.size(), 0);
  launcher_ = ::fork();
  if (launcher_ == 0) {
    Launch(plan, setup);
    ::_exit(0);
  }
}

void RunningPlan::Launch(const Plan& plan, const RunSetup& setup) {
  class Observer final : public RunObserver {
   public:
    explicit Observer(Shared& shared) : shared_(shared) {}
    void OnStarted(std::int64_t process_id) override { shared_.started = process_id; }
    void OnWarning(const Warning& warning) override { CopyText(shared_.warning, warning.message); }

   private:
    Shared& shared_;
  };
  ::dup2(input_.Get(), STDIN_FILENO);
  ::dup2(setup.standard_output >= 0 ? setup.standard_output : out_.Get(), STDOUT_FILENO);
  ::dup2(err_.Get(), STDERR_FILENO);
  if (setup.before) setup.before();
  Observer observer(*shared_);
  const Result<Outcome> result = RunPlan(plan, observer);
  shared_->ok = result.ok();
  if (result) {
    // The elements of a vector stay in the launcher's own memory.
    for (const Resource resource : result->reached) shared_->reached.at(Index(resource)) = true;
    Outcome plain = *result;
    plain.reached = {};
    shared_->outcome = plain;
  } else {
    shared_->code = result.error().code;
    CopyText(shared_->message, result.error().message);
    CopyText(shared_->hint, result.error().hint);
    shared_->outdated = result.error().outdated;
  }
  shared_->finished = true;
}

RunningPlan::~RunningPlan() {
  if (launcher_ > 0) {
    ::kill(launcher_, SIGKILL);
    ::waitpid(launcher_, nullptr, 0);
  }
  ::munmap(shared_, sizeof(Shared));
}

void RunningPlan::Signal(int number) const { ::kill(launcher_, number); }

long RunningPlan::Started() const { return shared_->started; }

RunReport RunningPlan::Finish() {
  RunReport report;
  while (::waitpid(launcher_, &report.wait_status, 0) < 0 && errno == EINTR) {
  }
  launcher_ = -1;
  report.finished = shared_->finished;
  report.ok = shared_->ok;
  report.outcome = shared_->outcome;
  for (std::size_t i = 0; i < shared_->reached.size(); ++i) {
    if (shared_->reached.at(i)) report.outcome.reached.push_back(static_cast<Resource>(i));
  }
  report.code = shared_->code;
  report.started = shared_->started;
  report.message = shared_->message.data();
  report.hint = shared_->hint.data();
  report.outdated = shared_->outdated;
  report.warning = shared_->warning.data();
  report.out = Contents(out_);
  report.err = Contents(err_);
  return report;
}

RunReport RunInChild(const Plan& plan, const RunSetup& setup) { return RunningPlan(plan, setup).Finish(); }

std::string ReadText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void WriteText(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

ScratchDirectory::ScratchDirectory() {
  std::string pattern = (std::filesystem::temp_directory_path() / "mxc-test-XXXXXX").string();
  path_ = std::filesystem::canonical(::mkdtemp(pattern.data())).string();
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string ScratchDirectory::Path(const std::string& name) const {
  return name.empty() ? path_ : path_ + "/" + name;
}

}  // namespace mxc::test
