// What the section `processContainer` says, and how `ui` becomes limits of a job.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mxc/error.h"
#include "mxc/policy.h"

namespace mxc::appcontainer {

enum class Isolation { kDesktop, kHandles, kAtoms, kContainer };
enum class SystemSettings { kNone, kParameters, kDisplay, kAll };

// The reference's own name for the container that stands for the host's loopback. Decode reserves it.
inline constexpr std::string_view kHostLoopbackPeer = "MXC-Loopback";

struct Section {
  bool least_privilege = false;
  bool learning_mode = false;
  std::string proxy_peer = {};  // the container in which the proxy of this machine runs; empty: in none
  std::vector<std::string> capabilities = {};
  Isolation isolation = Isolation::kContainer;
  bool desktop_system_control = false;
  SystemSettings system_settings = SystemSettings::kNone;
  bool ime = false;
};

// Decode has checked it. Errors: kUnavailable for what no published contract of Windows says enough about:
// captureDenials (its trace is written in a form of Windows's own), enumeratePaths (no place in the base
// container's document).
[[nodiscard]] Result<Section> ReadSection(const Json& section);

// What is taken from the command. An unknown build (0) takes everything: a limit it does not know is refused
// by the system, not ignored.
[[nodiscard]] std::uint32_t UiLimits(const Ui& ui, const Section& section, std::uint32_t build);

}  // namespace mxc::appcontainer
