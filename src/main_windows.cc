// windows.h stands before what needs it.
// clang-format off
#include <windows.h>
#include <shellapi.h>
// clang-format on
#include <fcntl.h>
#include <io.h>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "app.h"
#include "base/wide_windows.h"
#include "cli.h"
#include "host/host.h"
#include "report/report.h"

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
  try {
    for (std::FILE* stream : {stdin, stdout, stderr}) ::_setmode(::_fileno(stream), _O_BINARY);
    std::vector<std::string> arguments = Arguments();
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    const mxc::Result<mxc::Options> options =
        mxc::ParseCommandLine(static_cast<int>(pointers.size()), pointers.data());
    if (!options) {
      mxc::Tell(mxc::RenderError(options.error()));
      return mxc::ExitStatus(options.error().code);
    }
    return mxc::RunApp(*options, *mxc::ThisHost());
  } catch (const std::exception& exception) {
    const mxc::Error error{.code = mxc::ErrorCode::kInternal, .message = exception.what()};
    mxc::Tell(mxc::RenderError(error));
    return mxc::ExitStatus(error.code);
  }
}
