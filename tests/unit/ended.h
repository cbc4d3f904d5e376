// Whether a process is no more, or does nothing any more.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <string>

#include "tests/support/run_in_child.h"

namespace mxc::test {

// Nothing runs under that number any more; init may not have collected it yet.
inline bool HasEnded(long process) {
  const std::string stat = ReadText("/proc/" + std::to_string(process) + "/stat");
  // X: reaped, and not yet out of /proc.
  return stat.empty() || stat.find(") Z ") != std::string::npos || stat.find(") X ") != std::string::npos;
}

// Ten beats have passed, and none was heard.
inline bool Still(const std::string& beat) {
  const std::size_t size = ReadText(beat).size();
  ::usleep(200000);
  return ReadText(beat).size() == size;
}

}  // namespace mxc::test
