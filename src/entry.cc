#include "entry.h"

#include <algorithm>
#include <exception>
#include <string_view>
#include <vector>

#include "app.h"
#include "cli.h"
#include "host/host.h"
#include "report/report.h"
#include "verbs.h"

namespace mxc {
namespace {

// Whatever standard error is. Asked before the command line is judged: what is wrong with that is told, too.
bool ProgramsReadErrors(int argc, char** argv) {
  const std::vector<std::string_view> arguments{argv, argv + argc};
  if (arguments.empty()) return false;
  if (CalledBySdk(arguments[0])) return true;
  const auto command = std::find(arguments.begin(), arguments.end(), "--");
  // SDKs give configurations as base64, and some give us a terminal.
  return std::any_of(arguments.begin(), command, [](std::string_view word) {
    return word == "--json-errors" || word.starts_with("--config-base64");
  });
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
