#include "policy/denial.h"

#include <algorithm>

#include "base/lists.h"
#include "policy/paths/baseline.h"
#include "policy/paths/paths.h"
#include "policy/paths/socket_tables.h"
#include "policy/process.h"

namespace mxc {
namespace {

bool Changes(FileUse use) { return use == FileUse::kWrite; }

bool Allows(Access access, FileUse use) {
  return access == Access::kReadWrite || (access == Access::kReadOnly && !Changes(use));
}

// The object of the call. The command has continued meanwhile, so a link that the call created already
// exists.
Result<Walked> WalkTo(PathWalker& walker, const FileCall& call) {
  const std::size_t end = call.path.rfind('/');
  const std::string name = end == std::string::npos ? "" : call.path.substr(end + 1);
  if (!call.link_itself || name.empty() || name == "." || name == "..") return walker.Walk(call.path);
  const Result<Walked> above = walker.Walk(end == 0 ? "/" : call.path.substr(0, end));
  if (!above || !above->status) return walker.Walk(call.path);
  std::string path = JoinPath(above->path, name);
  const Lookup& lookup = walker.LookAt(path);
  if (!lookup.Is(FileType::kSymlink)) return walker.Walk(path);
  return Walked{.path = std::move(path), .status = lookup.status};
}

// Whether the caller would succeed without a sandbox.
bool HostAllows(const Host& host, const Walked& walked, FileUse use) {
  if (walked.Is(FileType::kSymlink))
    return use == FileUse::kLook || host.MayAccess(std::string(ParentOf(walked.path)), Access::kReadWrite);
  if (walked.status)
    return use == FileUse::kLook ||
           host.MayAccess(walked.path, Changes(use) ? Access::kReadWrite : Access::kReadOnly);
  const std::string parent{ParentOf(walked.path)};
  return Changes(use) && walked.first_missing == walked.path && !walked.behind_file &&
         host.MayAccess(parent, Access::kReadWrite);
}

// Whether `path` is missing in the image that is mounted there.
bool LacksIt(const Host& host, const PathRule& rule, const std::string& path) {
  return !rule.source.empty() && !host.LookAt(rule.source + path.substr(rule.path.size())).status;
}

bool IsSocket(const Walked& walked) { return walked.Is(FileType::kSocket); }

std::string ReasonOf(const PathRule* rule, std::string_view own) {
  if (!own.empty()) return "the sandbox has a " + std::string(own) + " of its own";
  if (rule == nullptr) return "nothing of the policy grants it";
  if (rule->origin == Origin::kProtection) return "protected against changes";
  if (!rule->source.empty()) return "part of the image, which is read-only";
  const bool denied = rule->access == Access::kDenied;
  if (rule->origin == Origin::kBaseline)
    return denied ? "hidden by default" : "part of the system, which is read-only";
  return denied ? "denied" : "read-only";
}

bool IsDeniedByName(const PathRule* rule) {
  return rule != nullptr && rule->access == Access::kDenied && rule->origin != Origin::kBaseline;
}

FileDenial DenialOf(const Adviser& adviser, const FileCall& call, const Walked& walked, const PathRule* rule,
                    std::string_view own) {
  FileDenial denial{.use = call.use, .path = walked.path, .reason = ReasonOf(rule, own)};
  if (rule != nullptr) denial.pointer = rule->source.empty() ? rule->pointer : "/lxc";
  if (denial.pointer.empty()) adviser.Advise(call, walked, rule, denial);
  // Many programs look into /usr/local before they go on without it.
  const bool around = call.use == FileUse::kLook && rule != nullptr && rule->origin == Origin::kBaseline;
  denial.untold = IsDeniedByName(rule) || adviser.IsForSecrets(walked.path, rule) || around;
  return denial;
}

std::string Words(const std::vector<std::string>& paths) {
  std::string words;
  for (const std::string& path : paths) words += (words.empty() ? "" : " and ") + Quoted(path);
  return words;
}

// For a file that is reached through links.
void AdviseDirectories(const std::vector<std::string>& directories, FileDenial& denial) {
  const bool one = directories.size() == 1;
  denial.grant = one ? directories.front() : "";
  if (!one) denial.advice = "grant " + Words(directories) + ": it is found through links";
}

std::string VariableOf(const Policy& policy, std::string_view name) {
  for (const Variable& variable : policy.process.environment) {
    if (variable.name == name) return variable.value.Reveal();
  }
  return "";
}

}  // namespace

// A directory above a grant exists inside, but shows only the path to the grant.
bool DenialJudge::ShownInPart(std::string_view path) const {
  return std::any_of(policy_.paths.begin(), policy_.paths.end(), [this, path](const PathRule& rule) {
    return rule.access != Access::kDenied && IsAtOrBelow(policy_.workspace.Inside(rule.path), path);
  });
}

bool DenialJudge::IsGiven(const PathRule* rule, std::string_view path, FileUse use) const {
  return rule != nullptr ? Allows(rule->access, use) : !Changes(use) && ShownInPart(path);
}

// Path rules do not prevent a connection. The sockets in a grant are those that the policy names, or that the
// command has bound.
std::optional<FileDenial> DenialJudge::JudgeSocket(const FileCall& call) const {
  const Result<Walked> walked = PathWalker(host_).Walk(call.path);
  if (!walked || !IsSocket(*walked) || !host_.MayAccess(walked->path, Access::kReadWrite))
    return std::nullopt;
  const PathRule* rule = rules_->Covering(walked->path);
  if (rule != nullptr && rule->access != Access::kDenied) return std::nullopt;
  FileDenial denial{.use = call.use,
                    .path = walked->path,
                    .reason = "a program outside listens there: whoever connects " +
                              std::string(MeaningOfSocket("", walked->path)),
                    .untold = true};
  if (rule != nullptr) denial.pointer = rule->pointer;
  if (denial.pointer.empty() && RunsAnything(walked->path)) {
    denial.advice = "nothing is advised: the command may start one of its own";
  } else if (denial.pointer.empty()) {
    denial.grant = walked->path;
  }
  return denial;
}

// Whether the links on the way exist inside as well, or are recreated.
bool DenialJudge::WayIsShown(const Walked& walked) const {
  return std::all_of(walked.links.begin(), walked.links.end(), [this](const LinkMet& met) {
    return IsRootsAlone(met) || rules_->Visible(met.link.path);
  });
}

// A file that the command looked up in its private HOME, and that exists in the caller's.
std::optional<FileDenial> DenialJudge::MissedAtHome(const FileCall& call) const {
  const std::string inside = VariableOf(policy_, "HOME");
  const std::string path = FoldLexically(call.path);
  const std::string& home = adviser_->Home();
  const bool own =
      inside.size() > 1 && !home.empty() && inside != home && rules_->Covering(inside) == nullptr;
  if (!own || Changes(call.use) || path == inside || !IsAtOrBelow(path, inside)) return std::nullopt;
  const std::string rest = path.substr(inside.size() + 1);
  const Result<Walked> whole = PathWalker(host_).Walk(JoinPath(home, rest));
  if (!whole || !whole->status) return std::nullopt;
  const std::string name = rest.substr(0, rest.find('/'));
  const auto same = [&](const HomeFile& file) { return file.name == name; };
  if (std::any_of(policy_.home_files.begin(), policy_.home_files.end(), same)) return std::nullopt;
  FileDenial denial{.use = call.use,
                    .path = JoinPath(home, adviser_->ShowsTooMuch(JoinPath(home, name)) ? rest : name),
                    .reason = "the command has a HOME of its own, which shows nothing of the host's"};
  // LinksToGrants
  const bool linked =
      name.starts_with('.') && !policy_.home_files.empty() && TraitsOf(policy_.containment).mounts;
  const std::string ordinary =
      linked ? "a grant of it shows it in that HOME, too"
             : "a grant of it shows it there; HOME=" + home + " makes programs look there";
  denial.advice = adviser_->IsForSecrets(denial.path) || adviser_->ShowsTooMuch(denial.path)
                      ? adviser_->InsteadOfSecret(denial.path)
                      : ordinary;
  denial.untold = IsDeniedByName(rules_->Covering(whole->path)) || adviser_->IsForSecrets(whole->path);
  return denial;
}

// A program that the command looked up on its PATH, and that is on the caller's.
std::optional<FileDenial> DenialJudge::MissedOnPath(const FileCall& call) const {
  const std::string path = FoldLexically(call.path);
  const std::string_view name = NameOf(path);
  const auto has = [&](std::string_view list, std::string_view directory) {
    return (":" + std::string(list) + ":").find(":" + std::string(directory) + ":") != std::string::npos;
  };
  const std::string inside{SearchPath(policy_.process.environment)};
  const bool searched = call.use == FileUse::kExecute || call.use == FileUse::kLook;
  if (!searched || name.empty() || !has(inside, ParentOf(path))) return std::nullopt;
  PathWalker walker(host_);
  // The first directory of `list` that holds the program, among those that are visible inside or those that
  // are not.
  const auto find = [&](std::string_view list, bool shown) -> std::string {
    while (!list.empty()) {
      const std::string_view directory = TakePiece(list, ':');
      if (!directory.starts_with('/')) continue;
      const Result<Walked> walked = walker.Walk(JoinPath(directory, name));
      const bool program = walked && walked->Is(FileType::kRegular);
      if (program && host_.MayExecute(walked->path) && rules_->Visible(walked->path) == shown)
        return JoinPath(directory, name);
    }
    return "";
  };
  if (!find(inside, true).empty()) return std::nullopt;
  const std::string callers = host_.Environment("PATH").value_or("");
  const std::string outside = find(callers, false);
  if (const std::string granted = outside.empty() ? find(callers, true) : ""; !granted.empty()) {
    return FileDenial{
        .use = FileUse::kExecute,
        .path = granted,
        .reason = "it is on the PATH of the caller, and not on the sandbox's",
        .advice = "put " + Quoted(ParentOf(granted)) +
                  " on the PATH of the command, as \"tools\": \"inherit\" in `filesystem` does"};
  }
  if (outside.empty()) return std::nullopt;
  const Result<Walked> program = walker.Walk(outside);
  return FileDenial{.use = FileUse::kExecute,
                    .path = outside,
                    .reason = "it is on the PATH of the caller, and the sandbox does not show it",
                    .advice = "grant " + Words(adviser_->DirectoriesOf(*program)) + ", and put " +
                              Quoted(ParentOf(outside)) + " on the PATH of the command",
                    .untold = IsDeniedByName(rules_->Covering(outside))};
}

// Whether the sandbox allows the call, or answers it with a node of its own.
bool DenialJudge::IsExpected(const PathRule* rule, std::string_view own, std::string_view path,
                             FileUse use) const {
  // A file of the host may be missing in the sandbox's own /tmp; its other nodes differ from the host's on
  // purpose.
  const bool missed = own == TempOf(OperatingSystem::kLinux) && path != own && !Changes(use);
  if (!own.empty() && !missed) return true;
  if (IsGiven(rule, path, use)) return true;
  // stat succeeds on the mask over a denied object.
  return rule != nullptr && rule->path == path && use == FileUse::kLook;
}

std::optional<FileDenial> DenialJudge::JudgeFile(const FileCall& call) const {
  PathWalker walker(host_);
  FileCall on_host = call;
  on_host.path = policy_.workspace.OnHost(call.path);
  const Result<Walked> walked = WalkTo(walker, on_host);
  if (!walked) return std::nullopt;  // the caller may not look it up either
  const std::string& path = walked->path;
  const PathRule* rule = rules_->Covering(path);
  if (rule != nullptr && !Changes(call.use) && LacksIt(host_, *rule, path)) {
    if (IsSystemFile(path)) return std::nullopt;  // the image replaces the host's system, as requested
    rule = nullptr;
  }
  const std::string_view own = rule == nullptr ? PrivateNodeOf(path) : "";
  if (IsExpected(rule, own, path, call.use) || !HostAllows(host_, *walked, call.use)) return std::nullopt;
  FileDenial denial = DenialOf(*adviser_, call, *walked, rule, own);
  if (!Changes(call.use) && !denial.grant.empty() && !WayIsShown(*walked))
    AdviseDirectories(adviser_->DirectoriesOf(*walked), denial);
  const bool in_part =
      rule != nullptr && rule->access == Access::kDenied && !Changes(call.use) && ShownInPart(path);
  if (in_part) denial.reason += ", but for what is granted below it";
  denial.path = policy_.workspace.Inside(denial.path);
  return denial;
}

std::optional<FileDenial> DenialJudge::Judge(const FileCall& call) {
  if (!rules_) rules_.emplace(policy_.paths);
  if (!adviser_) adviser_.emplace(host_);
  if (call.use == FileUse::kConnect) return JudgeSocket(call);
  if (std::optional<FileDenial> missed = MissedAtHome(call)) return missed;
  if (std::optional<FileDenial> missed = MissedOnPath(call)) return missed;
  return JudgeFile(call);
}

}  // namespace mxc
