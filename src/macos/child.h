// The second mxc-exec of a run on macOS: it has one thread and nothing of ours but one file with its orders;
// it takes its terminal, its limits and its sandbox, and becomes the command.
#pragma once

namespace mxc {

// Its first argument; the descriptors are kOrdersFd and kErrorFd.
inline constexpr const char* kSeatbeltChildFlag = "--seatbelt-child";
inline constexpr int kOrdersFd = 3;
inline constexpr int kErrorFd = 4;  // says what went wrong, and closes when the child has become the command

// Does not return when all goes well. The status to exit with otherwise.
[[nodiscard]] int RunSeatbeltChild();

}  // namespace mxc
