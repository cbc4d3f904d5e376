// What a run may use, and where this machine can count it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mxc {

// Counted for all processes of a run together where no line says otherwise.
enum class Resource {
  kMemory,     // bytes; what stands in a tmpfs of the sandbox counts
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

// What systemd is asked for where it keeps the control groups: a scope, which is a unit for processes that it
// has not started, with the groups below it left to the caller.
struct ScopeRequest {
  std::string busctl = {};   // absolute
  std::string sha256 = {};   // what its file must hash to; empty: whatever it is
  std::string address = {};  // of the bus that its manager is on: "unix:path=/run/user/1000/bus"
  std::string slice = {};    // the unit below which it is made: "app.slice"
};

// A directory of a control group file system below which the caller may make groups.
struct CgroupPlace {
  std::string directory = {};
  bool unified = false;  // version 2
  // That count or limit in a group made here: "memory", "cpu", "pids", "cpuacct". Version 2 accounts for
  // processor time in every group, so there "cpuacct" always stands here.
  std::vector<std::string> controllers = {};
  // Those of them that must be switched on in `directory` first; only in the root of version 2,
  // and in a scope.
  std::vector<std::string> switched_off = {};
  // Groups are made in a scope below `directory`, and its controllers are switched on in there.
  std::optional<ScopeRequest> scope = {};
};

// Why no place has a controller, and what the user can do about it.
struct CgroupGap {
  std::string controller = {};
  std::string reason = {};
  std::string remedy = {};
};

// Where this machine lets the caller put a run. Every controller is in a place or in a gap.
struct CgroupSupport {
  std::vector<CgroupPlace> places = {};  // of version 2 from the nearest group upwards
  std::vector<CgroupGap> gaps = {};
};

[[nodiscard]] std::string_view Name(Resource resource);  // "memory", "cpuTime": as reports say it
// "512 MiB", "1.5 processors", "64 processes and threads".
[[nodiscard]] std::string AmountText(const ResourceLimit& limit);

}  // namespace mxc
