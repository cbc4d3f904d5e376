// windows.h stands before what needs it.
// clang-format off
#include <windows.h>
#include <shellapi.h>
// clang-format on
#include <fcntl.h>
#include <io.h>

#include <cstdio>
#include <string>
#include <vector>

#include "entry.h"
#include "mxc/windows/sandbox_run.h"
#include "win32/wide_windows.h"
#include "windows/persistent_machine_windows.h"

namespace {

// The arguments main gets are in the code page of the system, which most names do not fit.
std::vector<std::string> Arguments() {
  int count = 0;
  wchar_t** const wide = ::CommandLineToArgvW(::GetCommandLineW(), &count);
  std::vector<std::string> arguments;
  for (int i = 0; wide != nullptr && i < count; ++i) arguments.push_back(mxc::Narrow(wide[i]));
  ::LocalFree(wide);
  return arguments;
}

}  // namespace

int main() {
  for (std::FILE* stream : {stdin, stdout, stderr}) ::_setmode(::_fileno(stream), _O_BINARY);
  std::vector<std::string> arguments = Arguments();
  // In a machine of Windows Sandbox that stays, before anything else of ours runs.
  if (arguments.size() == 4 && arguments[1] == mxc::kAgentFlag)
    return mxc::RunSandboxAgent(arguments[2], arguments[3]);
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  return mxc::RunMain(static_cast<int>(pointers.size()), pointers.data());
}
