// Resolve on small hosts made of the input. Properties of every policy that comes out:
//   rules stand behind the rules of their ancestors, one per path, every path canonical on that host;
//   a denied entry is denied under each name that has a rule; a read-only one is never writable;
//   nothing of the host's /proc, /sys and /dev is granted.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/paths/paths.h"
#include "policy/paths/rules.h"
#include "policy/resolve.h"
#include "tests/support/fake_host.h"

namespace mxc {
namespace {

void Require(bool holds, std::string_view property, std::string_view path) {
  if (holds) return;
  std::cerr << "violated: " << property << ": " << Quoted(path) << "\n";
  std::abort();
}

class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

  [[nodiscard]] bool Empty() const { return at_ == size_; }
  std::size_t Below(std::size_t bound) { return Empty() ? 0 : data_[at_++] % bound; }

  // A path of a few names, so that entries meet.
  std::string Path() {
    constexpr std::string_view kNames[] = {"a",   "b",    "c",   "etc", "usr", "bin",
                                           "tmp", "proc", "run", ".",   "..",  ""};
    std::string path;
    for (std::size_t parts = Below(5); parts > 0; --parts) {
      path += "/";
      path += kNames[Below(std::size(kNames))];
    }
    return path.empty() ? "/" : path;
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
};

void AddNode(FakeHost& host, Bytes& bytes, std::vector<std::string>& known) {
  const std::string path = FoldLexically(bytes.Path());
  if (path == "/" || path == "/proc") return;  // no kernel makes /proc a link
  const FakeAttributes attributes{.uid = static_cast<std::uint32_t>(bytes.Below(2)) * 1000,
                                  .readable = bytes.Below(8) != 0,
                                  .writable = bytes.Below(8) != 0};
  switch (bytes.Below(10)) {
    case 0:
    case 1:
    case 2:
      host.AddDirectory(path, attributes);
      break;
    case 3:
      host.AddFile(path, "", attributes);
      break;
    case 4:
    case 5:
      host.AddSymlink(path, bytes.Path().substr(bytes.Below(2)), attributes);
      break;
    case 6:
      if (!known.empty()) host.AddAlias(path, known[bytes.Below(known.size())]);
      break;
    case 7:
      host.AddUnreadable(path);
      break;
    case 8:
      host.AddNode(path, FileType::kSocket, attributes);
      break;
    default:
      host.AddDirectory(path);
      break;
  }
  if (host.Has(path)) known.push_back(path);
}

std::vector<PathEntry> List(Bytes& bytes, const std::string& name) {
  std::vector<PathEntry> entries;
  for (std::size_t count = bytes.Below(4); count > 0; --count) {
    entries.push_back({bytes.Path(), "/filesystem/" + name + "/" + std::to_string(entries.size())});
  }
  return entries;
}

Config MakeConfig(Bytes& bytes) {
  Config config;
  config.process.command_line = "true";
  config.read_write = List(bytes, "readwritePaths");
  config.read_only = List(bytes, "readonlyPaths");
  config.denied = List(bytes, "deniedPaths");
  if (bytes.Below(3) == 0) config.process.cwd = bytes.Path();
  if (bytes.Below(4) == 0) config.audit.path = bytes.Path();
  return config;
}

void CheckRules(const Policy& policy, const FakeHost& host) {
  for (std::size_t i = 0; i < policy.paths.size(); ++i) {
    const PathRule& rule = policy.paths[i];
    Require(FoldLexically(rule.path) == rule.path, "canonical as text", rule.path);
    for (std::size_t j = 0; j < i; ++j) {
      Require(!IsAtOrBelow(policy.paths[j].path, rule.path), "ancestors first, one rule per path", rule.path);
    }
    if (rule.access != Access::kDenied && !rule.placeholder_kind) {
      Require(rule.object.has_value(), "a grant has an object", rule.path);
      Require(!IsNeverFromHost(rule.path), "never from the host", rule.path);
    }
    if (!rule.object || IsNeverFromHost(rule.path)) continue;
    Require(host.CanonicalPath(rule.path) == rule.path, "canonical on the host", rule.path);
    Require(host.ObjectAt(rule.path).inode == rule.object->inode, "its own object", rule.path);
  }
}

const PathRule* Nearest(const Policy& policy, std::string_view path) {
  const PathRule* nearest = nullptr;
  for (const PathRule& rule : policy.paths) {
    if (IsAtOrBelow(path, rule.path)) nearest = &rule;  // ancestors come first
  }
  return nearest;
}

// `host` resolves the written path by itself, with code of its own.
void CheckIntent(const Policy& policy, const FakeHost& host, const std::vector<PathEntry>& entries,
                 Access intent) {
  for (const PathEntry& entry : entries) {
    const std::optional<std::string> path = host.CanonicalPath(entry.path);
    if (!path || IsNeverFromHost(*path)) continue;
    const PathRule* nearest = Nearest(policy, *path);
    Require(nearest != nullptr && nearest->path == *path, "an existing entry has its rule", entry.path);
    for (const PathRule& rule : policy.paths) {
      if (!rule.object || rule.object->inode != host.ObjectAt(*path).inode) continue;
      if (rule.origin == Origin::kBaseline) continue;
      Require(Stricter(rule.access, intent) == rule.access, "as strict as every entry of its object",
              rule.path);
    }
  }
}

}  // namespace
}  // namespace mxc

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mxc::Bytes bytes(data, size);
  mxc::FakeHost host;
  host.SetClockStep(1);  // directories that are mounted in each other make endless trees: time ends a search
  if (bytes.Below(2) == 0) host.AddDebian();
  if (bytes.Below(4) == 0) host.SetCaller(0, 0);
  const mxc::Config config = mxc::MakeConfig(bytes);
  host.SetWorkingDirectory(mxc::FoldLexically(bytes.Path()));
  std::vector<std::string> known;
  for (int i = 0; i < 64 && !bytes.Empty(); ++i) mxc::AddNode(host, bytes, known);
  const mxc::Result<mxc::Policy> policy = mxc::Resolve(config, host, {});
  if (!policy) {
    mxc::Require(!policy.error().message.empty() && !policy.error().hint.empty(), "a refusal explains", "");
    return 0;
  }
  mxc::CheckRules(*policy, host);
  mxc::CheckIntent(*policy, host, config.denied, mxc::Access::kDenied);
  mxc::CheckIntent(*policy, host, config.read_only, mxc::Access::kReadOnly);
  mxc::CheckIntent(*policy, host, config.read_write, mxc::Access::kReadWrite);
  return 0;
}
