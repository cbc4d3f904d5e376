#include "backends/appcontainer/section.h"

#include <string_view>
#include <utility>

#include "mxc/windows/app_container.h"

namespace mxc::appcontainer {
namespace {

constexpr std::uint32_t kBuildWithIme = 22621;
constexpr std::uint32_t kBuildWithInjection = 26100;

Error NotKnown(std::string message, std::string_view key) {
  return Unavailable(std::move(message), "/processContainer/" + std::string(key), "remove the key");
}

Status CheckUnavailable(const Json& section) {
  if (section.At("captureDenials").kind != Json::Kind::kNull) {
    return NotKnown("a report of denied accesses takes a trace of Windows that this program cannot read",
                    "captureDenials");
  }
  if (!section.At("filesystem").At("enumeratePaths").items.empty()) {
    return NotKnown("no container of Windows is known to list a directory without reading its files",
                    "filesystem/enumeratePaths");
  }
  return Done{};
}

// A name of blanks is none.
std::string ProxyPeer(const Json& section) {
  const std::string& name = section.At("network").At("allowedProxyPeer").text;
  return name.find_first_not_of(" \t") == std::string::npos ? "" : name;
}

Isolation IsolationNamed(std::string_view name) {
  if (name == "desktop") return Isolation::kDesktop;
  if (name == "handles") return Isolation::kHandles;
  return name == "atoms" ? Isolation::kAtoms : Isolation::kContainer;
}

SystemSettings SettingsNamed(std::string_view name) {
  if (name == "parameters") return SystemSettings::kParameters;
  if (name == "display") return SystemSettings::kDisplay;
  return name == "all" ? SystemSettings::kAll : SystemSettings::kNone;
}

std::uint32_t IsolationLimits(Isolation isolation) {
  switch (isolation) {
    case Isolation::kDesktop:
      return 0;
    case Isolation::kHandles:
      return ui_limit::kHandles;
    case Isolation::kAtoms:
      return ui_limit::kGlobalAtoms;
    case Isolation::kContainer:
      break;
  }
  return ui_limit::kHandles | ui_limit::kGlobalAtoms;
}

std::uint32_t SettingsLimits(SystemSettings settings) {
  switch (settings) {
    case SystemSettings::kAll:
      return 0;
    case SystemSettings::kParameters:
      return ui_limit::kDisplaySettings;
    case SystemSettings::kDisplay:
      return ui_limit::kSystemParameters;
    case SystemSettings::kNone:
      break;
  }
  return ui_limit::kSystemParameters | ui_limit::kDisplaySettings;
}

std::uint32_t ClipboardLimits(Clipboard clipboard) {
  switch (clipboard) {
    case Clipboard::kAll:
      return 0;
    case Clipboard::kRead:
      return ui_limit::kWriteClipboard;
    case Clipboard::kWrite:
      return ui_limit::kReadClipboard;
    case Clipboard::kNone:
      break;
  }
  return ui_limit::kReadClipboard | ui_limit::kWriteClipboard;
}

std::uint32_t WantedLimits(const Ui& ui, const Section& section) {
  const std::uint32_t ime = section.ime ? 0 : ui_limit::kIme;
  if (ui.disabled) return (ui_limit::kAll & ~ui_limit::kIme) | ime;
  return ime | ClipboardLimits(ui.clipboard) | (ui.injection ? 0 : ui_limit::kInjection) |
         IsolationLimits(section.isolation) |
         (section.desktop_system_control ? 0 : ui_limit::kDesktop | ui_limit::kExitWindows) |
         SettingsLimits(section.system_settings);
}

}  // namespace

Result<Section> ReadSection(const Json& written) {
  Section section{.least_privilege = written.At("leastPrivilege").boolean,
                  .learning_mode = written.At("learningMode").boolean,
                  .proxy_peer = ProxyPeer(written)};
  for (const Json& name : written.At("capabilities").items) section.capabilities.push_back(name.text);
  if (Status status = CheckUnavailable(written); !status) return status.error();
  const Json& ui = written.At("ui");
  section.isolation = IsolationNamed(ui.At("isolation").text);
  section.desktop_system_control = ui.At("desktopSystemControl").boolean;
  section.system_settings = SettingsNamed(ui.At("systemSettings").text);
  section.ime = ui.At("ime").boolean;
  return section;
}

std::uint32_t UiLimits(const Ui& ui, const Section& section, std::uint32_t build) {
  std::uint32_t known = ui_limit::kAll;
  if (build != 0 && build < kBuildWithIme) known &= ~ui_limit::kIme;
  if (build != 0 && build < kBuildWithInjection) known &= ~ui_limit::kInjection;
  return WantedLimits(ui, section) & known;
}

}  // namespace mxc::appcontainer
