#include <fmt/core.h>

#include "lifecycle.h"
#include "lifecycle_parts.h"
#include "report/report.h"

namespace mxc {
namespace {

Error NoneHere() {
  return {.code = ErrorCode::kUnsupportedPhase,
          .message = "this build has no persistent sandboxes on this system",
          .hint = "run each command by itself: mxc-exec --rw . -- CMD"};
}

}  // namespace

Error Tellable(const std::string& /*sandbox_id*/, Error error) { return error; }

int RunPhase(const Request& request, Options /*options*/, const Host& /*host*/) {
  const Error error = request.config
                          ? Error{.code = ErrorCode::kUnsupportedPhase,
                                  .message = "this build has no persistent sandboxes on this system",
                                  .pointer = "/phase",
                                  .hint = "run the command once, without a phase"}
                          : request.config.error();
  PrintErrorText(error);
  fmt::print("{}\n", Envelope(error));
  return 1;
}

int RunVerb(const Options& /*options*/, const Host& /*host*/) {
  const Error error = NoneHere();
  PrintError(error);
  return ExitStatus(error.code);
}

int PrintSandboxes(bool for_people) {
  fmt::print("{}\n", for_people ? "This system has no persistent sandboxes." : "[]");
  return 0;
}

int PrintReaped() {
  fmt::print("{{\"reaped\":[]}}\n");
  return 0;
}

Result<Prepared> PrepareSandbox(const Config& /*config*/, const Options& /*options*/, const Host& /*host*/) {
  return NoneHere();
}

Result<bool> EndContainer(const std::string& /*name*/, const Host& /*host*/) { return false; }

}  // namespace mxc
