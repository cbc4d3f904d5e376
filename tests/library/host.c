/* What the calling process is, how it ends, and where the program is. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

int HostMain(const char* kind, const char* marker) {
  char command[128];
  snprintf(command, sizeof command, "sleep %s & setsid sleep %s", marker, marker);
  if (strcmp(kind, "run") == 0) {
    MxcRunResult result;
    return mxc_run_json(Request(command), 0, &result);
  }
  MxcSandbox* sandbox;
  const int32_t status = strcmp(kind, "pty") == 0
                             ? mxc_spawn_pty_json(Request(command), 0, 24, 80, &sandbox, NULL)
                             : mxc_spawn_json(Request(command), 0, &sandbox, NULL);
  if (status == MXC_OK) pause();
  return status;
}

static int IsGone(void* marker) { return ProcessesWith(marker) == 0; }
static int IsThere(void* marker) { return ProcessesWith(marker) == 3; } /* and the host */

static pid_t StartHost(const char* kind, const char* marker) {
  const pid_t host = fork();
  if (host == 0) {
    execl(own_path, own_path, library_path, "host", kind, marker, (char*)NULL);
    _exit(127);
  }
  return host;
}

static void KilledHost(void) {
  char* const kinds[] = {"run", "spawn", "pty"};
  for (int i = 0; i < 3; ++i) {
    const pid_t host = StartHost(kinds[i], "30881");
    CHECK(Eventually(IsThere, "30881"));
    kill(host, SIGKILL);
    waitpid(host, NULL, 0);
    CHECK(Eventually(IsGone, "30881"));
  }
}

/* At whatever it is just doing. The marker is also an argument of the host itself. */
static void KilledEarly(void) {
  for (int i = 0; i < 40; ++i) {
    const pid_t host = StartHost("spawn", "30882");
    usleep((useconds_t)(i * 1000));
    kill(host, SIGKILL);
    waitpid(host, NULL, 0);
  }
  CHECK(Eventually(IsGone, "30882"));
}

static void* SpawnOnThread(void* sandbox) {
  CHECK_INT(mxc_spawn_json(Request("sleep 0.5; exit 5"), 0, sandbox, NULL), MXC_OK);
  return NULL;
}

/* The thread that has started it ends before it. */
static void EndedThread(void) {
  MxcSandbox* sandbox = NULL;
  pthread_t thread;
  pthread_create(&thread, NULL, SpawnOnThread, &sandbox);
  pthread_join(thread, NULL);
  int32_t code, late;
  CHECK_INT(mxc_sandbox_wait(sandbox, &code, &late), MXC_OK);
  CHECK_INT(code, 5);
  mxc_sandbox_free(sandbox);
}

static void* Everything(void* unused) {
  MxcRunResult result;
  CHECK_INT(mxc_run_json(Request("echo x; exit 2"), 0, &result), MXC_OK);
  CHECK_INT(result.exit_code, 2);
  mxc_run_result_free(&result);
  CHECK_INT(mxc_run_json("{\"a\":[[[[1]]]]", 0, &result), MXC_MALFORMED_REQUEST);
  mxc_run_result_free(&result);
  MxcSandbox* sandbox;
  int32_t code, late;
  CHECK_INT(mxc_spawn_pty_json(Request("exit 3"), 0, 24, 80, &sandbox, NULL), MXC_OK);
  CHECK_INT(mxc_sandbox_wait(sandbox, &code, &late), MXC_OK);
  mxc_sandbox_free(sandbox);
  mxc_string_free(mxc_platform_support_json());
  MxcStateAwareResult answer;
  CHECK_INT(mxc_run_state_aware_json("{\"version\":\"1.0.0\",\"phase\":\"start\",\"sandboxId\":\"no\"}", 0, 0,
                                     &answer),
            MXC_MALFORMED_ID);
  mxc_state_aware_result_free(&answer);
  return unused;
}

static void SmallStack(void) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  CHECK_INT(pthread_attr_setstacksize(&attributes, 65536), 0);
  pthread_t thread;
  CHECK_INT(pthread_create(&thread, &attributes, Everything, NULL), 0);
  pthread_join(thread, NULL);
  pthread_attr_destroy(&attributes);
}

/* Closed standard streams: the library's descriptors get their numbers. */
static void ClosedStreams(void) {
  const pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 3; ++i) close(i);
    MxcRunResult result;
    const int32_t status = mxc_run_json(Request("cat; echo out; echo err >&2; exit 3"), 0, &result);
    _exit(status == MXC_OK && result.exit_code == 3 && strcmp(result.stdout_utf8, "out\n") == 0 &&
                  strcmp(result.stderr_utf8, "err\n") == 0
              ? 0
              : 1);
  }
  int ended = 0;
  waitpid(child, &ended, 0);
  CHECK_INT(ended, 0);
}

const Case host_cases[] = {{"killedHost", KilledHost},       {"killedEarly", KilledEarly},
                           {"endedThread", EndedThread},     {"smallStack", SmallStack},
                           {"closedStreams", ClosedStreams}, {NULL, NULL}};
