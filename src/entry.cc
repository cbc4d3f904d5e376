#include "entry.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <string_view>
#include <vector>

#include "app.h"
#include "cli.h"
#include "host/host.h"
#include "report/report.h"

namespace mxc {
namespace {

// What the published SDKs start.
constexpr std::string_view kSdkNames[] = {"lxc-exec", "mxc-exec-mac", "wxc-exec", "wxc-exec.exe"};

// Whatever standard error is. Asked before the command line is judged: what is wrong with that is told, too.
bool ProgramsReadErrors(int argc, char** argv) {
  const std::vector<std::string_view> arguments{argv, argv + argc};
  if (arguments.empty()) return false;
  const std::string_view name = arguments[0].substr(arguments[0].find_last_of("/\\") + 1);
  if (std::find(std::begin(kSdkNames), std::end(kSdkNames), name) != std::end(kSdkNames)) return true;
  const auto command = std::find(arguments.begin(), arguments.end(), "--");
  return std::find(arguments.begin(), command, "--json-errors") != command;
}

int RefuseToStart(const Error& error) {
  TellError(error);
  return ExitStatus(error.code);
}

}  // namespace

int RunMain(int argc, char** argv) {
  if (ProgramsReadErrors(argc, argv)) TellErrorsToPrograms();
  try {
    const Result<Options> options = ParseCommandLine(argc, argv);
    return options ? RunApp(*options, *ThisHost()) : RefuseToStart(options.error());
  } catch (const std::exception& exception) {
    return RefuseToStart({.code = ErrorCode::kInternal, .message = exception.what()});
  }
}

}  // namespace mxc
