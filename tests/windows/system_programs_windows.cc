#include "tests/windows/system_programs_windows.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <io.h>
#include <windows.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/own_files.h"
#include "win32/system_library_windows.h"
#include "win32/wide_windows.h"

namespace mxc::test {
namespace {

std::string SystemDirectory() {
  std::array<wchar_t, MAX_PATH> directory{};
  ::GetSystemDirectoryW(directory.data(), MAX_PATH);
  return Narrow(directory.data());
}

std::string Variable(const wchar_t* name) {
  const wchar_t* value = ::_wgetenv(name);
  return value == nullptr ? "" : Narrow(value);
}

std::string ReadAll(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>(file), {}};
}

void Append(const std::string& path, const std::string& text) {
  std::ofstream{path, std::ios::binary | std::ios::app} << text;
}

void SayInUtf16(const std::string& text) {
  const std::wstring wide = Wide(text);
  std::fwrite(wide.data(), sizeof(wchar_t), wide.size(), stdout);
  std::fflush(stdout);
}

// Beside the program, in the system directory: our environment does not reach it.
std::string WslOrders() { return SystemDirectory() + "\\mxc-fake-wsl"; }

std::string OnWindows(const std::string& path) {  // of "/mnt/c/x"
  std::string result = std::string(1, path.at(5)) + ":";
  for (const char c : path.substr(6)) result += c == '/' ? '\\' : c;
  return result;
}

std::filesystem::path WslFolder() { return Wide(WslOrders() + ".d"); }

bool Is(const std::string& name) {
  std::error_code ignored;
  return std::filesystem::exists(WslFolder() / Wide(name), ignored);
}

std::string NameOf(std::string id) {
  std::replace(id.begin(), id.end(), ':', '-');
  return id;
}

int RefuseInner(const char* kind, const char* message) {
  std::fprintf(stderr, "%s\n{\"error\":{\"code\":\"x\",\"message\":\"%s\",\"kind\":\"%s\"}}\n", message,
               message, kind);
  return 255;
}

int TryInner(const std::string& orders) {
  Append(WslOrders() + ".log", "config " + Variable(L"MXC_CONFIG") + "\n");
  const bool refuses = orders == "refuse";
  std::puts(refuses ? R"({"error":{"code":"x","message":"no such thing","kind":"unenforceable"}})"
                    : R"({"result":{}})");
  return refuses ? 1 : 0;
}

int KeepInner(const std::string& orders) {
  Append(WslOrders() + ".log", "config " + Variable(L"MXC_CONFIG") + "\n");
  if (orders == "start refuses") return RefuseInner("unavailable", "no sandbox today");
  if (orders == "start hangs") ::Sleep(60000);
  const std::string id = "ns:" + RandomName() + RandomName();
  Append(Narrow((WslFolder() / Wide(NameOf(id))).wstring()), "");
  std::printf("%s\n", id.c_str());
  std::fflush(stdout);
  while (Is(NameOf(id))) ::Sleep(20);
  return 0;
}

int StopInner(const std::string& id, const std::string& orders) {
  if (orders == "stop fails") return RefuseInner("setup_failed", "it does not end");
  if (!Is(NameOf(id))) return RefuseInner("stale_id", "there is no such sandbox (any more)");
  std::filesystem::remove(WslFolder() / Wide(NameOf(id)));
  std::fputs("mxc-exec: warning: it has left something\n", stderr);
  return 0;
}

// The value of a member that is a text without escapes.
std::string Member(const std::string& text, const std::string& key) {
  const std::string start = "\"" + key + "\":\"";
  const std::size_t at = text.find(start);
  if (at == std::string::npos) return {};
  const std::size_t from = at + start.size();
  return text.substr(from, text.find('"', from) - from);
}

// What is said in the place of a command of a sandbox that stays; empty: it runs.
std::string NotInSandbox(const std::string& orders) {
  const std::string config = Variable(L"MXC_CONFIG");
  if (Member(config, "phase") != "exec") return {};
  const std::string name = NameOf(Member(config, "sandboxId"));
  if (orders == "exec waits") {
    Append(WslOrders() + ".began", "x");
    while (Is(name)) ::Sleep(20);
    return R"({"event":"started","pid":1})"
           "\n"
           R"({"event":"error","error":{"kind":"setup_failed","message":"the sandbox was stopped"}})";
  }
  if (Is(name)) return {};
  return R"({"event":"error","error":{"kind":"stale_id","message":"there is no such sandbox"}})";
}

int RunInner(const std::vector<std::string>& argv, const std::string& orders) {
  std::string result;
  for (std::size_t i = 0; i + 1 < argv.size(); ++i) {
    if (argv[i] == "--result") result = OnWindows(argv[i + 1]);
  }
  Append(WslOrders() + ".log",
         "config " + Variable(L"MXC_CONFIG") + "\nwslenv " + Variable(L"WSLENV") + "\n");
  if (const std::string refusal = NotInSandbox(orders); !refusal.empty()) {
    Append(result, refusal + "\n");
    return 1;
  }
  if (orders == "silent") return 1;
  if (orders == "sleep") ::Sleep(60000);
  if (orders == "refuse") {
    Append(result, R"({"event":"error","error":{"kind":"unenforceable","message":"no such thing"}})"
                   "\n");
    return 255;
  }
  std::fputs("out \xff", stdout);
  std::fputs("err", stderr);
  Append(result,
         R"({"event":"started","pid":1})"
         "\n"
         R"({"event":"outcome","exitStatus":7,"exitCode":7,"signal":null,"timedOut":false,)"
         R"("interruptedBy":null,"limits":{"stdoutTruncated":false,"stderrTruncated":false,"reached":[]},)"
         R"("durationMs":1,"backend":")" +
             std::string(orders == "held by nothing" ? "none" : "namespaces") +
             R"(","tier":"container","realIsolation":true,"ledger":[]})"
             "\n");
  return 7;
}

int RunWsl(const std::vector<std::string>& arguments) {
  for (std::FILE* stream : {stdout, stderr}) ::_setmode(::_fileno(stream), _O_BINARY);
  const std::string orders = ReadAll(WslOrders());
  std::string line;
  for (std::size_t i = 1; i < arguments.size(); ++i) line += " [" + arguments[i] + "]";
  Append(WslOrders() + ".log", "wsl" + line + "\n");
  std::error_code ignored;
  if (arguments.size() > 1 && arguments[1] == "--list") {
    const bool runs = Is("running");
    SayInUtf16(runs ? "Other\r\nDebian X\r\n" : "There are no running distributions.\r\n");
    return runs ? 0 : -1;
  }
  std::size_t at = 0;
  while (at < arguments.size() && arguments[at] != "--exec") ++at;
  if (at + 1 >= arguments.size() || orders == "broken") {
    SayInUtf16("There is no distribution with the supplied name.\r\n");
    return -1;
  }
  std::filesystem::create_directories(WslFolder(), ignored);
  Append(Narrow((WslFolder() / L"running").wstring()), "x");
  const std::vector<std::string> inner{arguments.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                                       arguments.end()};
  if (inner[0] == "pkill") return 0;
  if (inner[0] == "wslpath") {
    std::puts(orders == "elsewhere" ? "/drives/c/" : "/mnt/c/");
    return 0;
  }
  if (inner.back() == "--version") {
    std::puts("mxc-exec 9.9");
    return 0;
  }
  if (inner.back() == "--probe") {
    std::puts(
        R"({"version": "9.9", "backends": [{"backend": "bubblewrap", "usable": true, "tier": "container"}]})");
    return 0;
  }
  if (inner.size() > 1 && inner[1] == "--dry-run") return TryInner(orders);
  if (inner.size() > 2 && inner[1] == "start") return KeepInner(orders);
  if (inner.size() > 3 && inner[1] == "stop") return StopInner(inner.back(), orders);
  return RunInner(inner, orders);
}

std::vector<std::string> Elements(const std::string& text, const std::string& name) {
  std::vector<std::string> found;
  const std::string start = "<" + name + ">";
  for (std::size_t at = text.find(start); at != std::string::npos; at = text.find(start, at + 1)) {
    const std::size_t from = at + start.size();
    found.push_back(text.substr(from, text.find('<', from) - from));
  }
  return found;
}

// What the machine would run, with its folders where the host has them, and without its own end.
std::string LogonCommand(const std::string& text) {
  const std::vector<std::string> hosts = Elements(text, "HostFolder");
  const std::vector<std::string> guests = Elements(text, "SandboxFolder");
  std::string line = Elements(text, "Command").at(0);
  line.resize(line.rfind(" &amp; "));
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    for (std::size_t at = line.find(guests[i]); at != std::string::npos; at = line.find(guests[i], at + 1))
      line.replace(at, guests[i].size(), hosts[i]);
  }
  return line + "\"";
}

int RunWindowsSandbox(const std::vector<std::string>& arguments) {
  const std::string text = ReadAll(arguments.at(1));
  Append(SystemDirectory() + "\\mxc-fake-sandbox.log", text);
  if (ReadAll(SystemDirectory() + "\\mxc-fake-sandbox") == "closed") return 0;
  std::wstring line = Wide(LogonCommand(text));
  // With the machine everything in it ends.
  const HANDLE job = ::CreateJobObjectW(nullptr, nullptr);
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
  limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
  ::SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits);
  ::AssignProcessToJobObject(job, ::GetCurrentProcess());
  STARTUPINFOW startup{};
  startup.cb = sizeof startup;
  PROCESS_INFORMATION made{};
  if (::CreateProcessW(nullptr, line.data(), nullptr, nullptr, FALSE, 0, nullptr, nullptr, &startup, &made) ==
      0)
    return 1;
  ::WaitForSingleObject(made.hProcess, INFINITE);
  return 0;
}

// "add unable", "clear hang": what of it is not to be done, and how.
int RunBfscfg(const std::vector<std::string>& arguments) {
  Append(SystemDirectory() + "\\mxc-fake-bfscfg.log", Narrow(::GetCommandLineW()) + "\n");
  const std::string orders = ReadAll(SystemDirectory() + "\\mxc-fake-bfscfg");
  const std::string action = arguments.at(1) == "--clearpolicy" ? "clear" : "add";
  if (orders == action + " hang") ::Sleep(60000);
  if (orders == action + " unable") std::puts("Error 5: Unable to perform policy operation.");
  return 0;
}

}  // namespace

std::string InSystem(const std::string& name) { return SystemDirectory() + "\\" + name; }

std::optional<int> RunAsSystemProgram(const std::vector<std::string>& arguments) {
  std::array<wchar_t, MAX_PATH> own{};
  ::GetModuleFileNameW(nullptr, own.data(), MAX_PATH);
  const std::wstring_view path = own.data();
  const std::wstring_view name = path.substr(path.rfind(L'\\') + 1);
  if (name == L"wsl.exe") return RunWsl(arguments);
  if (name == L"bfscfg.exe") return RunBfscfg(arguments);
  if (name == L"WindowsSandbox.exe") return RunWindowsSandbox(arguments);
  return std::nullopt;
}

SystemProgram::SystemProgram(const std::string& name) : path_(SystemDirectory() + "\\" + name) {
  if (!IsWine()) return;
  std::array<wchar_t, MAX_PATH> own{};
  ::GetModuleFileNameW(nullptr, own.data(), MAX_PATH);
  // An earlier one is deleted when its last process has ended, and until then nothing can have the name.
  constexpr int kAttempts = 300;
  BOOL copied = FALSE;
  for (int i = 0; i < kAttempts && copied == 0; ++i) {
    copied = ::CopyFileW(own.data(), Wide(path_).c_str(), FALSE);
    if (copied == 0) ::Sleep(100);
  }
  EXPECT_NE(copied, 0) << path_;
}

SystemProgram::~SystemProgram() {
  if (IsWine()) ::DeleteFileW(Wide(path_).c_str());
}

namespace {

constexpr const wchar_t* kLxss = L"Software\\Microsoft\\Windows\\CurrentVersion\\Lxss";

void SetText(const std::wstring& key, const wchar_t* name, const std::wstring& text) {
  ::RegSetKeyValueW(HKEY_CURRENT_USER, key.c_str(), name, REG_SZ, text.c_str(),
                    static_cast<DWORD>((text.size() + 1) * sizeof(wchar_t)));
}

void SetNumber(const std::wstring& key, const wchar_t* name, DWORD number) {
  ::RegSetKeyValueW(HKEY_CURRENT_USER, key.c_str(), name, REG_DWORD, &number, sizeof number);
}

}  // namespace

WslDistributions::WslDistributions() {
  if (!IsWine()) return;
  const std::wstring key = kLxss;
  SetText(key, L"DefaultDistribution", L"{1}");
  SetText(key + L"\\{1}", L"DistributionName", L"Debian X");
  SetNumber(key + L"\\{1}", L"State", 1);
  SetNumber(key + L"\\{1}", L"Version", 2);
  SetText(key + L"\\{2}", L"DistributionName", L"Old");
  SetNumber(key + L"\\{2}", L"State", 1);
  SetNumber(key + L"\\{2}", L"Version", 1);
}

WslDistributions::~WslDistributions() {
  if (IsWine()) ::RegDeleteTreeW(HKEY_CURRENT_USER, kLxss);
}

bool IsWine() { return SystemLibrary{L"ntdll.dll"}.Has("wine_get_version"); }

}  // namespace mxc::test
