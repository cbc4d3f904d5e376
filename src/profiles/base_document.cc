#include "profiles/base_document.h"

#include <utility>

#include "base/quoted.h"
#include "document/make_json.h"
#include "policy/paths/paths.h"

namespace mxc {
namespace {

constexpr const char* kPresets[] = {"git", "shell", "editors", "agents"};

void Put(Json& object, const std::string& key, Json value) {
  object.members.push_back({.key = key, .value = std::move(value)});
}

// Those of ~/.local that there are.
Json ProgramsAtHome(const Host& host) {
  Json paths = Empty(Json::Kind::kArray);
  const std::string home = host.Environment("HOME").value_or("");
  for (const char* const below : {".local/bin", ".local/lib"}) {
    const std::string path = JoinPath(home, below);
    const bool directory = home.starts_with('/') && host.LookAt(path).status &&
                           host.LookAt(path).status->object.type == FileType::kDirectory;
    if (directory) paths.items.push_back(StringOf(path));
  }
  return paths;
}

}  // namespace

Status AddBase(const std::string& base, const Host& host, Json& document) {
  const bool agent = base == "agent";
  if (!agent && base != "build" && base != "restrictive")
    return Error{.code = ErrorCode::kUsage,
                 .message = "there is no base " + Quoted(base),
                 .hint = "one of: restrictive, build, agent"};
  std::erase_if(document.members, [](const JsonMember& member) { return member.key == "filesystem"; });
  if (base == "restrictive") return Done{};
  const std::string here = host.WorkingDirectory();
  if (here.empty())
    return Error{.code = ErrorCode::kUsage,
                 .message = "the working directory has no name that could be granted",
                 .hint = "change to another, or write a configuration"};
  Json files = Map("readwritePaths", List(StringOf(here)));
  if (host.System() == OperatingSystem::kLinux) Put(files, "tools", StringOf("inherit"));
  if (agent) {
    Put(files, "readonlyPaths", ProgramsAtHome(host));
    Json presets = Empty(Json::Kind::kArray);
    for (const char* const preset : kPresets) presets.items.push_back(StringOf(preset));
    Put(files, "protect", std::move(presets));
  }
  Put(document, "filesystem", std::move(files));
  return Done{};
}

}  // namespace mxc
