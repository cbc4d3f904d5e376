#include <exception>
#include <string_view>

#include "app.h"
#include "cli.h"
#include "host/host.h"
#include "mxc/plan.h"
#include "process/linux/session_init.h"
#include "report/report.h"

int main(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == mxc::kSessionInitFlag) return mxc::RunSessionInit(argv[2]);
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
