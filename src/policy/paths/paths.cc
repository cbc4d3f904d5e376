#include "policy/paths/paths.h"

#include <algorithm>
#include <array>
#include <utility>

#include "mxc/limits.h"

namespace mxc {
namespace {

// The kernel's own bound (MAXSYMLINKS).
constexpr std::size_t kMaxLinks = 40;

constexpr std::array<std::string_view, 3> kNeverFromHost = {"/proc", "/sys", "/dev"};

// The components of `path`, last first: a stack to pop from.
std::vector<std::string_view> ComponentsReversed(std::string_view path) {
  std::vector<std::string_view> result;
  while (!path.empty()) {
    const std::size_t slash = path.rfind('/');
    const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
    if (!name.empty()) result.push_back(name);
    path = slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash);
  }
  return result;
}

}  // namespace

std::string FoldLexically(std::string_view path) {
  std::string result = "/";
  std::vector<std::string_view> pending = ComponentsReversed(path);
  for (; !pending.empty(); pending.pop_back()) {
    const std::string_view name = pending.back();
    if (name == ".") continue;
    if (name == "..") {
      result.resize(ParentOf(result).size());
    } else {
      result.append(result == "/" ? "" : "/").append(name);
    }
  }
  return result;
}

bool IsNeverFromHost(std::string_view path) {
  for (const std::string_view node : kNeverFromHost) {
    if (IsAtOrBelow(path, node)) return true;
  }
  return false;
}

std::string_view PrivateNodeOf(std::string_view path) {
  for (const std::string_view node : kNeverFromHost) {
    if (IsAtOrBelow(path, node)) return node;
  }
  return IsAtOrBelow(path, "/tmp") ? "/tmp" : "";
}

bool IsOwnNode(std::string_view path) {
  constexpr std::array<std::string_view, 6> kOwn = {"/dev",     "/dev/mqueue", "/dev/pts",
                                                    "/dev/shm", "/proc",       "/tmp"};
  return std::find(kOwn.begin(), kOwn.end(), path) != kOwn.end();
}

std::uint64_t StampOf(const Lookup& lookup) { return lookup.status ? lookup.status->changed.value_or(0) : 0; }

std::string_view TempOf(OperatingSystem system) {
  return system == OperatingSystem::kMacos ? "/private/tmp" : "/tmp";
}

bool IsRootsAlone(const LinkMet& met) {
  const std::string_view parent = ParentOf(met.link.path);
  return met.owner == 0 && (parent == "/" || parent == "/usr" || parent == "/var");
}

struct PathWalker::State {
  std::vector<std::string_view> pending = {};  // components of the path and of link texts, which stay alive
  std::string missing = {};  // the rest of the path after `walked.path`, which does not exist
  Walked walked = {};

  void AddMissing(std::string_view name) { missing.append(missing.empty() ? "" : "/").append(name); }
  void RemoveMissing() { missing.resize(missing.find('/') == std::string::npos ? 0 : missing.rfind('/')); }
  [[nodiscard]] std::string Here() const {
    return missing.empty() ? walked.path : JoinPath(walked.path, missing);
  }
};

PathWalker::Seen& PathWalker::See(const std::string& path) {
  const auto [seen, first] = seen_.try_emplace(path);
  if (first) seen->second.lookup = root_.empty() ? host_.LookAt(path) : host_.LookAt(root_ + path);
  return seen->second;
}

const Lookup& PathWalker::LookAt(const std::string& path) { return See(path).lookup; }

std::string_view PathWalker::Reached(std::string_view path, State& state) const {
  for (; path.size() > 1; path = ParentOf(path)) {
    if (path.size() > longest_canonical_) continue;
    const auto found = seen_.find(path);
    if (found == seen_.end() || !found->second.canonical) continue;
    state.walked.path = path;
    state.walked.status = found->second.lookup.status;
    return path;
  }
  return "";
}

Status PathWalker::Follow(State& state, std::string link, Seen& seen) {
  Walked& walked = state.walked;
  if (walked.links.size() == kMaxLinks) {
    return Conflict("too many symbolic links");
  }
  if (!seen.text) {
    Result<std::string> text = host_.ReadLink(root_ + link);
    if (!text) return text.error();
    seen.text = *std::move(text);
  }
  if (seen.text->starts_with('/')) {
    walked.path = "/";
    walked.status = LookAt("/").status;
  }
  for (const std::string_view name : ComponentsReversed(*seen.text)) state.pending.push_back(name);
  walked.links.push_back(
      {.link = {.path = std::move(link), .target = *seen.text}, .owner = seen.lookup.status->uid});
  return Done{};
}

Status PathWalker::Step(State& state, std::string_view name) {
  Walked& walked = state.walked;
  if (name == ".") return Done{};
  if (name == "..") {
    walked.left.push_back(state.Here());
    if (!state.missing.empty()) {
      state.RemoveMissing();
      walked.folded_missing = true;
      return Done{};
    }
    walked.path = ParentOf(walked.path);
    walked.status = LookAt(walked.path).status;
    return Done{};
  }
  if (!state.missing.empty()) {
    state.AddMissing(name);
    return Done{};
  }
  std::string next = JoinPath(walked.path, name);
  Seen& seen = See(next);
  const Lookup& lookup = seen.lookup;
  if (!lookup.status) {
    if (lookup.failure != LookupFailure::kMissing) {
      return Conflict(Quoted(next) + ": " + lookup.reason);
    }
    state.AddMissing(name);
    return Done{};
  }
  if (lookup.Is(FileType::kSymlink)) {
    if (!IsNeverFromHost(next)) return Follow(state, std::move(next), seen);
    // The target of a link of /proc depends on the process that reads it: the walk ends there.
    state.pending.clear();
  }
  seen.canonical = lookup.Is(FileType::kDirectory);
  if (seen.canonical) longest_canonical_ = std::max(longest_canonical_, next.size());
  walked.status = lookup.status;
  walked.path = std::move(next);
  return Done{};
}

Result<Walked> PathWalker::Walk(std::string_view path) {
  if (path.size() > kMaxWalkedBytes) return Conflict("a path is longer than the kernel takes");
  State state;
  const std::string_view reached = Reached(path, state);
  if (reached.empty()) {
    const Lookup& root = LookAt("/");
    if (!root.status) return Conflict("'/': " + root.reason);
    state.walked.path = "/";
    state.walked.status = root.status;
  }
  state.pending = ComponentsReversed(path.substr(reached.size()));
  while (!state.pending.empty()) {
    const std::string_view name = state.pending.back();
    state.pending.pop_back();
    if (const Status step = Step(state, name); !step) return step.error();
  }
  Walked& walked = state.walked;
  if (!state.missing.empty()) {
    walked.behind_file = !walked.Is(FileType::kDirectory);
    walked.status.reset();
    walked.first_missing = JoinPath(walked.path, state.missing.substr(0, state.missing.find('/')));
    walked.path = state.Here();
  }
  return std::move(walked);
}

}  // namespace mxc
