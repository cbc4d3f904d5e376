// `resources`: what a run may use.
#include "config/field_rows.h"

namespace mxc {
namespace {

// The kernel counts in 64 bits; a billion megabytes is far above every machine and far below an overflow.
constexpr std::uint64_t kMaxMegabytes = 1'000'000'000;
constexpr std::uint64_t kMaxProcessors = 8192;    // as many as Linux can be built for
constexpr std::uint64_t kMaxProcesses = 4194304;  // PID_MAX_LIMIT of Linux
// A dynamic program opens a handful of files before its first line runs.
constexpr std::uint64_t kMinOpenFiles = 16;
constexpr std::uint64_t kMaxOpenFiles = 1U << 30;

constexpr Field kResourcesFields[] = {
    Integer("memoryMb",
            "Megabytes (1048576 bytes) of memory of all processes together, files in /tmp and /dev/shm "
            "included. Above it the kernel ends processes.",
            {.minimum = 1, .maximum = kMaxMegabytes}),
    Number("cpus", "Processors' worth of time all processes together get; 0.5 is half of one.",
           {.maximum = kMaxProcessors}),
    Integer("processes", "Processes and threads that may exist at a time.",
            {.minimum = 1, .maximum = kMaxProcesses}),
    Integer("openFiles", "Files each process may have open.",
            {.minimum = kMinOpenFiles, .maximum = kMaxOpenFiles}),
    Integer("tmpMb", "Megabytes of files in the private /tmp, and in /dev/shm at most as many.",
            {.minimum = 1, .maximum = kMaxMegabytes}),
    Integer("fileSizeMb", "Megabytes a file may grow to by writing.",
            {.minimum = 1, .maximum = kMaxMegabytes}),
    Integer("cpuTimeMs",
            "Milliseconds of processor time of all processes together, after which the run is ended.",
            {.minimum = 1}),
};

}  // namespace

const Shape kResourcesShape{.fields = kResourcesFields};

}  // namespace mxc
