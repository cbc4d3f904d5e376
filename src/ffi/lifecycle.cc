// Requests about a persistent sandbox that run no command: the program answers each on its standard output.
#include "ffi/capture.h"
#include "ffi/request.h"
#include "ffi/scan.h"

namespace mxc::ffi {
namespace {

Failure Unanswered() {
  return {.status = MXC_BACKEND_ERROR, .message = "mxc-exec gave no answer to the request"};
}

Failure AnswerTo(const char* document, bool dry_run, bool experimental, std::string& answer) {
  const Expected expected = dry_run ? Expected::kAny : Expected::kLifecycle;
  if (Failure refused = CheckRequest(document, expected); refused.Failed()) return refused;
  Captured captured;
  Failure failure =
      Capture({.document = document,
               .flags = {dry_run ? "--dry-run" : nullptr, experimental ? "--experimental" : nullptr}},
              captured);
  const std::string_view output = captured.output.View();
  if (const std::string_view error = MemberOf(output, "error"); !error.empty())
    return InWordsOfSdk(document, FailureOf(error));
  if (failure.Failed()) return failure;
  if (MemberOf(output, "result").empty()) return Unanswered();
  answer = output.substr(0, output.find('\n'));
  return {};
}

}  // namespace
}  // namespace mxc::ffi

std::int32_t mxc_run_state_aware_json(const char* request, std::int32_t dry_run, std::int32_t experimental,
                                      MxcStateAwareResult* result) {
  if (result == nullptr) return MXC_NULL_POINTER;
  *result = {};
  std::string answer;
  const mxc::ffi::Failure failure = mxc::ffi::AnswerTo(request, dry_run != 0, experimental != 0, answer);
  result->status = failure.status;
  if (!failure.Failed()) result->response_json = mxc::ffi::Copy(answer);
  mxc::ffi::Fill(failure, result->error);
  return failure.status;
}

void mxc_state_aware_result_free(MxcStateAwareResult* result) {
  if (result == nullptr) return;
  std::free(result->response_json);
  result->response_json = nullptr;
  mxc::ffi::Free(result->error);
}
