// The program in a pod, at the other end of an exec: kubernetes/pod_stream.h.
#pragma once

#include <string_view>

namespace mxc::kubernetes {

// Reads the launcher's word from standard input, runs what it asks for with `run_main`, and ends the streams
// with their marks. 0 whatever became of the command: its outcome stands behind the mark. The standard
// streams are open.
[[nodiscard]] int RunAsPodsProgram(char* name, int (*run_main)(int argc, char** argv));

// Ends the programs of the pod that were started under a name that begins with `name`, and waits until they
// have. The exit status: 1: one is left.
[[nodiscard]] int EndPodsPrograms(std::string_view name);

}  // namespace mxc::kubernetes
