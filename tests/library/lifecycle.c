/* Persistent sandboxes, from call to call. */
#include <unistd.h>

#include "check.h"

static char* RequestOf(const char* phase, const char* id, const char* more) {
  char* text = NULL;
  if (asprintf(&text, "{\"version\":\"1.0.0\",\"phase\":\"%s\",\"sandboxId\":\"%s\"%s}", phase, id, more) < 0)
    abort();
  return text;
}

static void Expect(const char* request, int dry_run, int status) {
  MxcStateAwareResult result;
  memset(&result, 0xA5, sizeof result);
  CHECK_INT(mxc_run_state_aware_json(request, dry_run, 0, &result), status);
  CHECK_INT(result.status, status);
  CHECK((result.response_json != NULL) == (status == MXC_OK));
  CHECK((result.error.message != NULL) == (status != MXC_OK));
  if (status == MXC_OK) CHECK_TEXT(result.response_json, "{\"result\":{}}");
  mxc_state_aware_result_free(&result);
  mxc_state_aware_result_free(&result);
}

static const char* Provision(char* id) {
  MxcStateAwareResult result;
  CHECK_INT(mxc_run_state_aware_json(
                "{\"version\":\"1.0.0\",\"phase\":\"provision\",\"containment\":\"process\"}", 0, 0, &result),
            MXC_OK);
  const char* const begin = result.response_json ? strstr(result.response_json, "\"sandboxId\":\"") : NULL;
  CHECK(begin != NULL);
  id[0] = '\0';
  if (begin != NULL) sscanf(begin, "\"sandboxId\":\"%99[^\"]", id);
  mxc_state_aware_result_free(&result);
  return id;
}

static void Lifecycle(void) {
  char id[100];
  Provision(id);
  const char* const command =
      ",\"process\":{\"commandLine\":\"cat /tmp/kept; echo kept > /tmp/kept; exit 4\"}";
  MxcRunResult result;
  CHECK_INT(mxc_run_state_aware_exec_json(RequestOf("exec", id, command), 0, &result), MXC_NOT_STARTED);
  CHECK_TEXT(result.stdout_utf8, NULL);
  mxc_run_result_free(&result);
  Expect(RequestOf("start", id, ""), 1, MXC_OK);
  Expect(RequestOf("start", id, ""), 0, MXC_OK);
  Expect(RequestOf("start", id, ""), 0, MXC_ALREADY_STARTED);
  Expect(RequestOf("exec", id, command), 1, MXC_OK);
  Expect(RequestOf("exec", id, command), 0, MXC_MALFORMED_REQUEST);
  for (int i = 0; i < 2; ++i) {
    CHECK_INT(mxc_run_state_aware_exec_json(RequestOf("exec", id, command), 0, &result), MXC_OK);
    CHECK_INT(result.exit_code, 4);
    CHECK_TEXT(result.stdout_utf8, i == 0 ? "" : "kept\n");
    mxc_run_result_free(&result);
  }
  MxcSandbox* sandbox;
  int32_t code, late;
  CHECK_INT(mxc_exec_state_aware_json(
                RequestOf("exec", id, ",\"process\":{\"commandLine\":\"sleep 300\",\"timeout\":300}"), 0,
                &sandbox, NULL),
            MXC_OK);
  CHECK_INT(mxc_sandbox_wait(sandbox, &code, &late), MXC_OK);
  CHECK(code == -1 && late == 1);
  mxc_sandbox_free(sandbox);
  CHECK_INT(mxc_state_aware_exec_pty(
                RequestOf("exec", id, ",\"process\":{\"commandLine\":\"test -t 0 && exit 5\"}"), 0, 24, 80,
                &sandbox, NULL),
            MXC_OK);
  CHECK_INT(mxc_sandbox_wait(sandbox, &code, &late), MXC_OK);
  CHECK_INT(code, 5);
  mxc_sandbox_free(sandbox);
  Expect(RequestOf("stop", id, ""), 0, MXC_OK);
  Expect(RequestOf("stop", id, ""), 0, MXC_ALREADY_STOPPED);
  Expect(RequestOf("deprovision", id, ""), 0, MXC_OK);
  Expect(RequestOf("start", id, ""), 0, MXC_STALE_ID);
}

static void Refusals(void) {
  Expect(NULL, 0, MXC_NULL_POINTER);
  Expect("{}", 0, MXC_MALFORMED_REQUEST);
  Expect("{\"version\":\"1.0.0\",\"phase\":\"begin\"}", 0, MXC_MALFORMED_REQUEST);
  Expect(RequestOf("start", "without-prefix", ""), 0, MXC_MALFORMED_ID);
  Expect(RequestOf("start", "iso:abc", ""), 0, MXC_BACKEND_UNAVAILABLE);
  Expect(RequestOf("start", "other:abc", ""), 0, MXC_UNSUPPORTED_CONTAINMENT);
  Expect(
      "{\"version\":\"1.0.0\",\"phase\":\"provision\",\"containment\":\"isolation_session\",\"network\":{"
      "\"egress\":{"
      "\"default\":\"allow\"},\"ingress\":{\"default\":\"allow\",\"hostLoopback\":\"allow\"}}}",
      0, MXC_BACKEND_UNAVAILABLE);
  MxcSandbox* sandbox = (MxcSandbox*)1;
  MxcErrorDetail error;
  CHECK_INT(mxc_exec_state_aware_json(RequestOf("start", "ns:1", ""), 0, &sandbox, &error),
            MXC_MALFORMED_REQUEST);
  CHECK(sandbox == NULL && error.message != NULL);
  mxc_error_detail_free(&error);
  CHECK_INT(mxc_exec_state_aware_json(RequestOf("exec", "without", ",\"process\":{\"commandLine\":\"true\"}"),
                                      0, &sandbox, &error),
            MXC_MALFORMED_ID);
  mxc_error_detail_free(&error);
  MxcExecOutcome outcome = {5, 5};
  close(STDIN_FILENO);
  CHECK_INT(mxc_exec_state_aware_attached_json(RequestOf("exec", "ns:1", ""), 0, &outcome, NULL),
            MXC_MALFORMED_REQUEST);
  CHECK_INT(outcome.exit_code, 5);
}

const Case lifecycle_cases[] = {{"lifecycle", Lifecycle}, {"lifecycleRefusals", Refusals}, {NULL, NULL}};
