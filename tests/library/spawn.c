/* Commands that run while the caller goes on, one and many. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "check.h"

static MxcSandbox* Spawn(const char* request) {
  MxcSandbox* sandbox = NULL;
  MxcErrorDetail error;
  memset(&error, 0xA5, sizeof error);
  CHECK_INT(mxc_spawn_json(request, 0, &sandbox, &error), MXC_OK);
  CHECK_TEXT(error.message, NULL);
  return sandbox;
}

static void ExpectEnd(MxcSandbox* sandbox, int exit_code, int timed_out) {
  int32_t code = 55, late = 55;
  for (int i = 0; i < 2; ++i) {
    CHECK_INT(mxc_sandbox_wait(sandbox, &code, &late), MXC_OK);
    CHECK_INT(code, exit_code);
    CHECK_INT(late, timed_out);
  }
  int32_t running = 55;
  CHECK_INT(mxc_sandbox_try_wait(sandbox, &code, &running, &late), MXC_OK);
  CHECK_INT(running, 0);
  CHECK_INT(code, exit_code);
  CHECK_INT(late, timed_out);
}

static void NativeStreams(void) {
  MxcSandbox* sandbox = Spawn(Request("read word; echo got $word; echo err >&2; read end; exit 4"));
  MxcNativeStdio stdio, again;
  CHECK(kill((pid_t)mxc_sandbox_id(sandbox), 0) == 0);
  CHECK_INT(mxc_sandbox_take_native_stdio(sandbox, &stdio), MXC_OK);
  CHECK_INT(mxc_sandbox_take_native_stdio(sandbox, &again), MXC_BACKEND_UNAVAILABLE);
  CHECK(again.stdin_handle == -1 && again.stdout_handle == -1 && again.stderr_handle == -1);
  CHECK(mxc_sandbox_take_stdout(sandbox) == NULL && mxc_sandbox_stdout_closer(sandbox) == NULL);
  const intptr_t handles[] = {stdio.stdin_handle, stdio.stdout_handle, stdio.stderr_handle};
  for (int i = 0; i < 3; ++i) {
    CHECK(fcntl((int)handles[i], F_GETFD) & FD_CLOEXEC);
    CHECK_INT((fcntl((int)handles[i], F_GETFL) & O_NONBLOCK) != 0, i != 0);
  }
  int32_t code, running, late;
  CHECK_INT(mxc_sandbox_try_wait(sandbox, &code, &running, &late), MXC_OK);
  CHECK_INT(running, 1);
  CHECK(write((int)stdio.stdin_handle, "abc\n", 4) == 4);
  mxc_native_pipe_close(stdio.stdin_handle);
  ExpectEnd(sandbox, 4, 0);
  mxc_sandbox_free(sandbox);
  char text[64] = "";
  CHECK_INT(read((int)stdio.stdout_handle, text, sizeof text), 8);
  CHECK(memcmp(text, "got abc\n", 8) == 0);
  CHECK_INT(read((int)stdio.stderr_handle, text, sizeof text), 4);
  CHECK_INT(read((int)stdio.stderr_handle, text, sizeof text), 0);
  mxc_native_pipe_close(stdio.stdout_handle);
  mxc_native_pipe_close(stdio.stderr_handle);
}

static void Untaken(void) {
  MxcSandbox* sandbox = Spawn(Request("head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2; cat; exit 9"));
  ExpectEnd(sandbox, 9, 0);
  CHECK(mxc_sandbox_take_stdin(sandbox) == NULL && mxc_sandbox_take_stdout(sandbox) == NULL);
  char* text = (char*)1;
  CHECK_INT(mxc_sandbox_warnings_json(sandbox, &text), MXC_OK);
  CHECK(text == NULL);
  text = (char*)1;
  CHECK_INT(mxc_sandbox_output_metadata_json(sandbox, &text), MXC_OK);
  CHECK(text == NULL);
  mxc_sandbox_free(sandbox);
}

static void Ends(void) {
  MxcSandbox* sandbox = Spawn(Request("sleep 300"));
  CHECK_INT(mxc_sandbox_kill(sandbox), MXC_OK);
  CHECK_INT(mxc_sandbox_kill(sandbox), MXC_OK);
  ExpectEnd(sandbox, -1, 0);
  CHECK_INT(mxc_sandbox_kill(sandbox), MXC_OK);
  mxc_sandbox_free(sandbox);
  sandbox = Spawn(Request("sleep 300"));
  CHECK_INT(mxc_sandbox_kill_for_timeout(sandbox), MXC_OK);
  ExpectEnd(sandbox, -1, 1);
  mxc_sandbox_free(sandbox);
  sandbox = Spawn(Request("exit 6"));
  ExpectEnd(sandbox, 6, 0);
  CHECK_INT(mxc_sandbox_kill_for_timeout(sandbox), MXC_OK);
  ExpectEnd(sandbox, 6, 0);
  mxc_sandbox_free(sandbox);
  sandbox = Spawn(Request("sleep 300"));
  CHECK(kill((pid_t)mxc_sandbox_id(sandbox), SIGKILL) == 0);
  ExpectEnd(sandbox, -1, 0);
  mxc_sandbox_free(sandbox);
}

static int IsGone(void* marker) { return ProcessesWith(marker) == 0; }
static int IsThere(void* marker) { return ProcessesWith(marker) != 0; }

/* Nobody waits for it, and nothing asks how it is. */
static void TimeOut(void) {
  MxcSandbox* sandbox = Spawn(RequestWith("sleep 30771", ",\"timeout\":1500", ""));
  CHECK(Eventually(IsThere, "30771"));
  CHECK(Eventually(IsGone, "30771"));
  ExpectEnd(sandbox, -1, 1);
  mxc_sandbox_free(sandbox);
}

static void FreeEnds(void) {
  MxcSandbox* sandbox = Spawn(Request("sleep 30772 & setsid sleep 30772"));
  mxc_sandbox_free(sandbox);
  CHECK(Eventually(IsGone, "30772"));
}

static void* KillSoon(void* sandbox) {
  usleep(200000);
  mxc_sandbox_kill(sandbox);
  return NULL;
}

static void KillWhileWaiting(void) {
  MxcSandbox* sandbox = Spawn(Request("sleep 300"));
  pthread_t thread;
  pthread_create(&thread, NULL, KillSoon, sandbox);
  ExpectEnd(sandbox, -1, 0);
  pthread_join(thread, NULL);
  mxc_sandbox_free(sandbox);
}

static void* RunOne(void* number) {
  char command[64], expected[16];
  MxcRunResult result;
  snprintf(command, sizeof command, "sleep 0.2; echo %ld", (long)number);
  snprintf(expected, sizeof expected, "%ld\n", (long)number);
  char* const request = Request(command);
  CHECK_INT(mxc_run_json(request, 0, &result), MXC_OK);
  CHECK_TEXT(result.stdout_utf8, expected);
  mxc_run_result_free(&result);
  free(request);
  return NULL;
}

static void FiftyAtOnce(void) {
  enum { kMany = 50 };
  pthread_t threads[kMany];
  const int before = OpenDescriptors();
  for (long i = 0; i < kMany; ++i) pthread_create(&threads[i], NULL, RunOne, (void*)i);
  for (long i = 0; i < kMany; ++i) pthread_join(threads[i], NULL);
  CHECK_INT(OpenDescriptors(), before);
  CHECK_INT(Children(), 0);
}

static void OneOfEach(void) {
  int32_t code, late;
  MxcRunResult result;
  mxc_run_json(Request("echo x"), 0, &result);
  mxc_run_result_free(&result);
  mxc_run_json("{}", 0, &result);
  mxc_run_result_free(&result);
  MxcSandbox* sandbox = Spawn(Request("cat"));
  MxcWriteStream* const in = mxc_sandbox_take_stdin(sandbox);
  MxcReadStream* const out = mxc_sandbox_take_stdout(sandbox);
  MxcStreamCloser* const closer = mxc_sandbox_stdout_closer(sandbox);
  mxc_write_stream_free(in);
  mxc_sandbox_wait(sandbox, &code, &late);
  mxc_sandbox_free(sandbox);
  mxc_read_stream_free(out);
  mxc_stream_closer_free(closer);
  CHECK_INT(mxc_spawn_pty_json(Request("echo x"), 0, 24, 80, &sandbox, NULL), MXC_OK);
  mxc_sandbox_free(sandbox);
}

/* Descriptors, threads, children and memory. */
static void NothingGrows(void) {
  extern void* sbrk(intptr_t);
  for (int i = 0; i < 5; ++i) OneOfEach();
  const int descriptors = OpenDescriptors(), threads = Threads();
  char* const memory = sbrk(0);
  for (int i = 0; i < 50; ++i) OneOfEach();
  CHECK_INT(OpenDescriptors(), descriptors);
  CHECK_INT(Threads(), threads);
  CHECK_INT(Children(), 0);
  CHECK((char*)sbrk(0) - memory < 300000);
}

const Case spawn_cases[] = {{"nativeStreams", NativeStreams},
                            {"untaken", Untaken},
                            {"ends", Ends},
                            {"timeOut", TimeOut},
                            {"freeEnds", FreeEnds},
                            {"killWhileWaiting", KillWhileWaiting},
                            {"fiftyAtOnce", FiftyAtOnce},
                            {"nothingGrows", NothingGrows},
                            {NULL, NULL}};
