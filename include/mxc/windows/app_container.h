// A Windows AppContainer as data: the token, the job and the access control entries of one run.
// backends/appcontainer makes it, src/windows runs it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mxc/policy.h"
#include "mxc/secret.h"

namespace mxc {

// What a container may not do with windows and the session: JOB_OBJECT_UILIMIT_* of winnt.h, by value, so
// that every system can make plans. The last two are newer than mingw's headers.
namespace ui_limit {
inline constexpr std::uint32_t kHandles = 0x1;
inline constexpr std::uint32_t kReadClipboard = 0x2;
inline constexpr std::uint32_t kWriteClipboard = 0x4;
inline constexpr std::uint32_t kSystemParameters = 0x8;
inline constexpr std::uint32_t kDisplaySettings = 0x10;
inline constexpr std::uint32_t kGlobalAtoms = 0x20;
inline constexpr std::uint32_t kDesktop = 0x40;
inline constexpr std::uint32_t kExitWindows = 0x80;
inline constexpr std::uint32_t kIme = 0x100;        // since build 22621
inline constexpr std::uint32_t kInjection = 0x200;  // since build 26100
inline constexpr std::uint32_t kAll = 0x3FF;
}  // namespace ui_limit

// Access masks of files, as Windows combines them.
namespace file_access {
inline constexpr std::uint32_t kRead = 0x1200A9;       // FILE_GENERIC_READ | FILE_GENERIC_EXECUTE
inline constexpr std::uint32_t kReadWrite = 0x1301BF;  // ... | FILE_GENERIC_WRITE | DELETE
// The rights that change an object: its data, attributes, name and entries.
inline constexpr std::uint32_t kChange = 0x10156;
inline constexpr std::uint32_t kEverything = 0x1F01FF;  // FILE_ALL_ACCESS
}  // namespace file_access

enum class AceType { kAllow, kDeny };

// An entry for the container's identity (its package SID) in the list of one object. Entries are added in
// order and removed in reverse; the rest of the list stays the same.
struct AclChange {
  std::string path = {};
  AceType type = AceType::kAllow;
  std::uint32_t mask = 0;
  bool inherited = true;  // by the entries of a directory
  std::string pointer = {};
};

// A grant by bfscfg.exe: the brokering file system lets the container open the path, and no list changes.
struct BfsGrant {
  std::string path = {};
  bool read_write = false;
  std::string pointer = {};
};

// The limits of a job, for all of its processes together. 0: no limit.
struct JobLimits {
  std::uint64_t memory_bytes = 0;  // committed
  std::uint64_t processes = 0;     // active at a time
  std::uint64_t cpu_permille = 0;  // thousandths of one processor
  std::uint64_t cpu_time_ms = 0;   // user and kernel time; the launcher ends the job when it is used up
};

// The two interfaces of processmodel.dll that create a base container.
enum class BaseContract {
  kSecurityEnvironment,  // an object that CreateProcess takes
  kCreateInSandbox,      // the older one: a CreateProcess of its own, Experimental_CreateProcessInSandbox
};

// The base container of Windows: it grants files and destinations itself, without changing a file's list.
struct BaseContainer {
  BaseContract contract = BaseContract::kSecurityEnvironment;
  std::vector<std::string> read_write = {};
  std::vector<std::string> read_only = {};
  std::vector<std::string> denied = {};
  RuleAction egress = RuleAction::kDeny;  // for destinations no rule names
  std::vector<NetworkRule> allow = {};
  std::vector<NetworkRule> deny = {};
  std::string proxy = {};  // URL of the only destination; `egress` and the rules do not count then
  std::string peer = {};   // the container on this machine that may be reached; empty: none
};

struct AppContainerSandbox {
  // Name of the profile, or of a base container of the older contract. Empty: the launcher invents a unique
  // one, and deletes the profile at the end. Two runs under one name share their grants.
  std::string name = {};
  std::vector<std::string> capabilities = {};  // by name: "internetClient"
  bool least_privilege = false;                // without what every AppContainer may read
  bool no_win32k = true;                       // no system calls of the window manager
  std::uint32_t ui_limits = ui_limit::kAll;
  JobLimits limits = {};
  std::vector<AclChange> acl = {};
  std::vector<BfsGrant> bfs = {};          // if not empty, `acl` has only denials
  bool bfs_kept = false;                   // the grants stay after the run, with the name
  bool loopback_exempt = false;            // may reach the host's whole loopback during the run
  std::optional<BaseContainer> base = {};  // if set, `acl`, `bfs` and `loopback_exempt` are not
  std::string command_line = {};           // for CreateProcess
  std::vector<Variable> environment = {};
  std::string cwd = {};
};

[[nodiscard]] std::string_view Name(AceType type);
// "handles read-clipboard ..."; "none"
[[nodiscard]] std::string UiLimitNames(std::uint32_t limits);

}  // namespace mxc
