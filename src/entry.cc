#include "entry.h"

#include <exception>

#include "app.h"
#include "cli.h"
#include "host/host.h"
#include "report/report.h"

namespace mxc {
namespace {

int RefuseToStart(const Error& error) {
  Tell(RenderError(error));
  return ExitStatus(error.code);
}

}  // namespace

int RunMain(int argc, char** argv) {
  try {
    const Result<Options> options = ParseCommandLine(argc, argv);
    return options ? RunApp(*options, *ThisHost()) : RefuseToStart(options.error());
  } catch (const std::exception& exception) {
    return RefuseToStart({.code = ErrorCode::kInternal, .message = exception.what()});
  }
}

}  // namespace mxc
