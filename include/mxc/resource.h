// Resource limits, and the control groups in which this machine can count them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mxc {

// Counted for all processes of a run together, unless a comment says otherwise.
enum class Resource {
  kMemory,     // bytes; files in a tmpfs of the sandbox count
  kCpus,       // thousandths of a processor
  kProcesses,  // processes and threads of the command
  kOpenFiles,  // descriptors, of each process
  kTmp,        // bytes of files in the private /tmp
  kFileSize,   // bytes, of each file that is written
  kCpuTime,    // milliseconds
};

struct ResourceLimit {
  Resource resource = Resource::kMemory;
  std::uint64_t amount = 0;
  std::string pointer = {};  // clause it comes from
};

// A request to systemd, where it manages the control groups: a scope, which is a unit for processes that
// systemd did not start. The caller manages the groups below it.
struct ScopeRequest {
  std::string busctl = {};   // absolute
  std::string sha256 = {};   // required hash of its file; empty: any
  std::string address = {};  // bus of the systemd manager: "unix:path=/run/user/1000/bus"
  std::string slice = {};    // parent unit: "app.slice"
};

// A directory of a control group file system in which the caller may create groups.
struct CgroupPlace {
  std::string directory = {};
  bool unified = false;  // version 2
  // Controllers of a group created here: "memory", "cpu", "pids", "cpuacct". Version 2 accounts for processor
  // time in every group, so there "cpuacct" is always included.
  std::vector<std::string> controllers = {};
  // Those that must be enabled in `directory` first; only in the root of version 2, and in a scope.
  std::vector<std::string> switched_off = {};
  // If set: groups are created in a scope below `directory`, which gets the controllers.
  std::optional<ScopeRequest> scope = {};
};

// Why no place has a controller, and the remedy.
struct CgroupGap {
  std::string controller = {};
  std::string reason = {};
  std::string remedy = {};
};

// The places in which the caller may create groups. Every controller is in a place or in a gap.
struct CgroupSupport {
  std::vector<CgroupPlace> places = {};  // of version 2 from the nearest group upwards
  std::vector<CgroupGap> gaps = {};
};

[[nodiscard]] std::string_view Name(Resource resource);  // "memory", "cpuTime", as in reports
// "512 MiB", "1.5 processors", "64 processes and threads".
[[nodiscard]] std::string AmountText(const ResourceLimit& limit);

}  // namespace mxc
