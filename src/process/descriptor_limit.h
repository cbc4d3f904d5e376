// Room for the files of a plan: thousands of bind mounts are thousands of descriptors.
//
//   Result<DescriptorLimit> limit = DescriptorLimit::Reserve(exec.files.size());
//   OpenFiles(exec.files, limit->Lowest());
//
// When they do not fit under the caller's soft limit, that limit is raised to the hard one for the lifetime
// of this object and the files are placed above it: the child gets the caller's limit back, and would find
// every number below it taken otherwise.
#pragma once

#include <sys/resource.h>

#include <cstddef>

#include "mxc/error.h"

namespace mxc {

class DescriptorLimit {
 public:
  [[nodiscard]] static Result<DescriptorLimit> Reserve(std::size_t files);

  DescriptorLimit(DescriptorLimit&& other) noexcept;
  DescriptorLimit(const DescriptorLimit&) = delete;
  DescriptorLimit& operator=(const DescriptorLimit&) = delete;
  DescriptorLimit& operator=(DescriptorLimit&&) = delete;
  ~DescriptorLimit();

  [[nodiscard]] int Lowest() const { return lowest_; }                // smallest number a file may get
  [[nodiscard]] const rlimit& Original() const { return original_; }  // for the child

 private:
  DescriptorLimit() = default;
  rlimit original_{};
  int lowest_ = 3;
  bool raised_ = false;
};

}  // namespace mxc
