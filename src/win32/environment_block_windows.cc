#include "win32/environment_block_windows.h"

#include <windows.h>

#include <algorithm>

#include "mxc/windows/path.h"
#include "win32/wide_windows.h"

namespace mxc {

std::wstring EnvironmentBlock(const std::vector<Variable>& environment) {
  std::vector<const Variable*> sorted;
  for (const Variable& variable : environment) {
    std::erase_if(sorted,
                  [&](const Variable* known) { return IsSameWindowsName(known->name, variable.name); });
    if (!variable.name.empty()) sorted.push_back(&variable);
  }
  std::sort(sorted.begin(), sorted.end(), [](const Variable* left, const Variable* right) {
    return ::CompareStringOrdinal(Wide(left->name).c_str(), -1, Wide(right->name).c_str(), -1, TRUE) ==
           CSTR_LESS_THAN;
  });
  std::wstring block;
  for (const Variable* variable : sorted) {
    block += Wide(variable->name) + L"=" + Wide(variable->value.Reveal());
    block += L'\0';
  }
  if (block.empty()) block += L'\0';
  return block + L'\0';
}

}  // namespace mxc
