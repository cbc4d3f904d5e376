#include "tests/windows/program_windows.h"

#include <windows.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>
#include <utility>

#include "base/own_files.h"
#include "mxc/command_line.h"
#include "win32/unique_handle_windows.h"
#include "win32/wide_windows.h"

namespace mxc::test {
namespace {

std::string& Stored() {
  static std::string path;
  return path;
}

struct Pipe {
  UniqueHandle read = {};
  UniqueHandle write = {};
};

[[noreturn]] void Give(const char* what) {
  throw std::runtime_error(std::string(what) + ": error " + std::to_string(::GetLastError()));
}

// About once in some thousand starts, Wine's loader ends before the new process has told its server of
// itself; CreateProcess then fails with ERROR_INTERNAL_ERROR, and nothing has run.
PROCESS_INFORMATION Start(const std::vector<std::string>& argv, bool inherit, STARTUPINFOW& startup) {
  std::wstring line = Wide(JoinArguments(argv, QuoteFor::kProgram));
  PROCESS_INFORMATION made{};
  for (int left = 3; ::CreateProcessW(nullptr, line.data(), nullptr, nullptr, inherit ? TRUE : FALSE, 0,
                                      nullptr, nullptr, &startup, &made) == 0;
       --left) {
    if (left == 0 || ::GetLastError() != ERROR_INTERNAL_ERROR) Give("CreateProcess");
    std::fprintf(stderr, "CreateProcess failed with ERROR_INTERNAL_ERROR and is called again\n");
  }
  return made;
}

Pipe MakePipe(bool child_reads) {
  SECURITY_ATTRIBUTES attributes{};
  attributes.nLength = sizeof attributes;
  attributes.bInheritHandle = TRUE;
  HANDLE read = nullptr;
  HANDLE write = nullptr;
  if (::CreatePipe(&read, &write, &attributes, 0) == 0) Give("CreatePipe");
  ::SetHandleInformation(child_reads ? write : read, HANDLE_FLAG_INHERIT, 0);
  return {UniqueHandle{read}, UniqueHandle{write}};
}

std::string ReadAll(HANDLE pipe) {
  std::string text;
  std::array<char, 4096> buffer{};
  DWORD size = 0;
  while (::ReadFile(pipe, buffer.data(), static_cast<DWORD>(buffer.size()), &size, nullptr) != 0 && size > 0)
    text.append(buffer.data(), size);
  return text;
}

}  // namespace

const std::string& ProgramPath() { return Stored(); }

void SetProgramPath(std::string path) { Stored() = std::move(path); }

std::string Escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\' || c == '"') result += '\\';
    result += c;
  }
  return result;
}

Said RunProgram(const std::vector<std::string>& arguments, const std::string& input) {
  std::vector<std::string> argv{ProgramPath()};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  Pipe in = MakePipe(true);
  Pipe out = MakePipe(false);
  Pipe err = MakePipe(false);
  STARTUPINFOW startup{};
  startup.cb = sizeof startup;
  startup.dwFlags = STARTF_USESTDHANDLES;
  startup.hStdInput = in.read.Get();
  startup.hStdOutput = out.write.Get();
  startup.hStdError = err.write.Get();
  const PROCESS_INFORMATION made = Start(argv, true, startup);
  const UniqueHandle process{made.hProcess};
  const UniqueHandle thread{made.hThread};
  in.read.Reset();
  out.write.Reset();
  err.write.Reset();
  Said said;
  std::thread errors([&] { said.err = ReadAll(err.read.Get()); });
  std::thread output([&] { said.out = ReadAll(out.read.Get()); });
  DWORD written = 0;
  ::WriteFile(in.write.Get(), input.data(), static_cast<DWORD>(input.size()), &written, nullptr);
  in.write.Reset();
  ::WaitForSingleObject(process.Get(), INFINITE);
  errors.join();
  output.join();
  ::GetExitCodeProcess(process.Get(), &said.status);
  return said;
}

bool KillProgramOnce(const std::vector<std::string>& arguments, const std::string& file) {
  std::vector<std::string> argv{ProgramPath()};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return KillOnce(argv, file);
}

bool KillOnce(const std::vector<std::string>& argv, const std::string& file) {
  STARTUPINFOW startup{};
  startup.cb = sizeof startup;
  const PROCESS_INFORMATION made = Start(argv, false, startup);
  const UniqueHandle process{made.hProcess};
  const UniqueHandle thread{made.hThread};
  bool there = false;
  for (int i = 0; i < 400 && !there; ++i) {
    there = std::filesystem::exists(Wide(file));
    ::Sleep(50);
  }
  ::TerminateProcess(process.Get(), 1);
  ::WaitForSingleObject(process.Get(), INFINITE);
  return there;
}

Scratch::Scratch() {
  std::array<wchar_t, MAX_PATH> directory{};
  ::GetTempPathW(MAX_PATH, directory.data());
  path_ = Narrow(directory.data()) + "mxc-test-" + RandomName();
  std::filesystem::create_directories(Wide(path_));
}

Scratch::~Scratch() {
  std::error_code ignored;
  std::filesystem::remove_all(Wide(path_), ignored);
}

std::string Scratch::Write(const std::string& name, const std::string& text) const {
  std::ofstream{std::filesystem::path{Wide(Path(name))}, std::ios::binary} << text;
  return Path(name);
}

std::string Scratch::Read(const std::string& name) const {
  std::ifstream file{std::filesystem::path{Wide(Path(name))}, std::ios::binary};
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace mxc::test
