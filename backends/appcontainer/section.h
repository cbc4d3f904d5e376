// What the section `processContainer` says, and how `ui` becomes limits of a job.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mxc/error.h"
#include "mxc/policy.h"

namespace mxc::appcontainer {

enum class Isolation { kDesktop, kHandles, kAtoms, kContainer };
enum class SystemSettings { kNone, kParameters, kDisplay, kAll };

struct Section {
  bool least_privilege = false;
  bool learning_mode = false;
  std::vector<std::string> capabilities = {};
  Isolation isolation = Isolation::kContainer;
  bool desktop_system_control = false;
  SystemSettings system_settings = SystemSettings::kNone;
  bool ime = false;
};

// Decode has checked it. Errors: kUnavailable for what needs the base container of Windows (captureDenials,
// enumeratePaths, allowedProxyPeer).
[[nodiscard]] Result<Section> ReadSection(const Json& section);

// What is taken from the command. An unknown build (0) takes everything: a limit it does not know is refused
// by the system, not ignored.
[[nodiscard]] std::uint32_t UiLimits(const Ui& ui, const Section& section, std::uint32_t build);

}  // namespace mxc::appcontainer
