/* Streams and their closers. */
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "check.h"

static MxcSandbox* Spawn(const char* command) {
  MxcSandbox* sandbox = NULL;
  char* const request = Request(command);
  CHECK_INT(mxc_spawn_json(request, 0, &sandbox, NULL), MXC_OK);
  free(request);
  return sandbox;
}

static void Write(MxcWriteStream* stream, const char* text) {
  size_t count = 0;
  CHECK_INT(mxc_stream_write(stream, (const uint8_t*)text, strlen(text), &count), MXC_OK);
  CHECK_INT(count, strlen(text));
  CHECK_INT(mxc_stream_flush(stream), MXC_OK);
}

static void ExpectLine(MxcReadStream* stream, const char* expected) {
  char text[256] = "";
  for (size_t at = 0, count = 1; count > 0 && strchr(text, '\n') == NULL; at += count)
    CHECK_INT(mxc_stream_read(stream, (uint8_t*)text + at, sizeof text - 1 - at, &count), MXC_OK);
  CHECK_TEXT(text, expected);
}

static void ExpectEnd(MxcReadStream* stream) {
  uint8_t byte;
  size_t count = 5;
  CHECK_INT(mxc_stream_read(stream, &byte, 1, &count), MXC_OK);
  CHECK_INT(count, 0);
}

static void Streams(void) {
  MxcSandbox* sandbox = Spawn("read a; echo out $a; echo err >&2; cat >/dev/null; exit 5");
  MxcNativeStdio stdio;
  MxcWriteStream* in = mxc_sandbox_take_stdin(sandbox);
  MxcReadStream* out = mxc_sandbox_take_stdout(sandbox);
  MxcReadStream* err = mxc_sandbox_take_stderr(sandbox);
  CHECK(in != NULL && out != NULL && err != NULL);
  CHECK(mxc_sandbox_take_stdin(sandbox) == NULL && mxc_sandbox_take_stdout(sandbox) == NULL);
  CHECK_INT(mxc_sandbox_take_native_stdio(sandbox, &stdio), MXC_BACKEND_ERROR);
  Write(in, "word\n");
  ExpectLine(out, "out word\n");
  ExpectLine(err, "err\n");
  char* const much = malloc(200001);
  memset(much, 'x', 200000);
  much[200000] = '\0';
  Write(in, much);
  free(much);
  mxc_write_stream_free(in);
  ExpectEnd(out);
  int32_t code, late;
  CHECK_INT(mxc_sandbox_wait(sandbox, &code, &late), MXC_OK);
  CHECK_INT(code, 5);
  mxc_sandbox_free(sandbox);
  ExpectEnd(err);
  mxc_read_stream_free(out);
  mxc_read_stream_free(err);
}

/* The default action of SIGPIPE would end this program. */
static void NobodyReads(void) {
  MxcSandbox* sandbox = Spawn("exit 0");
  MxcWriteStream* in = mxc_sandbox_take_stdin(sandbox);
  int32_t code, late;
  CHECK_INT(mxc_sandbox_wait(sandbox, &code, &late), MXC_OK);
  signal(SIGPIPE, SIG_DFL);
  size_t count = 5;
  CHECK_INT(mxc_stream_write(in, (const uint8_t*)"x", 1, &count), MXC_BACKEND_ERROR);
  CHECK_INT(count, 0);
  mxc_write_stream_free(in);
  mxc_sandbox_free(sandbox);
}

static void* CloseSoon(void* closer) {
  usleep(200000);
  CHECK_INT(mxc_stream_closer_close(closer), MXC_OK);
  return NULL;
}

static void Closers(void) {
  MxcSandbox* sandbox = Spawn("read a; echo $a; read b; exit 8");
  MxcStreamCloser* early = mxc_sandbox_stderr_closer(sandbox);
  MxcReadStream* err = mxc_sandbox_take_stderr(sandbox);
  MxcReadStream* out = mxc_sandbox_take_stdout(sandbox);
  MxcStreamCloser* closer = mxc_sandbox_stdout_closer(sandbox);
  CHECK(closer != NULL && early != NULL);
  CHECK_INT(mxc_stream_closer_close(early), MXC_OK);
  ExpectEnd(err);
  pthread_t thread;
  pthread_create(&thread, NULL, CloseSoon, closer);
  ExpectEnd(out);
  pthread_join(thread, NULL);
  CHECK_INT(mxc_stream_closer_close(closer), MXC_OK);
  ExpectEnd(out);
  int32_t code, running, late;
  CHECK_INT(mxc_sandbox_try_wait(sandbox, &code, &running, &late), MXC_OK);
  CHECK_INT(running, 1);
  CHECK_INT(mxc_sandbox_wait(sandbox, &code, &late), MXC_OK);
  CHECK_INT(code, 8);
  mxc_sandbox_free(sandbox);
  CHECK_INT(mxc_stream_closer_close(closer), MXC_OK);
  mxc_stream_closer_free(closer);
  mxc_stream_closer_free(early);
  mxc_read_stream_free(out);
  mxc_read_stream_free(err);
}

const Case stream_cases[] = {
    {"streams", Streams}, {"nobodyReads", NobodyReads}, {"closers", Closers}, {NULL, NULL}};
