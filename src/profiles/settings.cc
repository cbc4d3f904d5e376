#include "profiles/settings.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/quoted.h"
#include "document/parse.h"
#include "document/place.h"
#include "mxc/limits.h"
#include "policy/paths/callers_own.h"
#include "policy/paths/paths.h"
#include "profiles/expand_document.h"

namespace mxc {
namespace {

constexpr std::string_view kOfDocuments[] = {"containment", "profiles", "audit", "helpers", "review"};

Error InSettings(const std::string& file, Error error) {
  error.message = "the settings " + Quoted(file) + ": " + error.message;
  if (!error.pointer.empty()) error.pointer = "settings: " + error.pointer;
  return error;
}

Error NotTrusted(const std::string& file, std::string_view why) {
  return Conflict("the settings " + Quoted(file) + " " + std::string(why), {},
                  "let it be a file of yours, and chmod go-w it and each directory above it");
}

// What chooses policies may be written by nobody but the caller.
Status CheckTrusted(const std::string& file, const Host& host) {
  const Lookup lookup = host.LookAt(file);
  const Lookup above = host.LookAt(std::string(ParentOf(file)));
  if (!lookup.status || !above.status) return NotTrusted(file, "cannot be looked at: " + lookup.reason);
  if (!lookup.Is(FileType::kRegular) || !above.Is(FileType::kDirectory))
    return NotTrusted(file, "is reached by a link, or is no file");
  if (lookup.status->links > 1) return NotTrusted(file, "has another name, by which somebody could write it");
  PathWalker walker(host);
  const Result<Walked> walked = walker.Walk(file);
  if (!walked || !IsCallersOwn(host, walker, walked->path))
    return NotTrusted(file, "could be changed by others");
  return Done{};
}

Status Take(const JsonMember& member, Settings& settings) {
  const Place place = Place{}.Key(member.key);
  if (member.key == "$schema" || member.key == "_comment") return Done{};
  if (member.key == "report") {
    const bool brief = member.value.kind == Json::Kind::kString && member.value.text == "short";
    if (!brief && member.value.kind != Json::Kind::kBool)
      return ErrorAt(place, member.value.position, "is true, false or `short`");
    if (brief || member.value.boolean) settings.report = brief ? "short" : "";
    return Done{};
  }
  if (std::find(std::begin(kOfDocuments), std::end(kOfDocuments), member.key) == std::end(kOfDocuments))
    return ErrorAt(
        place, member.position,
        "unknown field, expected one of `containment`, `profiles`, `audit`, `helpers`, `review`, `report`");
  settings.members.push_back(member);
  return Done{};
}

}  // namespace

Result<Settings> ReadSettings(const Host& host) {
  const Result<std::string> config = ExpandPath("${XDG_CONFIG_HOME}", {}, host);
  if (!config || host.System() == OperatingSystem::kWindows) return Settings{};
  const std::string file = JoinPath(*config, "mxc-exec/config.json");
  const Lookup lookup = host.LookAt(file);
  if (!lookup.status && lookup.failure != LookupFailure::kOther) return Settings{};
  if (const Status trusted = CheckTrusted(file, host); !trusted) return trusted.error();
  Result<std::string> text = host.ReadFile(file, kMaxDocumentBytes);
  if (!text) return InSettings(file, text.error());
  const Result<Json> document = ParseDocument({.name = file, .bytes = std::move(*text)});
  if (!document) return InSettings(file, document.error());
  if (document->kind != Json::Kind::kObject)
    return InSettings(file, ErrorAt(Place{}, document->position, "invalid type, expected an object"));
  Settings settings{.file = file};
  for (const JsonMember& member : document->members) {
    if (const Status taken = Take(member, settings); !taken) return InSettings(file, taken.error());
  }
  return settings;
}

void AddSettings(Settings& settings, Json& document) {
  if (document.kind != Json::Kind::kObject) settings.members.clear();
  std::erase_if(settings.members,
                [&](const JsonMember& member) { return document.Find(member.key) != nullptr; });
  document.members.insert(document.members.end(), settings.members.begin(), settings.members.end());
}

void NameSettings(const Settings& settings, bool containment_overruled, Result<Config>& config) {
  for (const JsonMember& member : settings.members) {
    if (member.key == "containment" && containment_overruled) continue;
    const std::string pointer = "/" + member.key;
    if (!config) {
      if (IsAtOrBelow(config.error().pointer, pointer))
        config = InSettings(settings.file, std::move(config.error()));
      continue;
    }
    if (member.key == "audit") config->audit_pointer = "settings: /audit";
    if (member.key == "review") config->review_pointer = "settings: /review";
    for (HelperPin& pin : config->helpers)
      if (member.key == "helpers") pin.pointer = "settings: " + pin.pointer;
    if (member.key == "containment") config->containment_pointer = "settings: /containment";
  }
}

}  // namespace mxc
