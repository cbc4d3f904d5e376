/* mxc_run_json, what it refuses, and what is asked without a request. */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

static void Layout(void) {
  CHECK_INT(sizeof(MxcErrorDetail), 32);
  CHECK_INT(sizeof(MxcRunResult), 80);
  CHECK_INT(offsetof(MxcRunResult, stdout_utf8), 16);
  CHECK_INT(offsetof(MxcRunResult, error), 32);
  CHECK_INT(offsetof(MxcRunResult, output_metadata_json), 64);
  CHECK_INT(sizeof(MxcStateAwareResult), 48);
  CHECK_TEXT(mxc_version(), "1.0.1");
}

static void ExpectRun(const char* request, int exit_code, int timed_out, const char* out, const char* err) {
  MxcRunResult result;
  memset(&result, 0xA5, sizeof result);
  CHECK_INT(mxc_run_json(request, 0, &result), MXC_OK);
  CHECK_INT(result.status, MXC_OK);
  CHECK_TEXT(result.error.message, NULL);
  CHECK_INT(result.exit_code, exit_code);
  CHECK_INT(result.timed_out, timed_out);
  CHECK_TEXT(result.stdout_utf8, out);
  CHECK_TEXT(result.stderr_utf8, err);
  CHECK_TEXT(result.output_metadata_json, NULL);
  MxcRunResult copy = result;
  mxc_run_result_free(&copy);
  mxc_run_result_free(&copy);
  CHECK_TEXT(copy.stdout_utf8, NULL);
}

static void Run(void) {
  ExpectRun(Request("echo out; echo err >&2; exit 7"), 7, 0, "out\n", "err\n");
  ExpectRun(Request("cat; echo end"), 0, 0, "end\n", "");
  ExpectRun(Request("kill -9 $$"), 137, 0, "", "");
  ExpectRun(Request("printf 'a\\\\000b\\\\377c\\\\303\\\\244'"), 0, 0,
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD"
            "c\xC3\xA4",
            "");
  ExpectRun(Request("sleep 300 & echo done"), 0, 0, "done\n", "");
  ExpectRun(RequestWith("echo before; sleep 300", ",\"timeout\":500", ""), -1, 1, "before\n", "");
}

static void LargeOutput(void) {
  MxcRunResult result;
  CHECK_INT(mxc_run_json(Request("head -c 20000000 /dev/zero | tr '\\\\000' x"), 0, &result), MXC_OK);
  CHECK_INT(result.stdout_utf8 ? strlen(result.stdout_utf8) : 0, 20000000);
  mxc_run_result_free(&result);
}

static void Warnings(void) {
  MxcRunResult result;
  const char* const more = ",\"filesystem\":{\"readonlyPaths\":[\"/not/there\"]}";
  CHECK_INT(mxc_run_json(RequestWith("true", "", more), 0, &result), MXC_OK);
  CHECK_TEXT(result.warnings_json, "[\"'/not/there' of readonlyPaths does not exist: nothing is granted\"]");
  CHECK_TEXT(result.stderr_utf8, "");
  mxc_run_result_free(&result);
  CHECK_INT(mxc_run_json(Request("true"), 0, &result), MXC_OK);
  CHECK_TEXT(result.warnings_json, NULL);
  mxc_run_result_free(&result);
}

static void ExpectRefused(const char* request, int status, const char* word) {
  MxcRunResult result;
  memset(&result, 0xA5, sizeof result);
  CHECK_INT(mxc_run_json(request, 0, &result), status);
  CHECK_INT(result.status, status);
  CHECK_INT(result.exit_code, 0);
  CHECK_TEXT(result.stdout_utf8, NULL);
  CHECK_TEXT(result.stderr_utf8, NULL);
  CHECK_TEXT(result.warnings_json, NULL);
  if (result.error.message == NULL || strstr(result.error.message, word) == NULL)
    CHECK_TEXT(result.error.message, word);
  mxc_run_result_free(&result);

  MxcSandbox* sandbox = (MxcSandbox*)1;
  MxcErrorDetail error;
  memset(&error, 0xA5, sizeof error);
  CHECK_INT(mxc_spawn_json(request, 0, &sandbox, &error), status);
  CHECK(sandbox == NULL);
  CHECK(error.message != NULL);
  mxc_error_detail_free(&error);
  mxc_error_detail_free(&error);
  CHECK_INT(mxc_spawn_json(request, 0, &sandbox, NULL), status);
}

static void Refusals(void) {
  ExpectRefused(NULL, MXC_NULL_POINTER, "NULL");
  ExpectRefused("{\"version\":\"\xFF\"}", MXC_NOT_UTF8, "UTF-8");
  ExpectRefused("", MXC_MALFORMED_REQUEST, "empty");
  ExpectRefused("{", MXC_MALFORMED_REQUEST, "line 1");
  ExpectRefused("[]", MXC_MALFORMED_REQUEST, "line 1");
  ExpectRefused("{}", MXC_MALFORMED_REQUEST, "process");
  ExpectRefused(RequestWith("true", ",\"timeout\":\"soon\"", ""), MXC_MALFORMED_REQUEST, "process.timeout");
  ExpectRefused("{\"version\":\"9.0.0\",\"process\":{\"commandLine\":\"true\"}}", MXC_MALFORMED_REQUEST,
                "9.0.0");
  ExpectRefused("{\"version\":\"1.0.0\",\"ph\\u0061se\":\"provision\",\"containment\":\"process\"}",
                MXC_MALFORMED_REQUEST, "phase");
  ExpectRefused("{\"version\":\"1.0.0\",\"containment\":\"seatbelt\",\"process\":{\"commandLine\":\"true\"}}",
                MXC_UNSUPPORTED_CONTAINMENT, "seatbelt");
  CHECK_INT(mxc_run_json(Request("true"), 0, NULL), MXC_NULL_POINTER);
  char deep[100001];
  memset(deep, '[', sizeof deep - 1);
  deep[sizeof deep - 1] = '\0';
  ExpectRefused(deep, MXC_MALFORMED_REQUEST, "");
}

static void Nulls(void) {
  int32_t number = 5;
  char* text = (char*)1;
  size_t count = 0;
  MxcNativeStdio stdio = {0, 0, 0};
  CHECK_INT(mxc_sandbox_id(NULL), 0);
  CHECK_INT(mxc_sandbox_take_native_stdio(NULL, &stdio), MXC_NULL_POINTER);
  CHECK(stdio.stdin_handle == -1 && stdio.stdout_handle == -1 && stdio.stderr_handle == -1);
  CHECK_INT(mxc_sandbox_try_wait(NULL, &number, &number, &number), MXC_NULL_POINTER);
  CHECK_INT(mxc_sandbox_wait(NULL, &number, &number), MXC_NULL_POINTER);
  CHECK_INT(number, 5);
  CHECK_INT(mxc_sandbox_kill(NULL), MXC_NULL_POINTER);
  CHECK_INT(mxc_sandbox_kill_for_timeout(NULL), MXC_NULL_POINTER);
  CHECK_INT(mxc_sandbox_pty_resize(NULL, 24, 80), MXC_NULL_POINTER);
  CHECK_INT(mxc_sandbox_warnings_json(NULL, &text), MXC_NULL_POINTER);
  CHECK(text == NULL);
  CHECK_INT(mxc_sandbox_output_metadata_json(NULL, &text), MXC_NULL_POINTER);
  CHECK(mxc_sandbox_take_stdin(NULL) == NULL && mxc_sandbox_take_stdout(NULL) == NULL);
  CHECK(mxc_sandbox_take_stderr(NULL) == NULL && mxc_sandbox_stdout_closer(NULL) == NULL);
  CHECK(mxc_sandbox_stderr_closer(NULL) == NULL);
  CHECK_INT(mxc_stream_read(NULL, NULL, 0, &count), MXC_NULL_POINTER);
  CHECK_INT(mxc_stream_write(NULL, NULL, 0, &count), MXC_NULL_POINTER);
  CHECK_INT(mxc_stream_flush(NULL), MXC_NULL_POINTER);
  CHECK_INT(mxc_stream_closer_close(NULL), MXC_NULL_POINTER);
  CHECK_INT(mxc_spawn_json(Request("true"), 0, NULL, NULL), MXC_NULL_POINTER);
  CHECK_INT(mxc_run_state_aware_json("{}", 0, 0, NULL), MXC_NULL_POINTER);
  CHECK_INT(mxc_telemetry_needs_consent_prompt(NULL), MXC_NULL_POINTER);
  mxc_string_free(NULL);
  mxc_run_result_free(NULL);
  mxc_error_detail_free(NULL);
  mxc_state_aware_result_free(NULL);
  mxc_sandbox_free(NULL);
  mxc_read_stream_free(NULL);
  mxc_write_stream_free(NULL);
  mxc_stream_closer_free(NULL);
  mxc_native_pipe_close(-1);
  char* const foreign = strdup("not the library's");
  mxc_string_free(foreign);
  free(foreign);
}

static void Questions(void) {
  char* text = mxc_available_backends_json();
  CHECK(text != NULL && strstr(text, "\"backend\"") != NULL);
  mxc_string_free(text);
  text = mxc_platform_support_json();
  CHECK(text != NULL && strstr(text, "\"isSupported\":true,\"reason\":null,\"availableMethods\":[") != NULL);
  mxc_string_free(text);
  CHECK_INT(mxc_telemetry_get_consent_status(&text), MXC_OK);
  CHECK_TEXT(
      text,
      "{\"effectiveState\":\"not-applicable\",\"policy\":\"not-applicable\",\"reason\":\"not-applicable\","
      "\"storedState\":\"not-applicable\"}");
  mxc_string_free(text);
  CHECK_INT(mxc_telemetry_get_consent(&text), MXC_OK);
  CHECK_TEXT(text, "not-applicable");
  mxc_string_free(text);
  CHECK_INT(mxc_telemetry_request_consent(NULL, NULL, NULL, &text), MXC_NULL_POINTER);
  int32_t needed = 1;
  CHECK_INT(mxc_telemetry_needs_consent_prompt(&needed), MXC_OK);
  CHECK_INT(needed, 0);
}

/* The caller ignores the ends of its children, and takes others' signals as they come. */
static void IgnoredChildren(void) {
  signal(SIGCHLD, SIG_IGN);
  ExpectRun(Request("exit 3"), 3, 0, "", "");
  signal(SIGCHLD, SIG_DFL);
  signal(SIGXFSZ, SIG_IGN);
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  ExpectRun(Request("grep -E '^Sig(Blk|Ign)' /proc/self/status"), 0, 0,
            "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n", "");
}

/* A descriptor of the caller's that is not closed by execve(2). */
static void OpenFiles(void) {
  int ends[2];
  char request[64];
  CHECK(pipe(ends) == 0);
  dup2(ends[1], 99);
  snprintf(request, sizeof request, "test ! -e /proc/self/fd/%d", 99);
  ExpectRun(Request(request), 0, 0, "", "");
  MxcSandbox* sandbox;
  CHECK_INT(mxc_spawn_json(Request("sleep 300"), 0, &sandbox, NULL), MXC_OK);
  snprintf(request, sizeof request, "/proc/%u/fd/99", mxc_sandbox_id(sandbox));
  CHECK(access(request, F_OK) != 0);
  mxc_sandbox_free(sandbox);
}

const Case run_cases[] = {{"layout", Layout},           {"run", Run},
                          {"largeOutput", LargeOutput}, {"warnings", Warnings},
                          {"refusals", Refusals},       {"nulls", Nulls},
                          {"questions", Questions},     {"ignoredChildren", IgnoredChildren},
                          {"openFiles", OpenFiles},     {NULL, NULL}};
