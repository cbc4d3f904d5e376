#include <exception>

#include "app.h"
#include "cli.h"
#include "host/host.h"
#include "report/report.h"

int main(int argc, char** argv) {
  try {
    const mxc::Result<mxc::Options> options = mxc::ParseCommandLine(argc, argv);
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
