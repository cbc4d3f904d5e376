#include "policy/advice.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "policy/paths/baseline.h"
#include "policy/paths/glob.h"
#include "policy/paths/homes.h"
#include "policy/paths/socket_tables.h"
#include "policy/protect/protect.h"

namespace mxc {
namespace {

// Directories that hold more than one command needs.
constexpr std::array<std::string_view, 24> kBroad = {
    "/",      "/bin", "/boot", "/dev",       "/etc",  "/home",    "/lib",     "/lib64",
    "/media", "/mnt", "/opt",  "/proc",      "/root", "/run",     "/sbin",    "/srv",
    "/sys",   "/tmp", "/usr",  "/usr/local", "/var",  "/var/lib", "/var/log", "/var/tmp"};

bool IsBroad(const std::string& home, std::string_view path) {
  const bool above_home = !home.empty() && IsAtOrBelow(home, path);
  return above_home || ParentOf(path) == "/home" || ParentOf(path) == "/run/user" ||
         std::find(kBroad.begin(), kBroad.end(), path) != kBroad.end();
}

// A directory from which programs of the host take code that they run, and the profile with a directory of
// its own for that.
struct Cache {
  std::string_view path;  // below HOME
  std::string_view profile;
};
constexpr Cache kCaches[] = {{".npm", "node"},           {".yarn", "node"},
                             {".cache/yarn", "node"},    {".cache/pip", "python"},
                             {".cache/uv", "python"},    {".cache/pypoetry", "python"},
                             {".cargo", "cargo"},        {"go", "go"},
                             {".cache/go-build", "go"},  {".m2", "java"},
                             {".gradle", "java"},        {".ccache", "cmake"},
                             {".cache/ccache", "cmake"}, {".conan2", "cmake"}};

// Files of programs for which a grant does not help, and the advice that does.
struct Kept {
  std::string_view path;
  std::string_view advice;
};
constexpr std::string_view kKeyDirectory = ".ssh";  // below HOME, as these
constexpr Kept kKeys[] = {
    {kKeyDirectory,
     "it may hold keys, and is not to be granted: ssh needs --ro ~/.ssh/known_hosts, and your agent by "
     "--socket '$SSH_AUTH_SOCK'"},
    {".gnupg",
     "it may hold keys, and is not to be granted: gpg needs --ro ~/.gnupg/pubring.kbx --env "
     "GNUPGHOME=\"$HOME/.gnupg\", and your agent by --socket \"$(gpgconf --list-dirs agent-socket)\""}};
constexpr std::string_view kPackagesAdvice =
    "packages are installed outside: inside, root has no privileges and the system is read-only";
constexpr Kept kInstallers[] = {
    {"/var/lib/apt", kPackagesAdvice},
    {"/var/lib/dpkg", kPackagesAdvice},
    {"/var/cache/apt", kPackagesAdvice},
    {"/var/lib/rpm", kPackagesAdvice},
    {"/var/lib/dnf", kPackagesAdvice},
    {"/var/cache/dnf", kPackagesAdvice},
    {"/lib/apk", kPackagesAdvice},
    {"/var/cache/apk", kPackagesAdvice},
    {"/run/screen", "screen takes another directory for its sockets: --env SCREENDIR=/tmp/screen"}};

// For files that programs outside trust: records of logins, logs, queued mail and jobs, shared caches, PID
// files.
constexpr std::string_view kRecordsAdvice =
    "it is kept by programs outside, and is not to be written from a sandbox: let the command write "
    "elsewhere";
constexpr Kept kRecords[] = {{"/var/log", kRecordsAdvice},
                             {"/var/spool", kRecordsAdvice},
                             {"/var/mail", kRecordsAdvice},
                             {"/var/cache", kRecordsAdvice},
                             {"/run", kRecordsAdvice}};

// For files of the caller's home that programs outside run.
constexpr std::string_view kRunOutsideAdvice =
    "programs outside run what stands there, and it is not to be written from a sandbox: let the command "
    "write elsewhere";

// Whether `path` is a directory for sockets: a grant would show none of them, and programs create it where it
// is missing.
bool IsForSockets(std::string_view path) {
  const auto rows = SocketDirectories();
  return std::any_of(rows.begin(), rows.end(), [path](const SocketDirectory& row) {
    const std::string_view fixed = row.path.substr(0, row.path.find('{'));
    return !fixed.empty() && path.starts_with(fixed);
  });
}

std::string_view AdviceAt(std::span<const Kept> places, const std::string& above, std::string_view path) {
  for (const Kept& place : places)
    if (IsAtOrBelow(path, above.empty() ? std::string(place.path) : JoinPath(above, place.path)))
      return place.advice;
  return "";
}

// The git directory of a file, which git needs as a whole, and of which it reads HEAD first; a submodule has
// its own. "" for any other file.
std::string_view GitDirectoryOf(std::string_view path) {
  constexpr std::string_view kGit = "/.git/";
  const std::size_t at = path.find(kGit);
  if (at == std::string_view::npos) return "";
  if (path.substr(at + kGit.size()).starts_with("modules/"))
    return path.ends_with("/HEAD") ? ParentOf(path) : "";
  return path.substr(0, at + kGit.size() - 1);
}

// The baseline denies secrets, and /usr/local, which is none.
bool IsHiddenSecret(const PathRule* rule) {
  const auto rows = HiddenRows();
  return rule != nullptr && rule->origin == Origin::kBaseline && rule->access == Access::kDenied &&
         std::none_of(rows.begin(), rows.end(),
                      [&](const BaselineRow& row) { return IsAtOrBelow(rule->path, row.path); });
}

}  // namespace

bool IsSystemFile(std::string_view path) {
  const auto rows = BaselineRows();
  return std::any_of(rows.begin(), rows.end(),
                     [path](const BaselineRow& row) { return IsAtOrBelow(path, row.path); });
}

Adviser::Adviser(const Host& host) {
  PathWalker walker(host);
  home_ = CanonicalHome(host, walker);
  const auto add = [&](const std::string& path) {
    const Result<Walked> walked = walker.Walk(path);
    if (walked && walked->status) secrets_.push_back(walked->path);
  };
  for (const BaselineRow& row : SecretRows()) add(std::string(row.path));
  if (home_.empty()) return;
  for (const BaselineRow& row : HomeSecretRows()) add(JoinPath(home_, row.path));
}

bool Adviser::IsForSecrets(std::string_view path, const PathRule* rule) const {
  if (!IsHiddenSecret(rule) && !home_.empty() && path.ends_with(".pub") &&
      ParentOf(path) == JoinPath(home_, kKeyDirectory))
    return false;  // a public key
  const auto names = SecretNameRows();
  const std::string_view name = NameOf(path);
  return IsHiddenSecret(rule) || path.starts_with("/etc/ssh/ssh_host_") ||
         std::any_of(names.begin(), names.end(),
                     [&](const BaselineRow& row) { return MatchesName(row.path, name); }) ||
         std::any_of(secrets_.begin(), secrets_.end(),
                     [&](const std::string& secret) { return IsAtOrBelow(path, secret); });
}

bool Adviser::ShowsTooMuch(std::string_view directory) const {
  return IsBroad(home_, directory) ||
         std::any_of(secrets_.begin(), secrets_.end(),
                     [&](const std::string& secret) { return IsAtOrBelow(secret, directory); });
}

bool Adviser::IsRunOutside(std::string_view path) const {
  const auto rows = ShellRows();
  return !home_.empty() && std::any_of(rows.begin(), rows.end(), [&](const ProtectedRow& row) {
    return IsAtOrBelow(path, JoinPath(home_, row.path));
  });
}

bool Adviser::HoldsWhatRunsOutside(std::string_view directory) const {
  const auto rows = ShellRows();
  return !home_.empty() && std::any_of(rows.begin(), rows.end(), [&](const ProtectedRow& row) {
    return IsAtOrBelow(JoinPath(home_, row.path), directory);
  });
}

std::vector<std::string> Adviser::DirectoriesOf(const Walked& walked) const {
  std::vector<std::string> directories;
  const auto add = [&](std::string_view directory) {
    if (std::find(directories.begin(), directories.end(), directory) == directories.end())
      directories.emplace_back(directory);
  };
  for (const LinkMet& met : walked.links) {
    if (!IsRootsAlone(met)) add(ParentOf(met.link.path));
  }
  add(ParentOf(walked.path));
  std::string_view common = directories.front();
  for (const std::string& directory : directories) {
    while (!IsAtOrBelow(directory, common)) common = ParentOf(common);
  }
  if (ShowsTooMuch(common)) return directories;
  return {std::string(common)};
}

std::string Adviser::InsteadOfSecret(std::string_view path) const {
  const std::string_view advice = home_.empty() ? "" : AdviceAt(kKeys, home_, path);
  return std::string(advice.empty() ? "it may hold secrets: nothing is advised" : advice);
}

std::string Adviser::ProfileInsteadOf(std::string_view path) const {
  for (const Cache& cache : kCaches)
    if (!home_.empty() && IsAtOrBelow(path, JoinPath(home_, cache.path))) return std::string(cache.profile);
  return "";
}

void Adviser::Advise(const FileCall& call, const Walked& walked, const PathRule* rule,
                     FileDenial& denial) const {
  const std::string& path = walked.path;
  if (IsForSecrets(path, rule)) {
    denial.advice = InsteadOfSecret(path);
  } else if (const std::string_view advice = AdviceAt(kInstallers, "", path); !advice.empty()) {
    denial.advice = advice;
  } else if (IsForSockets(path)) {
    denial.advice = "it is for sockets of programs outside; what the command starts has its own";
  } else if (const std::string_view kept = AdviceAt(kRecords, "", path);
             !kept.empty() && call.use == FileUse::kWrite) {
    denial.advice = kept;
  } else if (call.use == FileUse::kWrite && IsRunOutside(path)) {
    denial.advice = kRunOutsideAdvice;
  } else if (const std::string_view git = GitDirectoryOf(path); !git.empty() && !ShowsTooMuch(git)) {
    denial.grant = git;
  } else if (call.use == FileUse::kWrite && IsSystemFile(path)) {
    denial.advice = "the system's files are read-only in every sandbox: let the command write elsewhere";
  } else if (!walked.status && ParentOf(path) == "/var/tmp") {
    denial.advice = "temporary files go to /tmp, which is the sandbox's own";
  } else if (!walked.status) {
    const std::string above{ParentOf(path)};
    const bool alone = call.directory || ShowsTooMuch(above) || HoldsWhatRunsOutside(above);
    denial.grant = alone ? path : above;
    if (alone) denial.make = call.directory ? "mkdir" : "touch";
  } else if (walked.Is(FileType::kSocket)) {
    denial.advice = "filesystem.sockets of a policy grants a socket by its path";
  } else if (walked.Is(FileType::kDirectory) && ShowsTooMuch(path)) {
    denial.advice = "it holds more than one command needs: grant what the command uses of it";
  } else {
    denial.grant = path;
  }
  if (call.use == FileUse::kWrite && !denial.grant.empty()) denial.profile = ProfileInsteadOf(path);
}

}  // namespace mxc
