// Facts of a Windows host. Every field is false, 0 or empty on another system.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mxc {

// A distribution of WSL, from the caller's registry.
struct WslDistribution {
  std::string name = {};
  std::uint32_t version = 0;  // 2: a virtual machine with its own kernel; 1: system calls are translated
  bool is_default = false;
};

struct WindowsFacts {
  std::uint32_t build = 0;                   // RtlGetVersion: 22631, 26100, ...; 0: unknown
  bool wine = false;                         // not Windows: nothing here is isolated
  bool app_container = false;                // userenv.dll has CreateAppContainerProfile
  bool capability_names = false;             // ... and kernelbase.dll DeriveCapabilitySidsFromName
  bool create_in_sandbox = false;            // Experimental_CreateProcessInSandbox of processmodel.dll is on
  bool create_in_sandbox_denies = false;     // and says that it can deny paths
  bool security_environment = false;         // CreateProcessSecurityEnvironment of processmodel.dll made one
  bool security_environment_denies = false;  // and says that it can deny paths
  bool isolation_session = false;            // the runtime class of isolation sessions can be activated
  bool administrator = false;                // the caller has an administrator's rights
  std::string bfscfg = {};                   // path of bfscfg.exe; empty: this Windows has none
  bool windows_sandbox = false;              // WindowsSandbox.exe is installed
  bool hypervisor = false;                   // WinHvPlatform.dll reports one
  std::string wsl = {};                      // path of wsl.exe; empty: WSL is not installed
  std::vector<WslDistribution> wsl_distributions = {};
  std::string system_drive = {};       // "C:"
  std::string windows_directory = {};  // "C:\Windows"; from the system, never from the environment
  std::string profile_directory = {};  // of the caller: "C:\Users\me"
};

}  // namespace mxc
