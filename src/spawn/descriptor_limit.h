// Room for the files of a plan: thousands of bind mounts are thousands of descriptors.
//
//   Result<DescriptorLimit> limit = DescriptorLimit::Reserve(exec.files.size(), exec.limits.open_files);
//   OpenFiles(exec.files, limit->Lowest());
//
// When they do not fit under the child's limit (the caller's soft one, or a lower one of the policy's), our
// own is raised to the hard one for the lifetime of this object and the files are placed above the child's:
// it would find every number below it taken otherwise.
#pragma once

#include <sys/resource.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "mxc/error.h"

namespace mxc {

class DescriptorLimit {
 public:
  [[nodiscard]] static Result<DescriptorLimit> Reserve(std::size_t files,
                                                       std::optional<std::uint64_t> child_limit = {});

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
