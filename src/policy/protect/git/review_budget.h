// Bounds what the review at the end of a run may read, because the command chooses the amount. Files beyond
// the budget count as unreadable, and so as not trusted. Small files are read longer: they include files that
// existed before, such as HEAD.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "mxc/host.h"
#include "mxc/limits.h"

namespace mxc {

class ReviewBudget {
 public:
  struct Bounds {
    std::uint64_t bytes = kMaxReviewBytes;
    std::uint64_t ms = kMaxReviewMs;              // from now on
    std::function<bool()> interrupted = nullptr;  // whether the user waits for the end
  };
  // Borrows `host`, for its clock.
  ReviewBudget(const Host& host, Bounds bounds);

  // The greatest length of a file that may be read or copied now.
  [[nodiscard]] std::uint64_t Room();
  // Takes that many bytes from the budget. After the first false, Gap is set.
  [[nodiscard]] bool Allows(std::uint64_t bytes);
  void Spend(std::uint64_t bytes) { spent_ += bytes; }
  // Why bytes were refused, as a phrase: "it took longer than 60000 ms"; "" if none were.
  [[nodiscard]] const std::string& Gap() const { return gap_; }

 private:
  const Host& host_;
  Bounds bounds_;
  std::uint64_t start_;
  std::uint64_t end_;  // for small files as well
  std::uint64_t spent_ = 0;
  std::string why_ = {};  // not empty: only small files are allowed
  std::string gap_ = {};
};

}  // namespace mxc
