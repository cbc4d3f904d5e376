#include <fmt/format.h>

#include <charconv>

#include "mxc/windows/sandbox_run.h"

namespace mxc {
namespace {

constexpr std::uint64_t kMegabyte = 1U << 20U;

std::string Escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string Folder(std::string_view host, std::string_view guest, bool read_only) {
  return fmt::format(
      "    <MappedFolder>\n      <HostFolder>{}</HostFolder>\n      <SandboxFolder>{}</SandboxFolder>\n"
      "      <ReadOnly>{}</ReadOnly>\n    </MappedFolder>\n",
      Escaped(host), Escaped(guest), read_only);
}

// `own`: the folders that we share beside those of the policy.
std::string Machine(const WindowsSandboxRun& run, const std::string& own, std::string_view command) {
  std::string text =
      "<Configuration>\n"
      "  <VGpu>Disable</VGpu>\n"
      "  <Networking>Disable</Networking>\n"
      "  <AudioInput>Disable</AudioInput>\n"
      "  <VideoInput>Disable</VideoInput>\n"
      "  <ProtectedClient>Enable</ProtectedClient>\n"
      "  <PrinterRedirection>Disable</PrinterRedirection>\n"
      "  <ClipboardRedirection>Disable</ClipboardRedirection>\n";
  if (run.memory_bytes != 0)
    text += fmt::format("  <MemoryInMB>{}</MemoryInMB>\n", run.memory_bytes / kMegabyte);
  text += "  <MappedFolders>\n" + own;
  for (const MappedFolder& folder : run.folders) text += Folder(folder.path, folder.path, folder.read_only);
  text += "  </MappedFolders>\n  <LogonCommand>\n    <Command>";
  // Whatever the command leaves running ends with the machine.
  text += Escaped(fmt::format(R"(C:\Windows\System32\cmd.exe /d /c "{} & )"
                              R"(C:\Windows\System32\shutdown.exe /s /f /t 0")",
                              command));
  return text + "</Command>\n  </LogonCommand>\n</Configuration>\n";
}

}  // namespace

std::string WsbText(const WindowsSandboxRun& run, std::string_view run_folder) {
  return Machine(run, Folder(run_folder, kGuestRunFolder, false),
                 fmt::format("{}\\run.cmd", kGuestRunFolder));
}

std::string PersistentWsbText(const WindowsSandboxRun& run, std::string_view orders,
                              std::string_view answers) {
  return Machine(
      run, Folder(orders, kGuestOrderFolder, true) + Folder(answers, kGuestRunFolder, false),
      fmt::format("{0}\\{1} {2} {0} {3}", kGuestOrderFolder, kAgentProgram, kAgentFlag, kGuestRunFolder));
}

// The command is read into a variable and expanded late, when cmd.exe no longer looks for special characters:
// what the inner cmd.exe is given is the text of the file, whatever stands in it.
std::string GuestScript(std::string_view token) {
  return fmt::format(
      "@echo off\r\n"
      "setlocal disabledelayedexpansion\r\n"
      "chcp 65001 >nul\r\n"
      "cd /d C:\\\r\n"
      "for /f \"usebackq eol== delims=\" %%e in (\"%~dp0environment\") do set \"%%e\"\r\n"
      "for /f \"usebackq eol== delims=\" %%c in (\"%~dp0command\") do set \"MXC_COMMAND=%%c\"\r\n"
      "for /f \"usebackq eol== delims=\" %%d in (\"%~dp0cwd\") do cd /d \"%%d\"\r\n"
      ">>\"%~dp0exit\" echo {0} started\r\n"
      "setlocal enabledelayedexpansion\r\n"
      "cmd.exe /d /s /c \"!MXC_COMMAND!\" <\"%~dp0stdin\" >\"%~dp0stdout\" 2>\"%~dp0stderr\"\r\n"
      "set MXC_STATUS=!errorlevel!\r\n"
      ">>\"%~dp0exit\" echo {0} ended !MXC_STATUS!\r\n",
      token);
}

bool ReadGuestStatus(std::string_view text, std::string_view token, std::uint32_t& status) {
  const std::string start = std::string(token) + " ended ";
  const std::size_t at = text.rfind(start);
  const std::size_t end = text.rfind('\n');
  const bool own_line = at != std::string_view::npos && (at == 0 || text[at - 1] == '\n');
  if (!own_line || end == std::string_view::npos || end < at) return false;
  std::string_view number = text.substr(at + start.size(), end - at - start.size());
  while (!number.empty() && (number.back() == '\r' || number.back() == ' ')) number.remove_suffix(1);
  std::int64_t value = 0;  // cmd.exe shows a status above 2^31 as a negative number
  const auto [stopped, problem] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (problem != std::errc{} || stopped != number.data() + number.size()) return false;
  status = static_cast<std::uint32_t>(value);
  return true;
}

}  // namespace mxc
