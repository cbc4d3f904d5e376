#include "windows/console_windows.h"

#include <array>

#include "win32/system_library_windows.h"
#include "win32/wide_windows.h"

namespace mxc {
namespace {

constexpr DWORD kSizeTickMs = 200;  // a change of size is no event of a console that is read as a file
constexpr DWORD kEndTickMs = 10;

using CreateFunction = HRESULT(WINAPI*)(COORD, HANDLE, HANDLE, DWORD, HPCON*);
using ResizeFunction = HRESULT(WINAPI*)(HPCON, COORD);
using CloseFunction = void(WINAPI*)(HPCON);

const SystemLibrary& Kernel() {
  static const SystemLibrary library{L"kernel32.dll"};
  return library;
}

HANDLE In() { return ::GetStdHandle(STD_INPUT_HANDLE); }
HANDLE Out() { return ::GetStdHandle(STD_OUTPUT_HANDLE); }

COORD SizeOfCallers() {
  constexpr COORD kUsual = {80, 25};
  CONSOLE_SCREEN_BUFFER_INFO info{};
  if (::GetConsoleScreenBufferInfo(Out(), &info) == 0) return kUsual;
  return {static_cast<SHORT>(info.srWindow.Right - info.srWindow.Left + 1),
          static_cast<SHORT>(info.srWindow.Bottom - info.srWindow.Top + 1)};
}

Error Failed(const char* what, DWORD number) { return WindowsError(ErrorCode::kSetupFailed, what, number); }

}  // namespace

int ConsoleStreams() {
  int count = 0;
  for (const DWORD name : {STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE}) {
    DWORD mode = 0;
    if (::GetConsoleMode(::GetStdHandle(name), &mode) != 0) ++count;
  }
  return count;
}

PrivateConsole::~PrivateConsole() { Close(); }

Status PrivateConsole::Open() {
  const auto create = Kernel().Find<CreateFunction>("CreatePseudoConsole");
  if (create == nullptr) {
    return Unavailable("this Windows has no pseudo consoles, and the command must not share the caller's", {},
                       "redirect the streams of mxc-exec, or use Windows 10 1809 or later");
  }
  HANDLE theirs_in = nullptr;
  HANDLE ours_in = nullptr;
  HANDLE ours_out = nullptr;
  HANDLE theirs_out = nullptr;
  if (::CreatePipe(&theirs_in, &ours_in, nullptr, 0) == 0) return Failed("make a pipe", ::GetLastError());
  const UniqueHandle keys{theirs_in};
  input_.Reset(ours_in);
  if (::CreatePipe(&ours_out, &theirs_out, nullptr, 0) == 0) return Failed("make a pipe", ::GetLastError());
  const UniqueHandle screen{theirs_out};
  output_.Reset(ours_out);
  size_ = SizeOfCallers();
  const HRESULT result = create(size_, keys.Get(), screen.Get(), 0, &console_);
  if (SUCCEEDED(result)) return Done{};
  console_ = nullptr;
  return Failed("make a pseudo console", static_cast<DWORD>(result));
}

void PrivateConsole::Connect() {
  ::GetConsoleMode(In(), &input_mode_);
  ::GetConsoleMode(Out(), &output_mode_);
  input_page_ = ::GetConsoleCP();
  output_page_ = ::GetConsoleOutputCP();
  ::SetConsoleCP(CP_UTF8);
  ::SetConsoleOutputCP(CP_UTF8);
  // Neither lines nor Ctrl-C nor echo are ours to make: they are the command's.
  ::SetConsoleMode(In(), ENABLE_VIRTUAL_TERMINAL_INPUT);
  ::SetConsoleMode(
      Out(), ENABLE_PROCESSED_OUTPUT | ENABLE_VIRTUAL_TERMINAL_PROCESSING | DISABLE_NEWLINE_AUTO_RETURN);
  stop_.Reset(::CreateEventW(nullptr, TRUE, FALSE, nullptr));
  thread_.Reset(::CreateThread(nullptr, 0, PassOn, this, 0, nullptr));
}

DWORD WINAPI PrivateConsole::PassOn(void* self) {
  static_cast<PrivateConsole*>(self)->PassKeysOn();
  return 0;
}

void PrivateConsole::PassKeysOn() {
  std::array<char, 4096> keys{};
  const HANDLE both[] = {stop_.Get(), In()};
  for (;;) {
    const DWORD event = ::WaitForMultipleObjects(2, both, FALSE, kSizeTickMs);
    if (event == WAIT_OBJECT_0 || event == WAIT_FAILED) return;
    FollowSize();
    if (event != WAIT_OBJECT_0 + 1) continue;
    DWORD size = 0;
    DWORD written = 0;
    if (::ReadFile(In(), keys.data(), static_cast<DWORD>(keys.size()), &size, nullptr) == 0) return;
    if (size != 0 && ::WriteFile(input_.Get(), keys.data(), size, &written, nullptr) == 0) return;
  }
}

void PrivateConsole::FollowSize() {
  const COORD now = SizeOfCallers();
  if (now.X == size_.X && now.Y == size_.Y) return;
  size_ = now;
  if (const auto resize = Kernel().Find<ResizeFunction>("ResizePseudoConsole")) resize(console_, now);
}

void PrivateConsole::Close() {
  if (thread_) {
    ::SetEvent(stop_.Get());
    while (::WaitForSingleObject(thread_.Get(), kEndTickMs) == WAIT_TIMEOUT)
      ::CancelSynchronousIo(thread_.Get());
    thread_.Reset();
    ::SetConsoleMode(In(), input_mode_);
    ::SetConsoleMode(Out(), output_mode_);
    ::SetConsoleCP(input_page_);
    ::SetConsoleOutputCP(output_page_);
  }
  const auto close = Kernel().Find<CloseFunction>("ClosePseudoConsole");
  if (console_ != nullptr && close != nullptr) close(console_);
  console_ = nullptr;
}

}  // namespace mxc
