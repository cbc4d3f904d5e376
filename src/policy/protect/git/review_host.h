// The machine as the comparison at the end of a run reads it: a file that the command could write is read
// when nobody can write it any more by what was opened during the run.
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

// What the command could reach for writing. The nearest entry above a path decides.
class Reach {
 public:
  explicit Reach(const GitSnapshot& before);

  // In a read-write grant, and not in what another entry of the policy's keeps from the command.
  [[nodiscard]] bool Holds(std::string_view path) const { return Decide(path, false); }
  // Nor in what `protect` held.
  [[nodiscard]] bool HoldsWritable(std::string_view path) const { return Decide(path, true); }

 private:
  [[nodiscard]] bool Decide(std::string_view path, bool held_is_closed) const;

  std::unordered_set<std::string> open_ = {};
  std::unordered_set<std::string> closed_ = {};
  std::unordered_set<std::string> held_ = {};
};

class ReviewHost final : public ForwardingHost {
 public:
  // cleanup/detach_writers.h; `room`: it copies nothing longer.
  using DetachWriters = std::function<Result<bool>(const std::string& path, std::uint64_t room)>;

  // Borrows `host`, `before` and `budget`, which may be nullptr: then there is no bound.
  ReviewHost(const Host& host, const GitSnapshot& before, DetachWriters detach,
             ReviewBudget* budget = nullptr);

  // Errors: also those of DetachWriters, and whatever it is, when the budget is used up.
  [[nodiscard]] Result<std::string> ReadFile(const std::string& path, std::size_t limit) const override;
  // Those that were open for writing, and are copies now.
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
