// Reads the section `processContainer`, and turns `ui` into limits of a job.
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
  std::string proxy_peer = {};  // the container in which the proxy of this machine runs; empty: none
  std::vector<std::string> capabilities = {};
  Isolation isolation = Isolation::kContainer;
  bool desktop_system_control = false;
  SystemSettings system_settings = SystemSettings::kNone;
  bool ime = false;
};

// Decode has checked it. Errors: kUnavailable for options that no published contract of Windows describes:
// captureDenials (its trace has an unpublished format), enumeratePaths (the base container's document has no
// field).
[[nodiscard]] Result<Section> ReadSection(const Json& section);

// The rights that the job takes from the command. For an unknown build (0) all: the system refuses a limit
// that it does not know, and does not ignore it.
[[nodiscard]] std::uint32_t UiLimits(const Ui& ui, const Section& section, std::uint32_t build);

}  // namespace mxc::appcontainer
