// Between the parts of the guest program.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace mxc::guest {

using Words = std::vector<std::string>;

struct Operation {
  const char* name;
  std::size_t words;  // its own name included; 0: any number
  std::string (*perform)(const Words& words);
};

[[nodiscard]] const std::vector<Operation>& KernelOperations();
[[nodiscard]] const std::vector<Operation>& HogOperations();
[[nodiscard]] const std::vector<Operation>& PassingOperations();

[[nodiscard]] std::string Errno();                 // name of the last error
[[nodiscard]] std::string Answer(long result);     // "ok", or Errno() for a negative result
[[nodiscard]] std::string ReadDescriptor(int fd);  // one read; closes it

}  // namespace mxc::guest
