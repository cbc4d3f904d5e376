#include <exception>
#include <string_view>

#include "app.h"
#include "cli.h"
#include "host/host.h"
#include "process/macos/child.h"
#include "report/report.h"

int main(int argc, char** argv) {
  // Before anything else of ours runs: the sandbox's first process.
  if (argc == 2 && std::string_view(argv[1]) == mxc::kSeatbeltChildFlag) return mxc::RunSeatbeltChild();
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
