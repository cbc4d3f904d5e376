#include "windows/output_pump_windows.h"

#include <algorithm>
#include <string>
#include <utility>

namespace mxc {
namespace {

constexpr std::size_t kReadBytes = 65536;
constexpr DWORD kTickMs = 10;

}  // namespace

OutputPump::OutputPump(UniqueHandle source, HANDLE target, OutputFilter filter)
    : source_(std::move(source)), target_(target), filter_(std::move(filter)) {
  thread_.Reset(::CreateThread(nullptr, 0, Run, this, 0, nullptr));
}

OutputPump::~OutputPump() { Finish(1); }

void OutputPump::Finish(DWORD limit_ms) {
  if (!thread_) return;
  while (::WaitForSingleObject(thread_.Get(), limit_ms == 0 ? INFINITE : limit_ms) == WAIT_TIMEOUT) {
    ::CancelSynchronousIo(thread_.Get());  // of one call; the thread may be between two
    limit_ms = kTickMs;
  }
  thread_.Reset();
}

DWORD WINAPI OutputPump::Run(void* self) {
  static_cast<OutputPump*>(self)->Pump();
  return 0;
}

// Nothing came for as long as a filter waits.
bool OutputPump::Silent() {
  for (DWORD waited = 0; waited < OutputFilter::kIdleMs; waited += kTickMs) {
    DWORD size = 0;
    if (::PeekNamedPipe(source_.Get(), nullptr, 0, nullptr, &size, nullptr) == 0 || size != 0) return false;
    ::Sleep(kTickMs);
  }
  return true;
}

bool OutputPump::Write(const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    DWORD written = 0;
    const auto size = static_cast<DWORD>(std::min(text.size() - done, kReadBytes));
    if (::WriteFile(target_, text.data() + done, size, &written, nullptr) == 0) return false;
    done += written;
  }
  return true;
}

void OutputPump::Pump() {
  std::string buffer(kReadBytes, '\0');
  for (bool more = true; more;) {
    std::string text;
    if (filter_.Holding() && Silent()) {
      filter_.Idle(text);
      more = Write(text);
      text.clear();
    }
    DWORD size = 0;
    if (!more ||
        ::ReadFile(source_.Get(), buffer.data(), static_cast<DWORD>(buffer.size()), &size, nullptr) == 0)
      break;
    filter_.Feed({buffer.data(), size}, text);
    more = Write(text);
  }
  source_.Reset();
  std::string rest;
  filter_.Finish(rest);
  Write(rest);
}

}  // namespace mxc
