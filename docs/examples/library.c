/* Runs a command in a sandbox, then talks with another: cc library.c -lmxc_ffi */
#include <mxc/ffi.h>
#include <stdio.h>
#include <string.h>

static int Explain(const char* what, const MxcErrorDetail* error) {
  fprintf(stderr, "%s: %s\n", what, error->message);
  if (error->remediation != NULL) fprintf(stderr, "  %s\n", error->remediation);
  return 1;
}

static int RunOne(void) {
  const char* const request =
      "{\"version\": \"1.0.0\", \"containment\": \"process\","
      " \"process\": {\"commandLine\": \"cat /etc/passwd | wc -l; cat ~/.ssh/id_rsa\", \"timeout\": 10000}}";
  MxcRunResult result;
  if (mxc_run_json(request, 0, &result) != MXC_OK) {
    Explain("mxc_run_json", &result.error);
  } else if (result.timed_out) {
    printf("it took too long\n");
  } else {
    printf("exit code %d\n%s%s", result.exit_code, result.stdout_utf8, result.stderr_utf8);
  }
  const int failed = result.status != MXC_OK;
  mxc_run_result_free(&result);
  return failed;
}

static int Talk(void) {
  const char* const request =
      "{\"version\": \"1.0.0\", \"containment\": \"process\", \"process\": {\"commandLine\": \"tr a-z "
      "A-Z\"}}";
  MxcSandbox* sandbox;
  MxcErrorDetail error;
  if (mxc_spawn_json(request, 0, &sandbox, &error) != MXC_OK) {
    Explain("mxc_spawn_json", &error);
    mxc_error_detail_free(&error);
    return 1;
  }
  MxcWriteStream* const input = mxc_sandbox_take_stdin(sandbox);
  MxcReadStream* const output = mxc_sandbox_take_stdout(sandbox);
  const char* const line = "from inside\n";
  uint8_t bytes[256];
  size_t count;
  mxc_stream_write(input, (const uint8_t*)line, strlen(line), &count);
  mxc_write_stream_free(input); /* the end of its input */
  while (mxc_stream_read(output, bytes, sizeof bytes, &count) == MXC_OK && count > 0)
    fwrite(bytes, 1, count, stdout);
  mxc_read_stream_free(output);
  int32_t exit_code, timed_out;
  const int32_t status = mxc_sandbox_wait(sandbox, &exit_code, &timed_out);
  mxc_sandbox_free(sandbox); /* would end what still runs */
  return status != MXC_OK || exit_code != 0;
}

int main(void) { return RunOne() + Talk(); }
