// This program as process 1 of a container, started by lxc-start:
//
//   if (argc == 3 && argv[1] == kContainerInit) RunContainerInit(argv[2]);   // first thing in main
#pragma once

#include <string>
#include <string_view>

namespace mxc {

// Not an option of the command line: what follows is the number of a descriptor with a ContainerOrder.
inline constexpr std::string_view kContainerInit = "--container-init";

[[noreturn]] void RunContainerInit(const char* descriptor);

// The abstract name at which LXC listens for the container `name` of the directory `place`.
[[nodiscard]] std::string LxcCommandSocket(const std::string& place, const std::string& name);

}  // namespace mxc
