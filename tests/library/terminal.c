/* Commands on a terminal of their own. */
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include "check.h"

typedef struct {
  MxcSandbox* sandbox;
  MxcNativeStdio stdio;
  char seen[16384];
  size_t size;
} Terminal;

static void Open(Terminal* terminal, const char* command) {
  memset(terminal, 0, sizeof *terminal);
  CHECK_INT(mxc_spawn_pty_json(Request(command), 0, 24, 80, &terminal->sandbox, NULL), MXC_OK);
  CHECK_INT(mxc_sandbox_take_native_stdio(terminal->sandbox, &terminal->stdio), MXC_OK);
  CHECK_INT(terminal->stdio.stderr_handle, -1);
}

/* Reads until the command has written `text`; NULL: until the end. */
static void Expect(Terminal* terminal, const char* text) {
  const long end = Millis() + 20000;
  while (text == NULL || strstr(terminal->seen, text) == NULL) {
    struct pollfd output = {.fd = (int)terminal->stdio.stdout_handle, .events = POLLIN};
    ssize_t count = -1;
    if (poll(&output, 1, (int)(end - Millis())) == 1)
      count = read(output.fd, terminal->seen + terminal->size, sizeof terminal->seen - 1 - terminal->size);
    if (count == 0 && text == NULL) return;
    if (count <= 0)
      return Fail(__FILE__, __LINE__, text ? text : "the end"), CHECK_TEXT(terminal->seen, text);
    terminal->size += (size_t)count;
  }
}

static void Type(Terminal* terminal, const char* keys) {
  CHECK_INT(write((int)terminal->stdio.stdin_handle, keys, strlen(keys)), strlen(keys));
}

static void CloseInput(Terminal* terminal) {
  mxc_native_pipe_close(terminal->stdio.stdin_handle);
  terminal->stdio.stdin_handle = -1;
}

static void ExpectEnd(Terminal* terminal, int exit_code) {
  int32_t code = 55, late = 55;
  CHECK_INT(mxc_sandbox_wait(terminal->sandbox, &code, &late), MXC_OK);
  CHECK_INT(code, exit_code);
  CHECK_INT(late, 0);
  Expect(terminal, NULL);
  CHECK_INT(mxc_sandbox_pty_resize(terminal->sandbox, 30, 90), MXC_OK);
  mxc_native_pipe_close(terminal->stdio.stdin_handle);
  mxc_native_pipe_close(terminal->stdio.stdout_handle);
  mxc_sandbox_free(terminal->sandbox);
}

static void Sizes(void) {
  Terminal terminal;
  Open(&terminal, "trap 'stty size' WINCH; test -t 0 && test -t 2 && stty size; echo ready; read a; exit 3");
  Expect(&terminal, "24 80\r\nready\r\n");
  CHECK_INT(mxc_sandbox_pty_resize(terminal.sandbox, 40, 100), MXC_OK);
  CHECK_INT(mxc_sandbox_pty_resize(terminal.sandbox, 0, 100), MXC_MALFORMED_REQUEST);
  CHECK_INT(mxc_sandbox_pty_resize(terminal.sandbox, 40, 32768), MXC_MALFORMED_REQUEST);
  Type(&terminal, "\n");
  Expect(&terminal, "40 100\r\n");
  ExpectEnd(&terminal, 3);
  MxcSandbox* sandbox = (MxcSandbox*)1;
  CHECK_INT(mxc_spawn_pty_json(NULL, 0, 0, 80, &sandbox, NULL), MXC_MALFORMED_REQUEST);
  CHECK(sandbox == NULL);
  CHECK_INT(mxc_spawn_json(Request("sleep 300"), 0, &sandbox, NULL), MXC_OK);
  CHECK_INT(mxc_sandbox_pty_resize(sandbox, 40, 100), MXC_BACKEND_ERROR);
  mxc_sandbox_free(sandbox);
}

static void EndOfInput(void) {
  Terminal terminal;
  Open(&terminal, "cat; echo end");
  Type(&terminal, "half a line");
  CloseInput(&terminal);
  ExpectEnd(&terminal, 0);
  CHECK(strstr(terminal.seen, "half a line") != NULL && strstr(terminal.seen, "end\r\n") != NULL);
}

static void ControlC(void) {
  Terminal terminal;
  Open(&terminal, "trap 'echo trapped; exit 42' INT; echo ready; while :; do sleep 0.05; done");
  Expect(&terminal, "ready\r\n");
  Type(&terminal, "\003");
  ExpectEnd(&terminal, 42);
  CHECK(strstr(terminal.seen, "trapped\r\n") != NULL);
}

static void* ReadAll(void* stream) {
  static uint8_t bytes[65536];
  size_t all = 0, count = 1;
  while (count > 0 && mxc_stream_read(stream, bytes, sizeof bytes, &count) == MXC_OK) all += count;
  return (void*)all;
}

static void Streams(void) {
  MxcSandbox* sandbox;
  CHECK_INT(mxc_spawn_pty_json(Request("head -c 3000000 /dev/zero; cat"), 0, 24, 80, &sandbox, NULL), MXC_OK);
  MxcWriteStream* in = mxc_sandbox_take_stdin(sandbox);
  MxcReadStream* out = mxc_sandbox_take_stdout(sandbox);
  CHECK(mxc_sandbox_take_stderr(sandbox) == NULL && mxc_sandbox_stdout_closer(sandbox) == NULL);
  mxc_write_stream_free(in);
  pthread_t reader;
  void* all = NULL;
  pthread_create(&reader, NULL, ReadAll, out);
  int32_t code, late;
  CHECK_INT(mxc_sandbox_wait(sandbox, &code, &late), MXC_OK);
  CHECK_INT(code, 0);
  pthread_join(reader, &all);
  CHECK((size_t)all >= 3000000);
  mxc_read_stream_free(out);
  mxc_sandbox_free(sandbox);
}

const Case terminal_cases[] = {{"terminalSizes", Sizes},
                               {"terminalEndOfInput", EndOfInput},
                               {"terminalControlC", ControlC},
                               {"terminalStreams", Streams},
                               {NULL, NULL}};
