#include <chrono>
#include <fstream>
#include <string_view>

#include "run/loopback_watch.h"

namespace mxc {
namespace {

// How long what was read of the host counts.
constexpr auto kFresh = std::chrono::seconds(1);

// As the kernel prints it: 32 bits at a time, in the order of this processor.
bool IsReachedAtLoopback(std::string_view address) {
  constexpr std::string_view kMapped = "0000000000000000FFFF0000";
  constexpr std::string_view kLoopback6 = "00000000000000000000000001000000";
  if (address.find_first_not_of('0') == std::string_view::npos || address == kLoopback6) return true;
  if (address.starts_with(kMapped)) address.remove_prefix(kMapped.size());
  constexpr std::size_t kIpv4 = 8;
  return address.size() == kIpv4 && address.ends_with("7F");
}

// "0: 0100007F:1538 00000000:0000 0A ...". Listening sockets come first.
void AddListeners(const std::string& path, std::set<std::uint16_t>& ports) {
  constexpr int kHexadecimal = 16;
  std::ifstream table(path);
  std::string line;
  std::getline(table, line);  // the heading
  std::string number;
  std::string local;
  std::string remote;
  std::string state;
  while (table >> number >> local >> remote >> state && state == "0A") {
    const std::size_t colon = local.find(':');
    if (colon != std::string::npos && IsReachedAtLoopback(std::string_view(local).substr(0, colon)))
      ports.insert(static_cast<std::uint16_t>(std::stoul(local.substr(colon + 1), nullptr, kHexadecimal)));
    std::getline(table, line);
  }
}

}  // namespace

std::set<std::uint16_t> LoopbackListeners(const std::string& directory) {
  std::set<std::uint16_t> ports;
  AddListeners(directory + "/tcp", ports);
  AddListeners(directory + "/tcp6", ports);
  return ports;
}

bool LoopbackWatch::HostListensAt(std::uint16_t port, Time now) {
  if (!read_ || now - *read_ > kFresh) {
    listeners_ = LoopbackListeners(host_);
    read_ = now;
  }
  return listeners_.contains(port);
}

void LoopbackWatch::Connects(const std::string& inside, std::uint16_t port) {
  const Time now = std::chrono::steady_clock::now();
  if (!HostListensAt(port, now)) return;
  const auto known = inside_.find(port);
  if (known == inside_.end() ? inside_.size() >= kMaxPorts : now - known->second.looked < kPause) return;
  const bool listens = LoopbackListeners(inside).contains(port);
  inside_[port] = {.looked = std::chrono::steady_clock::now(), .listens = listens};
}

std::vector<std::uint16_t> LoopbackWatch::Missed() const {
  std::vector<std::uint16_t> ports;
  for (const auto& [port, inside] : inside_) {
    if (!inside.listens) ports.push_back(port);
  }
  return ports;
}

}  // namespace mxc
