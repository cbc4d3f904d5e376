#include "tests/windows/guest_windows.h"

#include <fcntl.h>
#include <io.h>
#include <windows.h>

#include <array>
#include <cstdio>
#include <string>

#include "mxc/command_line.h"
#include "win32/unique_handle_windows.h"
#include "win32/wide_windows.h"
#include "windows/given_access_windows.h"

namespace mxc::test {
namespace {

std::string OwnPath() {
  std::wstring path(MAX_PATH, L'\0');
  path.resize(::GetModuleFileNameW(nullptr, path.data(), MAX_PATH));
  return Narrow(path);
}

void Copy() {
  std::array<char, 4096> buffer{};
  for (std::size_t size = 0; (size = std::fread(buffer.data(), 1, buffer.size(), stdin)) > 0;)
    std::fwrite(buffer.data(), 1, size, stdout);
}

int PrintVariable(const std::string& name) {
  std::wstring value(4096, L'\0');
  const DWORD size = ::GetEnvironmentVariableW(Wide(name).c_str(), value.data(), 4096);
  if (size == 0 && ::GetLastError() == ERROR_ENVVAR_NOT_FOUND) return 1;
  value.resize(size);
  std::printf("%s\n", Narrow(value).c_str());
  return 0;
}

int PrintDirectory() {
  std::wstring here(4096, L'\0');
  here.resize(::GetCurrentDirectoryW(4096, here.data()));
  std::printf("%s\n", Narrow(here).c_str());
  return 0;
}

int StartLate(const std::vector<std::string>& arguments) {
  std::wstring line =
      Wide(JoinArguments(Guest({"write", arguments.at(1), arguments.at(2)}), QuoteFor::kProgram));
  STARTUPINFOW startup{};
  startup.cb = sizeof startup;
  PROCESS_INFORMATION made{};
  return ::CreateProcessW(nullptr, line.data(), nullptr, nullptr, FALSE, 0, nullptr, nullptr, &startup,
                          &made) != 0
             ? 0
             : 1;
}

// A word that could become an address, and after a silence what would have made it one.
int Pause(const std::vector<std::string>& arguments) {
  const DWORD silence = static_cast<DWORD>(std::stoul(arguments.at(1)));
  std::fputs("name", stdout);
  if (silence != 0) std::fflush(stdout);
  ::Sleep(silence);
  std::fputs("@example.com", stdout);
  return 0;
}

int WriteLate(const std::vector<std::string>& arguments) {
  ::Sleep(static_cast<DWORD>(std::stoul(arguments.at(2))));
  std::FILE* file = ::_wfopen(Wide(arguments.at(1)).c_str(), L"wb");
  return file != nullptr && std::fputs("written", file) >= 0 && std::fclose(file) == 0 ? 0 : 1;
}

// As a program holds its pipes that does not end when it is told to.
int Leak(const std::vector<std::string>& arguments) {
  const UniqueHandle process{
      ::OpenProcess(PROCESS_DUP_HANDLE, FALSE, static_cast<DWORD>(std::stoul(arguments.at(1))))};
  HANDLE there = nullptr;
  if (::DuplicateHandle(::GetCurrentProcess(), ::GetStdHandle(STD_OUTPUT_HANDLE), process.Get(), &there, 0,
                        FALSE, DUPLICATE_SAME_ACCESS) == 0)
    return 1;
  std::printf("%llu", reinterpret_cast<unsigned long long>(there));
  std::fflush(stdout);
  ::Sleep(static_cast<DWORD>(std::stoul(arguments.at(2))));
  return 0;
}

struct Nobody final : RunObserver {
  void OnStarted(std::int64_t /*process_id*/) override {}
};

int Give(const std::string& file) {
  Nobody observer;
  GivenAccess access{observer};
  const AppContainerSandbox sandbox{.bfs = {{.path = "C:\\w", .read_write = true}}, .loopback_exempt = true};
  if (!access.Give(sandbox, {.name = "mxc-killed",
                             .sid = std::string("\1\1\0\0\0\0\0\17\7\0\0\0", 12),
                             .profile_to_delete = "mxc-killed"}))
    return 1;
  WriteLate({"", file, "0"});
  ::Sleep(60000);
  return 0;
}

}  // namespace

int RunGuest(const std::vector<std::string>& arguments) {
  for (std::FILE* stream : {stdin, stdout, stderr}) ::_setmode(::_fileno(stream), _O_BINARY);
  const std::string& verb = arguments.at(0);
  if (verb == "exit") return static_cast<int>(std::stoul(arguments.at(1)));
  if (verb == "env") return PrintVariable(arguments.at(1));
  if (verb == "cwd") return PrintDirectory();
  if (verb == "late") return StartLate(arguments);
  if (verb == "write") return WriteLate(arguments);
  if (verb == "twice") {
    WriteLate({"", arguments.at(1), "0"});
    return WriteLate({"", arguments.at(2), arguments.at(3)});
  }
  if (verb == "set") return ::SetEvent(reinterpret_cast<HANDLE>(std::stoull(arguments.at(1)))) != 0 ? 0 : 1;
  if (verb == "pause") return Pause(arguments);
  if (verb == "leak") return Leak(arguments);
  if (verb == "fill") std::fputs(std::string(std::stoul(arguments.at(1)), 'x').c_str(), stdout);
  if (verb == "give") return Give(arguments.at(1));
  if (verb == "copy") Copy();
  if (verb == "sleep") ::Sleep(static_cast<DWORD>(std::stoul(arguments.at(1))));
  if (verb == "both") {
    std::fputs("out", stdout);
    std::fputs("err", stderr);
  }
  for (std::size_t i = 1; verb == "args" && i < arguments.size(); ++i)
    std::printf("%s\n", arguments[i].c_str());
  return 0;
}

std::vector<std::string> Guest(const std::vector<std::string>& arguments) {
  std::vector<std::string> line = {OwnPath(), "--guest"};
  line.insert(line.end(), arguments.begin(), arguments.end());
  return line;
}

}  // namespace mxc::test
