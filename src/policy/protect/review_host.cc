#include "policy/protect/review_host.h"

#include <utility>

namespace mxc {

ReviewHost::ReviewHost(const Host& host, const GitSnapshot& before, DetachWriters detach)
    : host_(host),
      detach_(std::move(detach)),
      roots_(before.roots.begin(), before.roots.end()),
      closed_(before.skipped.begin(), before.skipped.end()),
      walker_(host) {
  for (const GitSnapshot::Held& held : before.held) closed_.insert(held.path);
}

// The nearest directory that says anything decides.
bool ReviewHost::WasWritable(std::string_view path) const {
  for (std::string_view above = path;; above = ParentOf(above)) {
    const std::string name{above};
    if (roots_.contains(name)) return true;
    if (closed_.contains(name) || above == "/") return false;
  }
}

Status ReviewHost::Detach(const std::string& path) const {
  const Result<Walked> walked = walker_.Walk(path);
  if (!walked) return walked.error();
  if (!walked->status || !WasWritable(walked->path)) return Done{};
  const auto [place, first] = detached_.emplace(walked->path, Done{});
  if (!first) return place->second;
  const Result<bool> detached = detach_(walked->path);
  if (!detached) return place->second = detached.error();
  if (*detached) copied_.push_back(walked->path);
  return Done{};
}

Result<std::string> ReviewHost::ReadFile(const std::string& path, std::size_t limit) const {
  if (Status detached = Detach(path); !detached) return detached.error();
  return host_.ReadFile(path, limit);
}

}  // namespace mxc
