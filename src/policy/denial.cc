#include "policy/denial.h"

#include <algorithm>

#include "policy/paths/baseline.h"
#include "policy/paths/paths.h"

namespace mxc {
namespace {

bool Changes(FileUse use) { return use == FileUse::kWrite; }

bool Allows(Access access, FileUse use) {
  return access == Access::kReadWrite || (access == Access::kReadOnly && !Changes(use));
}

// Would the caller itself succeed, without a sandbox?
bool HostAllows(const Host& host, const Walked& walked, FileUse use) {
  if (walked.status)
    return use == FileUse::kLook ||
           host.MayAccess(walked.path, Changes(use) ? Access::kReadWrite : Access::kReadOnly);
  const std::string parent{ParentOf(walked.path)};
  return Changes(use) && walked.first_missing == walked.path && !walked.behind_file &&
         host.MayAccess(parent, Access::kReadWrite);
}

// Where an image shows, what it lacks is not there, whatever the host has.
bool LacksIt(const Host& host, const PathRule& rule, const std::string& path) {
  return !rule.source.empty() && !host.LookAt(rule.source + path.substr(rule.path.size())).status;
}

bool IsOfTheSystem(std::string_view path) {
  const auto rows = BaselineRows();
  return std::any_of(rows.begin(), rows.end(),
                     [path](const BaselineRow& row) { return IsAtOrBelow(path, row.path); });
}

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

FileDenial DenialOf(FileUse use, const Walked& walked, const PathRule* rule, std::string_view own) {
  FileDenial denial{.use = use, .path = walked.path, .reason = ReasonOf(rule, own)};
  if (rule != nullptr) denial.pointer = rule->source.empty() ? rule->pointer : "/lxc";
  // A grant of a name that does not exist yet grants nothing: its directory is what would help.
  if (denial.pointer.empty()) denial.grant = walked.status ? walked.path : std::string(ParentOf(walked.path));
  return denial;
}

}  // namespace

// A directory on the way to a grant exists inside, with nothing but the way in it.
bool DenialJudge::ShownInPart(std::string_view path) const {
  return std::any_of(policy_.paths.begin(), policy_.paths.end(), [path](const PathRule& rule) {
    return rule.access != Access::kDenied && IsAtOrBelow(rule.path, path);
  });
}

std::optional<FileDenial> DenialJudge::Judge(const FileCall& call) {
  if (!rules_) rules_.emplace(policy_.paths);
  const Result<Walked> walked = PathWalker(host_).Walk(call.path);
  if (!walked) return std::nullopt;  // the caller may not even look there
  const std::string& path = walked->path;
  const PathRule* rule = rules_->Covering(path);
  if (rule != nullptr && !Changes(call.use) && LacksIt(host_, *rule, path)) {
    if (IsOfTheSystem(path)) return std::nullopt;  // the image's system is another, as was asked for
    rule = nullptr;
  }
  const std::string_view own = rule == nullptr ? PrivateNodeOf(path) : "";
  // Of the sandbox's own there is plenty to see; but what the host has in /tmp is missed there.
  if (!own.empty() && (own != TempOf(OperatingSystem::kLinux) || path == own || Changes(call.use)))
    return std::nullopt;
  if (rule != nullptr ? Allows(rule->access, call.use) : !Changes(call.use) && ShownInPart(path))
    return std::nullopt;
  // What stands in for a denied object can be looked at.
  if (rule != nullptr && rule->path == path && call.use == FileUse::kLook) return std::nullopt;
  if (!HostAllows(host_, *walked, call.use)) return std::nullopt;
  return DenialOf(call.use, *walked, rule, own);
}

}  // namespace mxc
