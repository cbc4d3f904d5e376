// Runs a command in a sandbox from C#: mcs library.cs && mono library.exe, or in a project of dotnet.
using System;
using System.Runtime.InteropServices;
using System.Text;

static class Library {
  [StructLayout(LayoutKind.Sequential)]
  struct ErrorDetail {
    public IntPtr Message, Operation, NativeCode, Remediation;
  }

  [StructLayout(LayoutKind.Sequential)]
  struct RunResult {
    public int Status, ExitCode, TimedOut;
    public IntPtr StandardOutput, StandardError;
    public ErrorDetail Error;
    public IntPtr Metadata, Warnings;
  }

  [DllImport("mxc_ffi")] // libmxc_ffi.so
  static extern int mxc_run_json(byte[] request, int experimental, out RunResult result);
  [DllImport("mxc_ffi")]
  static extern void mxc_run_result_free(ref RunResult result);

  static string Text(IntPtr text) => Marshal.PtrToStringUTF8(text) ?? "";

  // The exit code, and what the command wrote.
  static (int Code, string Output, string Errors) Run(string request) {
    var status = mxc_run_json(Encoding.UTF8.GetBytes(request + "\0"), 0, out var result);
    try {
      if (status != 0) throw new InvalidOperationException($"{Text(result.Error.Message)} ({Text(result.Error.Remediation)})");
      if (result.TimedOut != 0) throw new TimeoutException(Text(result.StandardOutput));
      return (result.ExitCode, Text(result.StandardOutput), Text(result.StandardError));
    } finally {
      mxc_run_result_free(ref result);
    }
  }

  static void Main() {
    const string process = @"""process"": {""commandLine"": ""echo from inside; ls /home/*"", ""timeout"": 10000}";
    var (code, output, errors) = Run($@"{{""version"": ""1.0.0"", ""containment"": ""process"", {process}}}");
    Console.Write($"exit code {code}\n{output}{errors}");
    try {
      Run($@"{{""version"": ""1.0.0"", ""containment"": ""seatbelt"", {process}}}");
    } catch (InvalidOperationException refusal) {
      Console.WriteLine($"refused: {refusal.Message}");
    }
  }
}
