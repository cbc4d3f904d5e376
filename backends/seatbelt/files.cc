#include "backends/seatbelt/files.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/path.h"

namespace mxc::seatbelt {
namespace {

// Reading includes running: what can be read can be copied and run. An AF_UNIX socket is reached by its path.
constexpr std::string_view kRead = "file-read* file-map-executable process-exec";
constexpr std::string_view kWrite = "file-write* file-link network-bind network-outbound";
constexpr std::string_view kEverything =
    "file-read* file-map-executable process-exec file-write* file-link network-bind network-outbound";

constexpr std::string_view kReadWriteRule = "Seatbelt rule: read, write and execute below the path";
constexpr std::string_view kReadOnlyRule = "Seatbelt rule: read and execute below the path";
constexpr std::string_view kNarrowed =
    "Seatbelt rule: no writing below the path; no directory above it moves";
constexpr std::string_view kTakenAway = "Seatbelt rule: nothing below the path; no directory above it moves";
constexpr std::string_view kNotGranted = "no Seatbelt rule grants it";
constexpr std::string_view kPrivateTemp =
    "a directory of the run's own, named by TMPDIR; nothing else of /tmp is granted";
constexpr std::string_view kProtected = "Seatbelt rules: no writing there; no directory above moves";

// What is the system's rather than anybody's files: out of reach as a whole also below a grant of "/".
constexpr std::array<std::string_view, 3> kOwnNodes = {"/dev", "/private/tmp", "/private/var/folders"};

constexpr std::string_view kDevices =
    "(literal \"/dev/null\") (literal \"/dev/zero\") (literal \"/dev/random\") (literal \"/dev/urandom\") "
    "(literal \"/dev/tty\") (literal \"/dev/dtracehelper\")";
// Links that every path may lead through.
constexpr std::string_view kSystemLinks = "(literal \"/etc\") (literal \"/tmp\") (literal \"/var\")";

struct PathAccess {
  std::string path = {};
  Access access = Access::kDenied;
  const PathRule* rule = nullptr;  // none: the system's own
};

class FileLowering {
 public:
  FileLowering(const Policy& policy, Profile& profile, SeatbeltSandbox& sandbox, Plan& plan)
      : policy_(policy), profile_(profile), sandbox_(sandbox), plan_(plan), entries_(SortedPaths()) {
    for (const PathAccess& entry : entries_) by_path_.insert_or_assign(entry.path, &entry);
  }

  void Run() {
    profile_.Comment("files: the last matching rule decides, so the most specific path does");
    for (const PathAccess& entry : entries_) Place(entry);
    profile_.Comment("devices, and the descriptors that are open");
    profile_.Allow("file-read* file-write*", kDevices);
    profile_.Allow("file-read*", "(subpath \"/dev/fd\")");
    profile_.Allow("file-ioctl",
                   "(literal \"/dev/tty\") (literal \"/dev/dtracehelper\") "
                   "(regex #\"^/dev/ttys[0-9]+$\")");
    AllowTemp();
    KeepNamesInPlace();
    ShowTheWay();
  }

 private:
  [[nodiscard]] std::vector<PathAccess> SortedPaths() const {
    std::vector<PathAccess> entries;
    for (const std::string_view node : kOwnNodes) entries.push_back({.path = std::string(node)});
    for (const PathRule& rule : policy_.paths) {
      // Every rule stands behind those of the directories above it, a rule of the policy behind the system's
      // own.
      entries.push_back({.path = rule.path, .access = rule.access, .rule = &rule});
    }
    std::stable_sort(entries.begin(), entries.end(), [](const PathAccess& left, const PathAccess& right) {
      return PathBefore(left.path, right.path);
    });
    return entries;
  }

  // The entry that decides about `path`; none where nothing is granted.
  [[nodiscard]] const PathAccess* Covering(std::string_view path) const {
    for (;; path = ParentOf(path)) {
      const auto found = by_path_.find(path);
      if (found != by_path_.end()) return found->second;
      if (path == "/") return nullptr;
    }
  }

  [[nodiscard]] bool Writable(std::string_view path) const {
    const PathAccess* entry = Covering(path);
    return entry != nullptr && entry->access == Access::kReadWrite;
  }

  void Place(const PathAccess& entry) {
    const PathAccess* above = entry.path == "/" ? nullptr : Covering(ParentOf(entry.path));
    const bool around = above != nullptr && above->access != Access::kDenied;
    Record(entry, around);
    if (entry.rule != nullptr && entry.rule->object) {
      sandbox_.verified.push_back({.path = entry.path, .object = *entry.rule->object});
    }
    if (entry.access == Access::kDenied) {
      // A denial of the policy's also stands against what the options of the backend grant.
      if (around || entry.rule != nullptr) profile_.Deny(kEverything, Subpath(Expression(entry)));
      return;
    }
    const bool directory =
        entry.rule == nullptr || !entry.rule->object || entry.rule->object->type == FileType::kDirectory;
    const std::string filter = directory ? Subpath(Expression(entry)) : Exactly(Expression(entry));
    if (entry.access == Access::kReadWrite) {
      profile_.Allow(kEverything, filter);
      return;
    }
    profile_.Allow(kRead, filter);
    if (above != nullptr && above->access == Access::kReadWrite) profile_.Deny(kWrite, filter);
  }

  void Record(const PathAccess& entry, bool around) {
    if (entry.rule == nullptr || entry.rule->pointer.empty()) return;
    const auto mechanism = [&]() -> std::string_view {
      if (entry.rule->origin == Origin::kProtection) return kProtected;
      switch (entry.access) {
        case Access::kReadWrite:
          return kReadWriteRule;
        case Access::kReadOnly:
          return around ? kNarrowed : kReadOnlyRule;
        case Access::kDenied:
          return around ? kTakenAway : kNotGranted;
      }
      return kNotGranted;
    };
    plan_.ledger.push_back({entry.rule->pointer, Strength::kKernel, std::string(mechanism())});
  }

  void AllowTemp() {
    if (!sandbox_.private_temp) return;
    profile_.Comment("temporary files of this run");
    profile_.Allow(kEverything, Subpath(Profile::LaunchParameter("TEMP")));
    if (policy_.private_temp_pointer.empty()) return;
    plan_.ledger.push_back({policy_.private_temp_pointer, Strength::kKernel, std::string(kPrivateTemp)});
  }

  // Rules go by path: a directory that is renamed would take what is in it out of their reach.
  void KeepNamesInPlace() {
    std::set<std::string> held;
    for (const PathAccess& entry : entries_) {
      if (entry.rule == nullptr) continue;
      const bool writable = entry.access == Access::kReadWrite;
      if (writable && entry.rule->origin != Origin::kProtection) continue;
      if (writable) held.emplace(entry.path);
      for (std::string_view above = ParentOf(entry.path); above != "/"; above = ParentOf(above)) {
        if (Writable(above)) held.emplace(above);
      }
    }
    if (held.empty()) return;
    profile_.Comment("a directory above a rule keeps its name");
    for (const std::string& path : held)
      profile_.Deny("file-write-unlink", Exactly(profile_.Parameter(path)));
  }

  // What leads to a grant can be looked at, not read.
  void ShowTheWay() {
    std::set<std::string> ours = {"/"};
    std::set<std::string> written;
    for (const PathAccess& entry : entries_) {
      if (entry.access == Access::kDenied) continue;
      std::set<std::string>& way = entry.rule->origin == Origin::kBaseline ? ours : written;
      for (std::string_view above = ParentOf(entry.path); above != "/"; above = ParentOf(above))
        way.emplace(above);
    }
    profile_.Comment("the way to what is granted; the kernel wants `/` readable of everything it starts");
    profile_.Allow("file-read-metadata", kSystemLinks);
    for (const std::string& path : ours) profile_.Allow("file-read-metadata", Exactly(Literal(path)));
    for (const std::string& path : written) {
      if (ours.count(path) == 0) profile_.Allow("file-read-metadata", Exactly(profile_.Parameter(path)));
    }
    profile_.Allow("file-read-data", "(literal \"/\")");
  }

  [[nodiscard]] std::string Expression(const PathAccess& entry) {
    const bool ours = entry.rule == nullptr || entry.rule->origin == Origin::kBaseline;
    return ours ? Literal(entry.path) : profile_.Parameter(entry.path);
  }

  const Policy& policy_;
  Profile& profile_;
  SeatbeltSandbox& sandbox_;
  Plan& plan_;
  std::vector<PathAccess> entries_;
  std::unordered_map<std::string_view, const PathAccess*> by_path_ = {};
};

}  // namespace

void LowerFiles(const Policy& policy, Profile& profile, SeatbeltSandbox& sandbox, Plan& plan) {
  const bool temp_granted = std::any_of(policy.paths.begin(), policy.paths.end(), [](const PathRule& rule) {
    return rule.path == "/private/tmp" && rule.access != Access::kDenied;
  });
  sandbox.private_temp = !temp_granted;
  FileLowering(policy, profile, sandbox, plan).Run();
}

}  // namespace mxc::seatbelt
