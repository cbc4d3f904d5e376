#include "policy/protect/git/review_host.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace mxc {

Reach::Reach(const GitSnapshot& before)
    : open_(before.roots.begin(), before.roots.end()), closed_(before.skipped.begin(), before.skipped.end()) {
  open_.insert(before.writable.begin(), before.writable.end());
  for (const GitSnapshot::Held& held : before.held) held_.insert(held.path);
}

bool Reach::Decide(std::string_view path, bool held_is_closed) const {
  for (std::string_view above = path;; above = ParentOf(above)) {
    const std::string name{above};
    if (open_.contains(name)) return true;
    if (closed_.contains(name) || (held_is_closed && held_.contains(name)) || above == "/") return false;
  }
}

ReviewHost::ReviewHost(const Host& host, const GitSnapshot& before, DetachWriters detach,
                       ReviewBudget* budget)
    : ForwardingHost(host), detach_(std::move(detach)), budget_(budget), reach_(before), walker_(host) {}

Status ReviewHost::Detach(const Walked& walked) const {
  if (!reach_.HoldsWritable(walked.path)) return Done{};
  const auto [place, first] = detached_.emplace(walked.path, Done{});
  if (!first) return place->second;
  constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();
  const Result<bool> detached = detach_(walked.path, budget_ == nullptr ? kAll : budget_->Room());
  if (!detached) {
    place->second = detached.error();
    // It may have been too large to copy.
    const bool fits = budget_ == nullptr || budget_->Allows(walked.status->size);
    return fits ? place->second : NotRead(walked.path);
  }
  if (*detached) copied_.push_back(walked.path);
  if (budget_ == nullptr) return Done{};
  // A copy has been read completely.
  const Lookup now = Asked().LookAt(walked.path);
  if (now.status && now.status->object.inode != walked.status->object.inode) budget_->Spend(now.status->size);
  return Done{};
}

Error ReviewHost::NotRead(const std::string& path) const {
  return Conflict(Quoted(path) + " was not read: " + budget_->Gap());
}

Result<std::string> ReviewHost::ReadFile(const std::string& path, std::size_t limit) const {
  const Result<Walked> walked = walker_.Walk(path);
  if (!walked) return walked.error();
  const std::uint64_t size = walked->status ? walked->status->size : 0;
  if (budget_ != nullptr && !budget_->Allows(std::min<std::uint64_t>(size, limit))) return NotRead(path);
  if (walked->status) {
    if (Status detached = Detach(*walked); !detached) return detached.error();
  }
  Result<std::string> text = Asked().ReadFile(path, limit);
  if (text && budget_ != nullptr) budget_->Spend(text->size());
  return text;
}

}  // namespace mxc
