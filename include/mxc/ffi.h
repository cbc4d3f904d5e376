/* libmxc_ffi: commands in a sandbox, for any language that can call C. docs/library.md has examples.
 *
 * Each sandbox is one process of the program mxc-exec, which is looked for beside this library, in the folder
 * bin beside the library's folder or beside the folder lib that this is in, in the variable MXC_EXEC, which
 * must be an absolute path, and on PATH. Where the library lies is told when it is loaded. The program, each
 * folder above it and each that holds a link to it must belong to root or to the caller, and others may not
 * have the right to write there.
 *
 * A request is a configuration of mxc-exec in JSON (docs/schema.md), UTF-8, terminated by a NUL byte.
 * `experimental` other than 0 allows experimental containments.
 *
 * Status. Functions that return int32_t return one of MxcStatus; MXC_OK is 0. Those that fill an
 * MxcErrorDetail, an MxcRunResult or an MxcStateAwareResult also say why: `message` always, `remediation`
 * where there is something to do about it, `operation` and `native_code` (the number of errno) where a call
 * of the operating system failed. The storage that is handed in may hold anything: it is overwritten, not
 * freed. After a failure handles and texts are NULL. A NULL in place of a required pointer is
 * MXC_NULL_POINTER, and nothing is run.
 *
 * Ownership. Texts are UTF-8, end with a NUL byte and belong to the caller, who frees them by the function
 * named at each. What frees accepts NULL. Streams and closers stay valid when their sandbox is freed.
 *
 * Threads. Every function may be called on every thread, with 64 KiB of stack. The library starts no thread,
 * handles no signal, changes neither the environment nor the directory of the process, and waits for no child
 * but its own. mxc_sandbox_kill and mxc_sandbox_kill_for_timeout may be called while another thread waits for
 * the same sandbox; of the other functions of one handle one at a time. A call that waits is mxc_run_json,
 * mxc_sandbox_wait, mxc_stream_read, mxc_stream_write, and those that start something, for as long as that
 * takes.
 *
 * Ends. Freeing a handle ends its sandbox. When the calling process ends, however it does, its sandboxes end
 * with it; a child that it has forked and that runs no other program keeps them alive.
 */
#ifndef MXC_FFI_H
#define MXC_FFI_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define MXC_API __declspec(dllexport)
#else
#define MXC_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* NOLINTBEGIN(readability-identifier-naming): the names are those of the SDK */
enum MxcStatus {
  MXC_OK = 0,
  MXC_MALFORMED_REQUEST = 1,
  MXC_UNSUPPORTED_CONTAINMENT = 2,
  MXC_UNSUPPORTED_PHASE = 3,
  MXC_BACKEND_UNAVAILABLE = 4,
  MXC_MALFORMED_ID = 5,
  MXC_STALE_ID = 6,
  MXC_NOT_PROVISIONED = 7,
  MXC_NOT_STARTED = 8,
  MXC_ALREADY_STARTED = 9,
  MXC_ALREADY_STOPPED = 10,
  MXC_POLICY_VALIDATION = 11,
  MXC_BACKEND_ERROR = 12,
  MXC_NULL_POINTER = 100,
  MXC_NOT_UTF8 = 101,
  MXC_INTERNAL = 102
};

typedef struct MxcSandbox MxcSandbox;
typedef struct MxcReadStream MxcReadStream;
typedef struct MxcWriteStream MxcWriteStream;
typedef struct MxcStreamCloser MxcStreamCloser;

typedef struct {
  char* message;
  char* operation;
  char* native_code;
  char* remediation;
} MxcErrorDetail;

/* On success both outputs are texts: a byte that is not UTF-8, and a NUL byte, has become U+FFFD. */
typedef struct {
  int32_t status;
  int32_t exit_code; /* the command's, 128 + N after signal N; -1 when it was ended */
  int32_t timed_out;
  char* stdout_utf8;
  char* stderr_utf8;
  MxcErrorDetail error;
  char* output_metadata_json; /* always NULL */
  char* warnings_json;        /* an array of texts, or NULL */
} MxcRunResult;

typedef struct {
  int32_t status;
  char* response_json; /* {"result":{...}} */
  MxcErrorDetail error;
} MxcStateAwareResult;

/* Descriptors; -1: there is none. */
typedef struct {
  intptr_t stdin_handle;
  intptr_t stdout_handle;
  intptr_t stderr_handle;
} MxcNativeStdio;

typedef struct {
  int32_t timed_out;
  int32_t exit_code;
} MxcExecOutcome;

/* 0 no, 1 yes, 2 dismissed, -1 failed. Never called on Linux. */
typedef int32_t (*MxcConsentPresenter)(const char* prompt_json, void* context);

/* Questions. */

MXC_API const char* mxc_version(void);    /* of the interface; never freed */
MXC_API void mxc_string_free(char* text); /* what is no text of this library's is left alone */
/* [{"backend":"bubblewrap","capabilities":["proxyEnforcement"]}]; NULL: the program could not be asked.
 * mxc_string_free. */
MXC_API char* mxc_available_backends_json(void);
/* {"isSupported":true,"reason":null,"availableMethods":["bubblewrap"]}; mxc_string_free. */
MXC_API char* mxc_platform_support_json(void);

/* A command from beginning to end. mxc_run_result_free after every call that has filled the result. */

MXC_API int32_t mxc_run_json(const char* request, int32_t experimental, MxcRunResult* result);
MXC_API void mxc_run_result_free(MxcRunResult* result);
MXC_API void mxc_error_detail_free(MxcErrorDetail* detail);

/* A command that runs while the caller goes on. `error` may be NULL; on success it is all NULL. */

MXC_API int32_t mxc_spawn_json(const char* request, int32_t experimental, MxcSandbox** sandbox,
                               MxcErrorDetail* error);
/* ... on a terminal of its own: 1 to 32767 rows and columns. Standard error is its standard output. */
MXC_API int32_t mxc_spawn_pty_json(const char* request, int32_t experimental, uint16_t rows, uint16_t columns,
                                   MxcSandbox** sandbox, MxcErrorDetail* error);
/* MXC_BACKEND_ERROR: the command has no terminal. */
MXC_API int32_t mxc_sandbox_pty_resize(MxcSandbox* sandbox, uint16_t rows, uint16_t columns);
MXC_API uint32_t mxc_sandbox_id(MxcSandbox* sandbox); /* the process mxc-exec; 0 for NULL */
/* The descriptors themselves, once: then they are the caller's to close. They are pipes, also of a terminal;
 * those of output do not block. MXC_BACKEND_UNAVAILABLE the second time, MXC_BACKEND_ERROR after a stream was
 * taken. */
MXC_API int32_t mxc_sandbox_take_native_stdio(MxcSandbox* sandbox, MxcNativeStdio* stdio);
MXC_API void mxc_native_pipe_close(intptr_t handle); /* close(2); -1 is left alone */
/* Does not wait. The last two are written when `running` became 0. */
MXC_API int32_t mxc_sandbox_try_wait(MxcSandbox* sandbox, int32_t* exit_code, int32_t* running,
                                     int32_t* timed_out);
/* Waits until the command has ended, and its output is relayed. Closes standard input and reads output on, if
 * nobody has taken them. May be repeated. MXC_BACKEND_ERROR: how it ended is not known, or output was lost.
 */
MXC_API int32_t mxc_sandbox_wait(MxcSandbox* sandbox, int32_t* exit_code, int32_t* timed_out);
MXC_API int32_t mxc_sandbox_kill(MxcSandbox* sandbox);             /* at once; exit code -1 */
MXC_API int32_t mxc_sandbox_kill_for_timeout(MxcSandbox* sandbox); /* ... and it counts as timed out */
MXC_API void mxc_sandbox_free(MxcSandbox* sandbox);
/* Both answer NULL: mxc_run_json tells of warnings. */
MXC_API int32_t mxc_sandbox_warnings_json(MxcSandbox* sandbox, char** json);
MXC_API int32_t mxc_sandbox_output_metadata_json(MxcSandbox* sandbox, char** json);

/* Streams, instead of descriptors; each can be taken once. NULL: taken already, or there is none. */

MXC_API MxcWriteStream* mxc_sandbox_take_stdin(MxcSandbox* sandbox);
MXC_API MxcReadStream* mxc_sandbox_take_stdout(MxcSandbox* sandbox);
MXC_API MxcReadStream* mxc_sandbox_take_stderr(MxcSandbox* sandbox);
/* Waits for some bytes; `count` 0 is the end. */
MXC_API int32_t mxc_stream_read(MxcReadStream* stream, uint8_t* bytes, size_t size, size_t* count);
/* Waits until all are written. MXC_BACKEND_ERROR: nobody reads any more. */
MXC_API int32_t mxc_stream_write(MxcWriteStream* stream, const uint8_t* bytes, size_t size, size_t* count);
MXC_API int32_t mxc_stream_flush(MxcWriteStream* stream);
MXC_API void mxc_read_stream_free(MxcReadStream* stream);
MXC_API void mxc_write_stream_free(MxcWriteStream* stream); /* the command reads the end of its input */
/* A closer makes every read of its stream, one that waits included, answer the end. The command lives on. */
MXC_API MxcStreamCloser* mxc_sandbox_stdout_closer(MxcSandbox* sandbox);
MXC_API MxcStreamCloser* mxc_sandbox_stderr_closer(MxcSandbox* sandbox);
MXC_API int32_t mxc_stream_closer_close(MxcStreamCloser* closer);
MXC_API void mxc_stream_closer_free(MxcStreamCloser* closer);

/* Persistent sandboxes: requests with a `phase`. They outlive the process that has provisioned them. */

/* provision, start, stop, deprovision; with `dry_run` also exec. mxc_state_aware_result_free. */
MXC_API int32_t mxc_run_state_aware_json(const char* request, int32_t dry_run, int32_t experimental,
                                         MxcStateAwareResult* result);
MXC_API void mxc_state_aware_result_free(MxcStateAwareResult* result);
/* exec: as mxc_run_json, mxc_spawn_json, mxc_spawn_pty_json. */
MXC_API int32_t mxc_run_state_aware_exec_json(const char* request, int32_t experimental,
                                              MxcRunResult* result);
MXC_API int32_t mxc_exec_state_aware_json(const char* request, int32_t experimental, MxcSandbox** sandbox,
                                          MxcErrorDetail* error);
MXC_API int32_t mxc_state_aware_exec_pty(const char* request, int32_t experimental, uint16_t rows,
                                         uint16_t columns, MxcSandbox** sandbox, MxcErrorDetail* error);
/* ... on the caller's terminal, which its standard input and output have to be. */
MXC_API int32_t mxc_exec_state_aware_attached_json(const char* request, int32_t experimental,
                                                   MxcExecOutcome* outcome, MxcErrorDetail* error);

/* Telemetry: there is none. Every answer is "not-applicable". mxc_string_free. */

MXC_API int32_t mxc_telemetry_get_consent_status(char** json);
MXC_API int32_t mxc_telemetry_withdraw_consent(char** json);
MXC_API int32_t mxc_telemetry_request_consent(const char* locale, MxcConsentPresenter presenter,
                                              void* context, char** json);
MXC_API int32_t mxc_telemetry_get_consent(char** text);
MXC_API int32_t mxc_telemetry_get_policy(char** text);
MXC_API int32_t mxc_telemetry_needs_consent_prompt(int32_t* needed); /* 0 */
/* NOLINTEND(readability-identifier-naming) */

#ifdef __cplusplus
}
#endif

#endif
