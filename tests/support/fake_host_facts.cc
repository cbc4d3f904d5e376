// What a test says of a FakeHost's mounts, caller, environment and tools.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "tests/support/fake_host.h"

namespace mxc {

const FakeHost::MountLine& FakeHost::MountOf(const std::string& path) const {
  const MountLine* nearest = &mounted_.front();
  for (const MountLine& line : mounted_) {
    const bool covers = line.path == "/" || path == line.path || path.starts_with(line.path + "/");
    if (covers && line.path.size() >= nearest->path.size()) nearest = &line;
  }
  return *nearest;
}

void FakeHost::Tell(const std::string& path, const std::string& device, const std::string& root,
                    const std::string& rest) {
  const std::uint64_t id = 100 + ++mounts_;
  mount_table_ += std::to_string(id) + " " + std::to_string(MountOf(path).id) + " " + device + " " + root +
                  " " + path + " rw,relatime - " + rest + "\n";
  mounted_.push_back({.path = path, .id = id, .device = device, .root = root});
}

FakeHost& FakeHost::AddMount(const std::string& path, const std::string& type, bool disk) {
  constexpr std::uint64_t kDisk = 8U << 8U;
  const std::uint64_t number = 101 + mounts_;
  AddDirectory(path);
  nodes_[KeyOf(path)].status.object.device = disk ? kDisk | number : number;
  Tell(path, (disk ? "8:" : "0:") + std::to_string(number), "/", type + " none rw");
  return *this;
}

FakeHost& FakeHost::AddMount(const std::string& path, const std::string& type, const std::string& source,
                             const std::string& options) {
  const std::uint64_t number = 101 + mounts_;
  AddDirectory(path);
  nodes_[KeyOf(path)].status.object.device = number;
  Tell(path, "0:" + std::to_string(number), "/", type + " " + source + " " + options);
  return *this;
}

FakeHost& FakeHost::SetSystem(OperatingSystem system) {
  system_ = system;
  return *this;
}

FakeHost& FakeHost::SetCaller(std::uint32_t uid, std::uint32_t gid) {
  caller_ = {.uid = uid, .gid = gid};
  return *this;
}

FakeHost& FakeHost::SetCalledAs(std::string path) {
  called_as_ = std::move(path);
  return *this;
}

FakeHost& FakeHost::SetWorkingDirectory(std::string path) {
  working_directory_ = std::move(path);
  return *this;
}

FakeHost& FakeHost::AddLiveSocket(const std::string& path) {
  live_sockets_.push_back(path);
  return AddNode(path, FileType::kSocket);
}

// As the kernel lists them.
std::vector<std::string> FakeHost::LiveSockets(const SocketPlaces& places) const {
  socket_places_ = places;
  return live_sockets_;
}

FakeHost& FakeHost::SetUnmapsOwners(bool able) {
  unmaps_owners_ = able;
  return *this;
}

FakeHost& FakeHost::SetLandlockAbi(int abi) {
  landlock_abi_ = abi;
  return *this;
}

FakeHost& FakeHost::SetInteractive(bool interactive) {
  interactive_ = interactive;
  return *this;
}

FakeHost& FakeHost::SetClockStep(std::uint64_t milliseconds) {
  step_ = milliseconds;
  return *this;
}

FakeHost& FakeHost::SetEnvironment(const std::string& name, std::string value) {
  environment_[name] = std::move(value);
  return *this;
}

FakeHost& FakeHost::AddTool(const std::string& name, std::string path) {
  tools_[name] = std::move(path);
  return *this;
}

FakeHost& FakeHost::Answer(const std::vector<std::string>& argv, ToolRun run) {
  run.started = true;
  answers_[argv] = std::move(run);
  return *this;
}

}  // namespace mxc
