#include "backends/landlock/files.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "backends/landlock/landlock.h"
#include "base/path.h"

namespace mxc::landlock {
namespace {

constexpr std::string_view kReadOnlyRule = "Landlock rule: read, list and execute";
constexpr std::string_view kReadWriteRule = "Landlock rule: everything but device nodes";
constexpr std::string_view kInside = "inside the Landlock rule of a directory above";
constexpr std::string_view kLeftOut = "left out of the Landlock rules beside it";
constexpr std::string_view kNotGranted = "no Landlock rule grants it";
constexpr std::string_view kPrivateTemp =
    "a directory of the run's own, named by TMPDIR; nothing else of /tmp is granted";
constexpr std::string_view kPutBack =
    "not held, Landlock takes no right from a part of a grant: put back at once, and when the run has ended";
constexpr std::string_view kForAMoment =
    "what `protect` names can be changed for a moment: it is put back at once, and when the run has ended, "
    "but a program of the host may read it in between";
constexpr std::string_view kMissing = "does not exist, and what is around it is read-only";

// What belongs to the system rather than to its files, in every sandbox: out of reach as a whole, with a few
// parts granted that programs cannot do without and that tell nothing of other processes. Other parts of
// /proc are reached through its links only: /proc/self/exe, /proc/self/fd of what is open already.
constexpr std::array<std::string_view, 4> kOwnNodes = {"/dev", "/proc", "/sys", "/tmp"};
constexpr std::array<std::string_view, 6> kDevices = {"/dev/full", "/dev/null",    "/dev/random",
                                                      "/dev/tty",  "/dev/urandom", "/dev/zero"};
constexpr std::array<std::string_view, 9> kKernelFiles = {
    "/proc/cpuinfo", "/proc/filesystems", "/proc/loadavg", "/proc/meminfo", "/proc/stat",
    "/proc/sys",     "/proc/uptime",      "/proc/version", "/proc/vmstat"};

struct PathAccess {
  std::string_view path = {};
  Access access = Access::kDenied;
  const PathRule* rule = nullptr;  // none: the sandbox's own
};

bool IsForSockets(const PathRule& rule) {
  return rule.socket_directory_mode != 0 || (rule.object && rule.object->type == FileType::kSocket);
}

Error NoSockets(const PathRule& rule) {
  return Unenforceable("'" + rule.path +
                           "' cannot be connected to: with Landlock alone there are no Unix sockets, "
                           "because all of the host's would be in reach",
                       rule.pointer, "remove the entry, or " + std::string(kChooseUserNamespaces));
}

Error NoTempPlace() {
  return Unavailable(
      "there is no place for temporary files: none of /var/tmp, /dev/shm and /tmp can be written", {},
      "make one of them writable for you, by a mount of a tmpfs for instance");
}

class FileLowering {
 public:
  FileLowering(const Policy& policy, LandlockSandbox& sandbox, Plan& plan)
      : policy_(policy), plan_(plan), sandbox_(sandbox) {}

  Status Run() {
    for (const PathAccess& entry : SortedPaths()) {
      while (!above_.empty() && !IsBelow(entry.path, above_.back().path)) above_.pop_back();
      if (Skipped(entry)) continue;
      Status placed = entry.access == Access::kDenied ? PlaceDenied(entry) : PlaceGrant(entry);
      if (!placed) return placed;
    }
    if (!put_back_.empty()) plan_.not_covered.emplace_back(kForAMoment);
    if (policy_.temp_place.empty()) return NoTempPlace();
    sandbox_.temp_place = policy_.temp_place;
    if (policy_.private_temp_pointer.empty()) return Done{};
    plan_.ledger.push_back({policy_.private_temp_pointer, Strength::kKernel, std::string(kPrivateTemp)});
    return Done{};
  }

 private:
  [[nodiscard]] std::vector<PathAccess> SortedPaths() const {
    std::vector<PathAccess> entries;
    const auto granted = [this](std::string_view path) {
      return std::any_of(policy_.paths.begin(), policy_.paths.end(), [path](const PathRule& rule) {
        return rule.path == path && rule.access != Access::kDenied;
      });
    };
    for (const std::string_view node : kOwnNodes) {
      if (!granted(node)) entries.push_back({.path = node});
    }
    for (const std::string_view file : kDevices)
      entries.push_back({.path = file, .access = Access::kReadWrite});
    for (const std::string_view file : kKernelFiles)
      entries.push_back({.path = file, .access = Access::kReadOnly});
    for (const PathRule& rule : policy_.paths) {
      entries.push_back({.path = rule.path, .access = rule.access, .rule = &rule});
    }
    // Stable: at one path the sandbox's own part comes first, and a rule of the policy overrules it.
    std::stable_sort(entries.begin(), entries.end(), [](const PathAccess& left, const PathAccess& right) {
      return PathBefore(left.path, right.path);
    });
    return entries;
  }

  [[nodiscard]] bool Skipped(const PathAccess& entry) const {
    if (entry.rule == nullptr) {
      // A denial of the policy at or above one of our own grants takes it away.
      return entry.access != Access::kDenied &&
             std::any_of(policy_.paths.begin(), policy_.paths.end(), [&](const PathRule& rule) {
               return rule.access == Access::kDenied && rule.path != "/" &&
                      IsAtOrBelow(entry.path, rule.path);
             });
    }
    if (entry.rule->origin != Origin::kBaseline || entry.access == Access::kDenied) return false;
    return std::any_of(above_.begin(), above_.end(), [](const PathAccess& around) {
      return around.rule != nullptr && around.rule->origin == Origin::kPolicy;
    });
  }

  Status PlaceGrant(const PathAccess& entry) {
    if (entry.rule != nullptr && entry.rule->object && entry.rule->object->type == FileType::kSocket)
      return NoSockets(*entry.rule);
    const Access around = Around();
    if (around == Access::kReadWrite && entry.access == Access::kReadOnly) {
      if (!CanBePutBack(entry)) return CannotHold(entry);
      put_back_.push_back(entry.path);
      Record(entry, kPutBack, Strength::kTrustedProcess);
      return Done{};
    }
    if (IsPutBackWith(entry)) return CannotHold(entry);
    above_.push_back(entry);
    if (entry.path == "/tmp") sandbox_.private_temp = false;
    if (around == entry.access) {
      Record(entry, kInside);
      return Done{};
    }
    const bool checked = entry.rule != nullptr && entry.rule->origin == Origin::kPolicy;
    sandbox_.grants.push_back({.path = std::string(entry.path),
                               .access = entry.access,
                               .object = checked ? entry.rule->object : std::nullopt,
                               .optional = entry.rule == nullptr});
    Record(entry, entry.access == Access::kReadOnly ? kReadOnlyRule : kReadWriteRule);
    return Done{};
  }

  Status PlaceDenied(const PathAccess& entry) {
    const Access around = Around();
    // Sockets cannot be reached at all: none can be made that connects to them.
    const bool socket = entry.rule != nullptr && entry.rule->pointer.empty() && IsForSockets(*entry.rule);
    if (around == Access::kReadWrite && !socket) return CannotHold(entry);
    // mxc-exec's own directories count as there: the next run makes what is missing.
    const bool exists = entry.rule == nullptr || entry.rule->object.has_value() || entry.rule->look_alike ||
                        entry.rule->own_directory_mode != 0;
    if (around == Access::kReadOnly && exists && !socket) {
      // What the policy denies shows nothing; of the baseline's own denials the names are no secret.
      const bool baseline = entry.rule != nullptr && entry.rule->origin == Origin::kBaseline;
      sandbox_.holes.push_back({.path = std::string(entry.path), .names_show = baseline});
    }
    if (around == Access::kDenied) {
      Record(entry, kNotGranted);
    } else {
      Record(entry, exists ? kLeftOut : kMissing);
    }
    if (exists) above_.push_back(entry);
    return Done{};
  }

  // Below a read-write grant nothing can be taken back.
  [[nodiscard]] Error CannotHold(const PathAccess& entry) const {
    const bool written = entry.rule != nullptr && !entry.rule->pointer.empty();
    const PathRule* grant = above_.back().rule;
    const bool preset = entry.rule != nullptr && entry.rule->origin == Origin::kProtection;
    const char* const access = entry.access == Access::kDenied     ? "denied"
                               : entry.access == Access::kReadOnly ? "read-only"
                                                                   : "read-write in what `protect` names,";
    return Unenforceable(
        "'" + std::string(entry.path) + "' cannot be " + access + " below the read-write '" +
            std::string(above_.back().path) + "' without a mount namespace",
        written ? entry.rule->pointer : (grant != nullptr ? grant->pointer : ""),
        std::string(preset ? "leave the preset out of `protect`, all of them with \"protect\": [], or "
                             "grant only directories without a repository"
                           : "grant the directories beside it instead of the one above") +
            ", or " + std::string(kChooseUserNamespaces));
  }

  // What can be read whole now, and nothing else may write.
  [[nodiscard]] bool CanBePutBack(const PathAccess& entry) const {
    const std::vector<std::string>& closed = policy_.git.closed;
    return entry.rule != nullptr && entry.rule->origin == Origin::kProtection &&
           std::find(closed.begin(), closed.end(), entry.path) == closed.end();
  }

  // An entry of the policy makes a part of it writable.
  [[nodiscard]] bool IsPutBackWith(const PathAccess& entry) const {
    return entry.rule != nullptr && entry.rule->origin == Origin::kPolicy &&
           std::any_of(put_back_.begin(), put_back_.end(),
                       [&](std::string_view path) { return IsBelow(entry.path, path); });
  }

  void Record(const PathAccess& entry, std::string_view mechanism, Strength strength = Strength::kKernel) {
    if (entry.rule == nullptr || entry.rule->pointer.empty()) return;
    plan_.ledger.push_back({entry.rule->pointer, strength, std::string(mechanism)});
  }

  // Access of what stands around; denied where nothing is granted.
  [[nodiscard]] Access Around() const { return above_.empty() ? Access::kDenied : above_.back().access; }

  const Policy& policy_;
  Plan& plan_;
  LandlockSandbox& sandbox_;
  std::vector<PathAccess> above_ = {};           // what is in force from the root to where we are
  std::vector<std::string_view> put_back_ = {};  // what the launcher puts back
};

}  // namespace

Status LowerFiles(const Policy& policy, LandlockSandbox& sandbox, Plan& plan) {
  return FileLowering{policy, sandbox, plan}.Run();
}

}  // namespace mxc::landlock
