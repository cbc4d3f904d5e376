// The host for the review at the end of a run: reads a file that the command could write only after detaching
// descriptors that are still open for writing.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "mxc/git_snapshot.h"
#include "mxc/host.h"
#include "policy/paths/paths.h"
#include "policy/protect/git/review_budget.h"

namespace mxc {

// The paths to which the command could write. The nearest entry at or above a path decides.
class Reach {
 public:
  explicit Reach(const GitSnapshot& before);

  // Whether it is in a read-write grant, and no stricter entry of the policy applies.
  [[nodiscard]] bool Holds(std::string_view path) const { return Decide(path, false); }
  // The same, and not in a path that `protect` held.
  [[nodiscard]] bool HoldsWritable(std::string_view path) const { return Decide(path, true); }

 private:
  [[nodiscard]] bool Decide(std::string_view path, bool held_is_closed) const;

  std::unordered_set<std::string> open_ = {};
  std::unordered_set<std::string> closed_ = {};
  std::unordered_set<std::string> held_ = {};
};

class ReviewHost final : public ForwardingHost {
 public:
  // cleanup/detach_writers.h; `room`: the greatest length of a file that it copies.
  using DetachWriters = std::function<Result<bool>(const std::string& path, std::uint64_t room)>;

  // Borrows `host`, `before` and `budget`, which may be nullptr: no bound.
  ReviewHost(const Host& host, const GitSnapshot& before, DetachWriters detach,
             ReviewBudget* budget = nullptr);

  // Errors: also those of DetachWriters, and for any file once the budget is used up.
  [[nodiscard]] Result<std::string> ReadFile(const std::string& path, std::size_t limit) const override;
  // Files that were open for writing, and were replaced by copies.
  [[nodiscard]] const std::vector<std::string>& Copied() const { return copied_; }

 private:
  [[nodiscard]] Status Detach(const Walked& walked) const;
  [[nodiscard]] Error NotRead(const std::string& path) const;

  DetachWriters detach_;
  ReviewBudget* budget_;
  Reach reach_;
  mutable PathWalker walker_;
  mutable std::unordered_map<std::string, Status> detached_ = {};
  mutable std::vector<std::string> copied_ = {};
};

}  // namespace mxc
