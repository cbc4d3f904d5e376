#include "engine/hide_arguments.h"

#include <sys/auxv.h>
#include <sys/prctl.h>

#include <cerrno>
#include <cstring>

namespace mxc {

// The kernel lays arguments, environment and the program's name out in this order; in a child it is its own
// copy of them.
void HideArguments(std::string_view name) {
  char* const begin = program_invocation_name;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): that is how it is handed over
  const auto* const end = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
  ::prctl(PR_SET_NAME, name.data());
  if (begin == nullptr || end <= begin + name.size()) return;
  std::memset(begin, 0, static_cast<std::size_t>(end - begin));
  std::memcpy(begin, name.data(), name.size());
}

}  // namespace mxc
