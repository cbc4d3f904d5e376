"""Runs a command in a sandbox from Python, without any package: python3 library.py [libmxc_ffi.so]"""

import ctypes
import json
import sys


class ErrorDetail(ctypes.Structure):
    _fields_ = [(name, ctypes.c_char_p) for name in ("message", "operation", "native_code", "remediation")]


class RunResult(ctypes.Structure):
    _fields_ = [
        ("status", ctypes.c_int32),
        ("exit_code", ctypes.c_int32),
        ("timed_out", ctypes.c_int32),
        ("stdout", ctypes.c_char_p),
        ("stderr", ctypes.c_char_p),
        ("error", ErrorDetail),
        ("metadata", ctypes.c_char_p),
        ("warnings", ctypes.c_char_p),
    ]


def run(library, request):
    """The exit code, and what the command wrote. ctypes lets other threads run meanwhile."""
    result = RunResult()
    status = library.mxc_run_json(json.dumps(request).encode(), 0, ctypes.byref(result))
    try:
        if status != 0:
            raise RuntimeError(f"{result.error.message.decode()} ({(result.error.remediation or b'').decode()})")
        if result.timed_out:
            raise TimeoutError(result.stdout.decode())
        return result.exit_code, result.stdout.decode(), result.stderr.decode()
    finally:
        library.mxc_run_result_free(ctypes.byref(result))


if __name__ == "__main__":
    mxc = ctypes.CDLL(sys.argv[1] if len(sys.argv) > 1 else "libmxc_ffi.so")
    document = {
        "version": "1.0.0",
        "containment": "process",
        "process": {"commandLine": "echo from inside; ls /home/*", "timeout": 10000},
    }
    code, out, err = run(mxc, document)
    print(f"exit code {code}\n{out}{err}", end="")
    document["containment"] = "seatbelt"
    try:
        run(mxc, document)
    except RuntimeError as refusal:
        print(f"refused: {refusal}")
