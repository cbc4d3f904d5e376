// Room for the descriptors of a plan: thousands of bind mounts need thousands.
//
//   Result<DescriptorLimit> limit = DescriptorLimit::Reserve(exec.files.size(), exec.limits.open_files);
//   OpenFiles(exec.files, limit->Lowest());
//
// If they do not fit under the child's limit (the caller's soft one, or a lower one of the policy's), this
// object raises our soft limit to the hard one while it lives, and the files get numbers above the child's
// limit, which would otherwise all be taken.
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
