#include "windows/streams_windows.h"

#include <utility>

#include "win32/unique_handle_windows.h"
#include "win32/wide_windows.h"

namespace mxc {
namespace {

constexpr std::array<DWORD, 3> kNames = {STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE};
constexpr std::size_t kInput = 0;
constexpr std::size_t kOutput = 1;

UniqueHandle OpenNothing() {
  SECURITY_ATTRIBUTES attributes = Inheritable();
  return UniqueHandle{::CreateFileW(L"NUL", GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE,
                                    &attributes, OPEN_EXISTING, 0, nullptr)};
}

// A copy that a child may inherit; ours stays as it is.
Result<UniqueHandle> CopyOf(DWORD name) {
  const HANDLE ours = ::GetStdHandle(name);
  if (ours == nullptr || ours == INVALID_HANDLE_VALUE) return OpenNothing();
  HANDLE copy = nullptr;
  if (::DuplicateHandle(::GetCurrentProcess(), ours, ::GetCurrentProcess(), &copy, 0, TRUE,
                        DUPLICATE_SAME_ACCESS) == 0) {
    return WindowsError(ErrorCode::kSetupFailed, "hand a standard stream on", ::GetLastError());
  }
  return UniqueHandle{copy};
}

}  // namespace

Status CommandStreams::Open(const Plan& plan, Terminal terminal) {
  constexpr int kAll = 3;
  if (terminal == Terminal::kPrivatePty && ConsoleStreams() == kAll) return OpenConsole(plan);
  for (std::size_t stream = 0; stream < kNames.size(); ++stream) {
    if (Status opened = OpenStream(stream, plan); !opened) return opened;
    list_.push_back(theirs_.at(stream).Get());
  }
  return Done{};
}

Status CommandStreams::OpenConsole(const Plan& plan) {
  console_ = std::make_unique<PrivateConsole>();
  if (Status opened = console_->Open(); !opened) return opened;
  pumps_.at(kOutput) = std::make_unique<OutputPump>(console_->TakeOutput(), ::GetStdHandle(STD_OUTPUT_HANDLE),
                                                    FilterFor(plan));
  return Done{};
}

Status CommandStreams::OpenStream(std::size_t stream, const Plan& plan) {
  if (stream == kInput || !plan.output.Pumped()) {
    Result<UniqueHandle> copy = CopyOf(kNames.at(stream));
    if (!copy) return copy.error();
    theirs_.at(stream) = std::move(*copy);
    return Done{};
  }
  SECURITY_ATTRIBUTES attributes = Inheritable();
  HANDLE reading = nullptr;
  HANDLE writing = nullptr;
  if (::CreatePipe(&reading, &writing, &attributes, 0) == 0)
    return WindowsError(ErrorCode::kSetupFailed, "make an output pipe", ::GetLastError());
  theirs_.at(stream).Reset(writing);
  UniqueHandle source{reading};
  ::SetHandleInformation(source.Get(), HANDLE_FLAG_INHERIT, 0);
  pumps_.at(stream) =
      std::make_unique<OutputPump>(std::move(source), ::GetStdHandle(kNames.at(stream)), FilterFor(plan));
  return Done{};
}

void CommandStreams::Started() {
  for (UniqueHandle& handle : theirs_) handle.Reset();
  list_.clear();
  if (console_) console_->Connect();
}

void CommandStreams::Finish(DWORD limit_ms) {
  if (console_) console_->Close();
  for (const auto& pump : pumps_) {
    if (pump) pump->Finish(limit_ms);
  }
}

}  // namespace mxc
