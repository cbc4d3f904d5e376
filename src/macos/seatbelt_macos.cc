#include <libproc.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>

#include "macos/seatbelt.h"

// As libSystem exports them. The number of a kind of filter is part of the interface; WebKit and Chromium
// pass it.
extern "C" {
int sandbox_init_with_parameters(const char* profile, std::uint64_t flags, const char* const parameters[],
                                 char** error);
void sandbox_free_error(char* error);
int sandbox_check(pid_t process, const char* operation, int filter, ...);
extern const int SANDBOX_CHECK_NO_REPORT;
}

namespace mxc {
namespace {

constexpr int kFilterGlobalName = 2;

bool MayLookUp(pid_t process, const std::string& service) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-vararg): the only interface there is
  return ::sandbox_check(process, "mach-lookup", kFilterGlobalName | SANDBOX_CHECK_NO_REPORT,
                         service.c_str()) == 0;
}

// A process without a sandbox may look up both, one in another sandbox neither.
bool IsMarked(pid_t process, const Mark& mark) {
  return MayLookUp(process, mark.name) && !MayLookUp(process, mark.missing);
}

std::vector<pid_t> AllProcesses() {
  // More may come between the two calls; who comes late is found by the next sweep.
  const int count = ::proc_listallpids(nullptr, 0);
  std::vector<pid_t> processes(static_cast<std::size_t>(std::max(count, 0)) + 256);
  const int found = ::proc_listallpids(processes.data(), static_cast<int>(processes.size() * sizeof(pid_t)));
  processes.resize(static_cast<std::size_t>(std::clamp<int>(found, 0, static_cast<int>(processes.size()))));
  return processes;
}

}  // namespace

std::string Confine(const std::string& profile, const std::vector<SeatbeltParameter>& parameters) {
  std::vector<const char*> pairs;
  for (const SeatbeltParameter& parameter : parameters) {
    pairs.push_back(parameter.name.c_str());
    pairs.push_back(parameter.value.c_str());
  }
  pairs.push_back(nullptr);
  char* error = nullptr;
  if (::sandbox_init_with_parameters(profile.c_str(), 0, pairs.data(), &error) == 0) return {};
  std::string text = error == nullptr ? "the kernel refuses the profile" : error;
  if (error != nullptr) ::sandbox_free_error(error);
  return text;
}

int SignalMarked(const Mark& mark, int signal) {
  int marked = 0;
  for (const pid_t process : AllProcesses()) {
    if (process <= 1 || process == ::getpid() || !IsMarked(process, mark)) continue;
    ++marked;
    ::kill(process, signal);
  }
  return marked;
}

}  // namespace mxc
