#include "shell/shell_policy.h"

#include <optional>
#include <utility>

#include "base/quoted.h"
#include "mxc/json.h"
#include "policy/paths/callers_own.h"
#include "policy/paths/paths.h"

namespace mxc {
namespace {

constexpr std::string_view kOwnFile = "mxc-exec/policy.json";

Error Refused(std::string message, std::string hint) {
  return Conflict(std::move(message), {}, std::move(hint));
}

bool IsDocument(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

// Empty: the caller has no configuration directory.
std::string OwnFile(const Host& host) {
  const std::optional<std::string> directory = host.Environment("XDG_CONFIG_HOME");
  if (directory && directory->starts_with('/')) return JoinPath(*directory, kOwnFile);
  const std::optional<std::string> home = host.Environment("HOME");
  return home && home->starts_with('/') ? JoinPath(*home, ".config/" + std::string(kOwnFile)) : "";
}

// The smallest that lets commands work where the caller stands. None may grant its own file.
std::string SmallestPolicy(const std::string& own, const std::string& here) {
  const bool fits = here.starts_with('/') && !IsAtOrBelow(own, here);
  return R"({"version": "1.0.0", "filesystem": {"tools": "inherit", "readwritePaths": [)" +
         JsonString(fits ? here : "/home/me/app") + "]}}";
}

Error NoPolicy(const std::string& own, const Host& host) {
  const std::string other = std::string("name a file in ") + kPolicyVariable;
  if (own.empty()) return Refused("there is no policy", "set HOME, or " + other);
  return Refused("there is no policy", "write one to " + Quoted(own) + ", or " + other + "; a short one is " +
                                           SmallestPolicy(own, host.WorkingDirectory()));
}

Result<ShellPolicy> Examine(std::string written, const Host& host, const Error& missing) {
  PathWalker walker(host);
  const Result<Walked> walked = walker.Walk(written);
  if (!walked) return Refused("the policy " + Quoted(written) + ": " + walked.error().message, "");
  if (!walked->status) return missing;
  if (!walked->Is(FileType::kRegular))
    return Refused("the policy " + Quoted(written) + " is not a regular file", "name a file of yours");
  // One of its names may be where a command writes.
  if (walked->status->links > 1)
    return Refused("the policy " + Quoted(written) + " has more than one name",
                   "name a file that has no other");
  bool own = IsCallersOwn(host, walker, walked->path);
  // A link is as safe as the directory it stands in.
  for (const LinkMet& met : walked->links)
    own = own && (IsRootsAlone(met) || IsCallersOwn(host, walker, std::string(ParentOf(met.link.path))));
  if (!own) {
    return Refused("the policy " + Quoted(written) + " could have been written by another user",
                   "it and the directories above it must be yours or root's, and writable by nobody else");
  }
  return ShellPolicy{.written = std::move(written), .path = walked->path};
}

}  // namespace

Result<ShellPolicy> FindShellPolicy(const Host& host) {
  std::string named = host.Environment(kPolicyVariable).value_or("");
  if (IsDocument(named)) return ShellPolicy{};
  const std::string own = OwnFile(host);
  if (named.empty()) return own.empty() ? NoPolicy(own, host) : Examine(own, host, NoPolicy(own, host));
  const Error missing =
      Refused("the policy " + Quoted(named) + " does not exist",
              std::string(kPolicyVariable) + " is a path, or a document that begins with {");
  if (named.front() == '/') return Examine(std::move(named), host, missing);
  return Refused("the policy " + Quoted(named) +
                     " is a relative path: what it names would depend on where the command runs",
                 "write an absolute path in " + std::string(kPolicyVariable));
}

}  // namespace mxc
