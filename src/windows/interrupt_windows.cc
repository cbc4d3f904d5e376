#include "windows/interrupt_windows.h"

#include <atomic>
#include <csignal>

namespace mxc {
namespace {

// The console calls the handler on a thread of its own, without an argument of ours.
HANDLE interrupt_event = nullptr;
std::atomic<int> interrupt_number = 0;

BOOL WINAPI Handle(DWORD kind) {
  interrupt_number = kind == CTRL_C_EVENT ? SIGINT : SIGTERM;
  ::SetEvent(interrupt_event);
  // Of these the process is ended as soon as this returns; it ends by itself once everything is undone.
  const bool last = kind == CTRL_CLOSE_EVENT || kind == CTRL_LOGOFF_EVENT || kind == CTRL_SHUTDOWN_EVENT;
  if (last) ::Sleep(INFINITE);
  return TRUE;
}

}  // namespace

Interrupt::Interrupt() {
  interrupt_number = 0;
  interrupt_event = ::CreateEventW(nullptr, TRUE, FALSE, nullptr);
  ::SetConsoleCtrlHandler(Handle, TRUE);
}

// The event stays: a handler may still be about to set it.
Interrupt::~Interrupt() { ::SetConsoleCtrlHandler(Handle, FALSE); }

HANDLE Interrupt::Event() const { return interrupt_event; }

int Interrupt::Number() const { return interrupt_number; }

}  // namespace mxc
