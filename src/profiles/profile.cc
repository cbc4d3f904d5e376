#include "profiles/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/quoted.h"
#include "base/suggest.h"
#include "document/parse.h"
#include "mxc/limits.h"
#include "policy/paths/callers_own.h"
#include "policy/paths/paths.h"
#include "profiles/builtin_profiles.h"
#include "profiles/expand_document.h"

namespace mxc {
namespace {

constexpr std::string_view kSuffix = ".json";
constexpr std::string_view kReserved[] = {"list", "show"};  // of the flag --profile

bool IsProfileName(std::string_view name) {
  constexpr std::string_view kFirst = "abcdefghijklmnopqrstuvwxyz0123456789";
  constexpr std::size_t kMaxBytes = 64;
  if (name.empty() || name.size() > kMaxBytes || kFirst.find(name.front()) == std::string_view::npos)
    return false;
  return name.find_first_not_of(std::string(kFirst) + "_.-") == std::string_view::npos &&
         std::find(std::begin(kReserved), std::end(kReserved), name) == std::end(kReserved);
}

// Empty where the caller has no such directory.
std::string OwnDirectory(const Host& host) {
  const Result<std::string> config = ExpandPath("${XDG_CONFIG_HOME}", {}, host);
  return config ? JoinPath(*config, "mxc-exec/profiles") : "";
}

bool IsBuiltin(std::string_view name) {
  const auto all = BuiltinProfiles();
  return std::any_of(all.begin(), all.end(), [&](const BuiltinProfile& known) { return known.name == name; });
}

Error Unknown(const std::string& name, const Host& host) {
  const std::vector<std::string> names = ProfileNames(host);
  const std::string nearest = Nearest(name, {names.begin(), names.end()});
  return {.code = ErrorCode::kUsage,
          .message = "there is no profile " + Quoted(name),
          .hint = nearest.empty() ? "`mxc-exec profile list` shows them"
                                  : "did you mean " + nearest + "? `mxc-exec profile list` shows them"};
}

Error Refused(const std::string& path, std::string_view why, std::string_view hint) {
  return Conflict("the profile " + Quoted(path) + " " + std::string(why), {}, std::string(hint));
}

// What chooses a policy may be written by nobody but the caller.
Status CheckOwnProfile(const Host& host, PathWalker& walker, const Walked& file) {
  if (!file.Is(FileType::kRegular)) return Refused(file.path, "is not a regular file", "make it one");
  if (file.status->links > 1)
    return Refused(file.path, "has another name, by which somebody could write it", "copy it");
  bool own = IsCallersOwn(host, walker, file.path);
  // A link is as safe as the directory it stands in.
  for (const LinkMet& met : file.links)
    own = own && (IsRootsAlone(met) || IsCallersOwn(host, walker, std::string(ParentOf(met.link.path))));
  if (!own)
    return Refused(
        file.path, "could be changed by others",
        "let it, and each directory above it and its links, belong to you or root, and chmod go-w them");
  return Done{};
}

Result<Profile> ReadOwn(const std::string& name, const Host& host) {
  const std::string directory = OwnDirectory(host);
  const std::string path = JoinPath(directory, name + std::string(kSuffix));
  if (directory.empty() || !host.LookAt(path).status) return Unknown(name, host);
  PathWalker walker(host);
  const Result<Walked> walked = walker.Walk(path);
  if (!walked) return walked.error();
  if (Status own = CheckOwnProfile(host, walker, *walked); !own) return own.error();
  Result<std::string> text = host.ReadFile(walked->path, kMaxDocumentBytes + 1);
  if (!text) return text.error();
  std::vector<std::string> places = {walked->path};
  for (const LinkMet& met : walked->links) places.push_back(met.link.path);
  return Profile{.name = name, .file = walked->path, .places = std::move(places), .text = std::move(*text)};
}

Result<Profile> Find(const std::string& name, const Host& host) {
  if (!IsProfileName(name)) return Unknown(name, host);
  for (const BuiltinProfile& known : BuiltinProfiles())
    if (known.name == name) return Profile{.name = name, .text = std::string(known.text)};
  return ReadOwn(name, host);
}

}  // namespace

std::vector<std::string> ProfileNames(const Host& host) {
  std::vector<std::string> names;
  for (const BuiltinProfile& known : BuiltinProfiles()) names.emplace_back(known.name);
  const std::string directory = OwnDirectory(host);
  const Result<std::vector<std::string>> files = directory.empty() || !host.LookAt(directory).status
                                                     ? std::vector<std::string>{}
                                                     : host.ListDirectory(directory);
  if (!files) return names;
  std::vector<std::string> own;
  for (const std::string& file : *files) {
    if (!file.ends_with(kSuffix)) continue;
    const std::string name = file.substr(0, file.size() - kSuffix.size());
    if (IsProfileName(name) && !IsBuiltin(name)) own.push_back(name);
  }
  std::sort(own.begin(), own.end());
  names.insert(names.end(), own.begin(), own.end());
  return names;
}

Result<Profile> ReadProfile(const std::string& name, const Host& host) {
  Result<Profile> profile = Find(name, host);
  if (!profile) return profile;
  const std::string source = profile->file.empty() ? "<profile " + name + ">" : profile->file;
  Result<Json> document = ParseDocument({.name = source, .bytes = profile->text});
  if (!document) return document.error();
  profile->document = std::move(*document);
  return profile;
}

std::string ProfileForHost(std::string_view host) {
  constexpr std::string_view kToolchains[] = {"cargo", "cmake", "go", "java", "node", "python"};
  const std::string entry = "\"host\": \"" + std::string(host) + "\"";
  for (const BuiltinProfile& known : BuiltinProfiles()) {
    const bool toolchain =
        std::find(std::begin(kToolchains), std::end(kToolchains), known.name) != std::end(kToolchains);
    if (toolchain && known.text.find(entry) != std::string_view::npos) return std::string(known.name);
  }
  return "";
}

std::string AboutProfile(const Profile& profile) {
  const Json* const comment =
      profile.document.kind == Json::Kind::kObject ? profile.document.Find("_comment") : nullptr;
  if (comment == nullptr) return "";
  const std::string text = comment->items.empty() ? comment->text : comment->items.front().text;
  return Escaped(text.substr(0, text.find('\n')));
}

std::string ProfileTable(const Host& host) {
  std::string table;
  for (const std::string& name : ProfileNames(host)) {
    const Result<Profile> profile = ReadProfile(name, host);
    std::string about = profile ? AboutProfile(*profile) : "refused: " + profile.error().message;
    if (profile && !profile->file.empty()) about += about.empty() ? "your own" : " (your own)";
    table += fmt::format("{:<12} {}\n", name, about);
  }
  return table;
}

}  // namespace mxc
