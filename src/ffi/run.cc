// The functions that run commands: one-shot requests, and the phase exec.
#include <unistd.h>

#include <utility>

#include "ffi/capture.h"
#include "ffi/request.h"
#include "ffi/sandbox.h"

namespace mxc::ffi {
namespace {

const char* ExperimentalFlag(std::int32_t experimental) {
  return experimental != 0 ? "--experimental" : nullptr;
}

Failure RunInto(const char* document, std::int32_t experimental, Expected expected, MxcRunResult& result) {
  if (Failure refused = CheckRequest(document, expected); refused.Failed()) return refused;
  Captured captured;
  const Start start{.document = document, .flags = {ExperimentalFlag(experimental)}};
  if (Failure failure = Capture(start, captured); failure.Failed())
    return expected == Expected::kExec ? InWordsOfSdk(document, std::move(failure)) : failure;
  const StatusLines& lines = captured.lines;
  result.exit_code = lines.ExitCode();
  result.timed_out = lines.TimedOut() ? 1 : 0;
  result.stdout_utf8 = AsText(captured.output.View());
  result.stderr_utf8 = AsText(captured.errors.View());
  const std::string warnings = lines.Warnings();
  if (!warnings.empty()) result.warnings_json = AsText(warnings);
  if (result.stdout_utf8 != nullptr && result.stderr_utf8 != nullptr) return {};
  return {.status = MXC_BACKEND_ERROR, .message = "there is no memory for what the command wrote"};
}

std::int32_t Run(const char* document, std::int32_t experimental, Expected expected, MxcRunResult* result) {
  if (result == nullptr) return MXC_NULL_POINTER;
  *result = {};
  const Failure failure = RunInto(document, experimental, expected, *result);
  if (failure.Failed()) {
    mxc_run_result_free(result);
    *result = {};
  }
  Fill(failure, result->error);
  result->status = failure.status;
  return failure.status;
}

struct SpawnRequest {
  const char* document = nullptr;
  std::int32_t experimental = 0;
  Expected expected = {};
  Streams streams = Streams::kPipes;
  std::uint16_t rows = 0;
  std::uint16_t columns = 0;
};

Failure Begin(const SpawnRequest& request, MxcSandbox& sandbox) {
  if (Failure refused = CheckRequest(request.document, request.expected); refused.Failed()) return refused;
  Failure failure = sandbox.Begin({.document = request.document,
                                   .streams = request.streams,
                                   .rows = request.rows,
                                   .columns = request.columns,
                                   .flags = {ExperimentalFlag(request.experimental)}});
  return request.expected == Expected::kExec ? InWordsOfSdk(request.document, std::move(failure)) : failure;
}

std::int32_t Spawn(const SpawnRequest& request, MxcSandbox** out, MxcErrorDetail* error) {
  if (error != nullptr) *error = {};
  Failure failure;
  if (request.streams == Streams::kTerminal) failure = CheckSize(request.rows, request.columns);
  if (out == nullptr) return failure.Failed() ? failure.status : MXC_NULL_POINTER;
  *out = nullptr;
  auto* const sandbox = new MxcSandbox;
  if (!failure.Failed()) failure = Begin(request, *sandbox);
  if (!failure.Failed()) {
    *out = sandbox;
    return MXC_OK;
  }
  delete sandbox;
  if (error != nullptr) Fill(failure, *error);
  return failure.status;
}

Failure RunAttached(const SpawnRequest& request, MxcExecOutcome& outcome) {
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDOUT_FILENO) == 0) {
    return {.status = MXC_MALFORMED_REQUEST,
            .message = "standard input and output are no terminal",
            .remediation = "use mxc_exec_state_aware_json, or mxc_state_aware_exec_pty"};
  }
  MxcSandbox sandbox;
  if (Failure failure = Begin(request, sandbox); failure.Failed()) return failure;
  const std::int32_t status = sandbox.Wait(outcome.exit_code, outcome.timed_out);
  if (status == MXC_OK) return {};
  return {.status = status, .message = "how the command ended is not known"};
}

}  // namespace
}  // namespace mxc::ffi

using mxc::ffi::Expected;
using mxc::ffi::Output;
using mxc::ffi::Streams;

std::int32_t mxc_run_json(const char* request, std::int32_t experimental, MxcRunResult* result) {
  return mxc::ffi::Run(request, experimental, Expected::kRun, result);
}

std::int32_t mxc_run_state_aware_exec_json(const char* request, std::int32_t experimental,
                                           MxcRunResult* result) {
  return mxc::ffi::Run(request, experimental, Expected::kExec, result);
}

void mxc_run_result_free(MxcRunResult* result) {
  if (result == nullptr) return;
  for (char** const text :
       {&result->stdout_utf8, &result->stderr_utf8, &result->output_metadata_json, &result->warnings_json}) {
    std::free(*text);
    *text = nullptr;
  }
  mxc::ffi::Free(result->error);
}

void mxc_error_detail_free(MxcErrorDetail* detail) {
  if (detail != nullptr) mxc::ffi::Free(*detail);
}

std::int32_t mxc_spawn_json(const char* request, std::int32_t experimental, MxcSandbox** sandbox,
                            MxcErrorDetail* error) {
  return mxc::ffi::Spawn({request, experimental, Expected::kRun}, sandbox, error);
}

std::int32_t mxc_spawn_pty_json(const char* request, std::int32_t experimental, std::uint16_t rows,
                                std::uint16_t columns, MxcSandbox** sandbox, MxcErrorDetail* error) {
  return mxc::ffi::Spawn({request, experimental, Expected::kRun, Streams::kTerminal, rows, columns}, sandbox,
                         error);
}

std::int32_t mxc_exec_state_aware_json(const char* request, std::int32_t experimental, MxcSandbox** sandbox,
                                       MxcErrorDetail* error) {
  return mxc::ffi::Spawn({request, experimental, Expected::kExec}, sandbox, error);
}

std::int32_t mxc_state_aware_exec_pty(const char* request, std::int32_t experimental, std::uint16_t rows,
                                      std::uint16_t columns, MxcSandbox** sandbox, MxcErrorDetail* error) {
  return mxc::ffi::Spawn({request, experimental, Expected::kExec, Streams::kTerminal, rows, columns}, sandbox,
                         error);
}

std::int32_t mxc_exec_state_aware_attached_json(const char* request, std::int32_t experimental,
                                                MxcExecOutcome* outcome, MxcErrorDetail* error) {
  if (error != nullptr) *error = {};
  if (outcome == nullptr) return MXC_NULL_POINTER;
  MxcExecOutcome ended{};
  const mxc::ffi::Failure failure =
      mxc::ffi::RunAttached({request, experimental, Expected::kExec, Streams::kInherited}, ended);
  if (!failure.Failed()) *outcome = ended;
  if (error != nullptr) mxc::ffi::Fill(failure, *error);
  return failure.status;
}

std::uint32_t mxc_sandbox_id(MxcSandbox* sandbox) { return sandbox == nullptr ? 0 : sandbox->Id(); }

std::int32_t mxc_sandbox_take_native_stdio(MxcSandbox* sandbox, MxcNativeStdio* stdio) {
  if (stdio != nullptr) *stdio = {-1, -1, -1};
  return sandbox == nullptr || stdio == nullptr ? MXC_NULL_POINTER : sandbox->TakeDescriptors(*stdio);
}

std::int32_t mxc_sandbox_pty_resize(MxcSandbox* sandbox, std::uint16_t rows, std::uint16_t columns) {
  if (sandbox == nullptr) return MXC_NULL_POINTER;
  const mxc::ffi::Failure size = mxc::ffi::CheckSize(rows, columns);
  return size.Failed() ? size.status : sandbox->Resize(rows, columns);
}

std::int32_t mxc_sandbox_try_wait(MxcSandbox* sandbox, std::int32_t* exit_code, std::int32_t* running,
                                  std::int32_t* timed_out) {
  if (sandbox == nullptr || exit_code == nullptr || running == nullptr || timed_out == nullptr)
    return MXC_NULL_POINTER;
  return sandbox->TryWait(*exit_code, *running, *timed_out);
}

std::int32_t mxc_sandbox_wait(MxcSandbox* sandbox, std::int32_t* exit_code, std::int32_t* timed_out) {
  if (sandbox == nullptr || exit_code == nullptr || timed_out == nullptr) return MXC_NULL_POINTER;
  return sandbox->Wait(*exit_code, *timed_out);
}

std::int32_t mxc_sandbox_kill(MxcSandbox* sandbox) {
  if (sandbox == nullptr) return MXC_NULL_POINTER;
  sandbox->Kill(false);
  return MXC_OK;
}

std::int32_t mxc_sandbox_kill_for_timeout(MxcSandbox* sandbox) {
  if (sandbox == nullptr) return MXC_NULL_POINTER;
  sandbox->Kill(true);
  return MXC_OK;
}

void mxc_sandbox_free(MxcSandbox* sandbox) { delete sandbox; }

// A runtime that makes texts of its own of these would free what it was not given.
std::int32_t mxc_sandbox_warnings_json(MxcSandbox* sandbox, char** json) {
  if (json != nullptr) *json = nullptr;
  return sandbox == nullptr || json == nullptr ? MXC_NULL_POINTER : MXC_OK;
}

std::int32_t mxc_sandbox_output_metadata_json(MxcSandbox* sandbox, char** json) {
  return mxc_sandbox_warnings_json(sandbox, json);
}

MxcWriteStream* mxc_sandbox_take_stdin(MxcSandbox* sandbox) {
  return sandbox == nullptr ? nullptr : sandbox->TakeInput();
}

static MxcReadStream* TakeStream(Output* output) {
  Output* const taken = output == nullptr ? nullptr : output->Take();
  return taken == nullptr ? nullptr : new MxcReadStream{taken};
}

MxcReadStream* mxc_sandbox_take_stdout(MxcSandbox* sandbox) {
  return sandbox == nullptr ? nullptr : TakeStream(sandbox->Stdout());
}

MxcReadStream* mxc_sandbox_take_stderr(MxcSandbox* sandbox) {
  return sandbox == nullptr ? nullptr : TakeStream(sandbox->Stderr());
}

static MxcStreamCloser* CloserOf(const MxcSandbox* sandbox, Output* output) {
  const bool closable =
      sandbox != nullptr && !sandbox->HasTerminal() && output != nullptr && !output->Transferred();
  return closable && output->MakeClosable() ? new MxcStreamCloser{output->Share()} : nullptr;
}

MxcStreamCloser* mxc_sandbox_stdout_closer(MxcSandbox* sandbox) {
  return sandbox == nullptr ? nullptr : CloserOf(sandbox, sandbox->Stdout());
}

MxcStreamCloser* mxc_sandbox_stderr_closer(MxcSandbox* sandbox) {
  return sandbox == nullptr ? nullptr : CloserOf(sandbox, sandbox->Stderr());
}
