// How much the comparison at the end of a run may read: a command chooses what there is to be read. What is
// left when that is used up counts as what cannot be read, so nothing of it is trusted. Small files are read
// a while longer: what was there before is among them, HEAD for instance.
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
    std::function<bool()> interrupted = nullptr;  // somebody waits for the end
  };
  // Borrows `host`, for its clock.
  ReviewBudget(const Host& host, Bounds bounds);

  // How long a file may be that is read or copied now.
  [[nodiscard]] std::uint64_t Room();
  // There is room for that many bytes. False once: there is a gap.
  [[nodiscard]] bool Allows(std::uint64_t bytes);
  void Spend(std::uint64_t bytes) { spent_ += bytes; }
  // Why something was not allowed, one phrase: "it took longer than 60000 ms"; "" when nothing was.
  [[nodiscard]] const std::string& Gap() const { return gap_; }

 private:
  const Host& host_;
  Bounds bounds_;
  std::uint64_t start_;
  std::uint64_t end_;  // of small files, too
  std::uint64_t spent_ = 0;
  std::string why_ = {};  // there is room for small files alone
  std::string gap_ = {};
};

}  // namespace mxc
