#include "profiles/expand_document.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "config/decoding.h"
#include "document/place.h"
#include "policy/paths/glob.h"
#include "policy/paths/homes.h"

namespace mxc {
namespace {

// Beside HOME and PWD. The default is below HOME, as the XDG Base Directory Specification has it; the last
// has none.
struct XdgDirectory {
  std::string_view name;
  std::string_view standard;
};
constexpr XdgDirectory kXdgDirectories[] = {{"XDG_CONFIG_HOME", "/.config"},
                                            {"XDG_CACHE_HOME", "/.cache"},
                                            {"XDG_DATA_HOME", "/.local/share"},
                                            {"XDG_STATE_HOME", "/.local/state"},
                                            {"XDG_RUNTIME_DIR", ""}};
constexpr std::string_view kKnown =
    "known are ~, ${HOME}, ${PWD} (the directory of this file), ${XDG_CONFIG_HOME}, ${XDG_CACHE_HOME}, "
    "${XDG_DATA_HOME}, ${XDG_STATE_HOME} and ${XDG_RUNTIME_DIR}";

class Expander {
 public:
  Expander(const ExpansionPlaces& places, const Host& host) : places_(places), host_(host) {}

  [[nodiscard]] Result<std::string> Expand(const std::string& path) const {
    std::string_view rest = path;
    std::string name;
    if (rest.starts_with('~')) {
      name = "HOME";
      rest.remove_prefix(1);
    } else if (const std::size_t end = rest.find('}'); rest.starts_with("${") && end != rest.npos) {
      name = rest.substr(2, end - 2);
      rest.remove_prefix(end + 1);
    }
    const bool whole = rest.empty() || rest.front() == '/';
    if (rest.find("${") != rest.npos || (!name.empty() && !whole))
      return Refuse("in " + Ticked(path) + " only the first directory can be a variable",
                    "write ~/x or ${NAME}/x");
    if (name.empty()) return path;
    const Result<std::string> start = ValueOf(name);
    if (!start) return start.error();
    return Below(*start, rest);
  }

  [[nodiscard]] Status ExpandValue(const Place& place, Json& value) const {
    if (value.kind != Json::Kind::kString) return Done{};  // Decode says so
    Result<std::string> expanded = Expand(value.text);
    if (!expanded) return ErrorAt(place, value.position, expanded.error().message, expanded.error().hint);
    value.text = std::move(*expanded);
    return Done{};
  }

 private:
  static Error Refuse(std::string message, std::string_view hint) {
    return {.code = ErrorCode::kSchema, .message = std::move(message), .hint = std::string(hint)};
  }

  [[nodiscard]] std::optional<std::string> Lookup(const std::string& name, const XdgDirectory* xdg) const {
    if (xdg == nullptr)
      return name == "HOME" ? CallersHome(host_) : name == "PWD" ? places_.directory : places_.cache;
    std::optional<std::string> set = host_.Environment(name);
    const std::optional<std::string> home = CallersHome(host_);
    if ((set && !set->empty()) || xdg->standard.empty() || !home) return set;
    return *home + std::string(xdg->standard);
  }

  [[nodiscard]] Result<std::string> ValueOf(const std::string& name) const {
    const auto refuse = [&](std::string_view why, std::string_view hint = kKnown) {
      return Refuse(Ticked("${" + name + "}") + std::string(why), hint);
    };
    const auto* xdg = std::find_if(std::begin(kXdgDirectories), std::end(kXdgDirectories),
                                   [&](const XdgDirectory& known) { return known.name == name; });
    const bool is_xdg = xdg != std::end(kXdgDirectories);
    const bool is_cache = name == "CACHE" && !places_.cache.empty();
    if (!is_xdg && !is_cache && name != "HOME" && name != "PWD") return refuse(" is not expanded");
    std::optional<std::string> value = Lookup(name, is_xdg ? xdg : nullptr);
    if (name == "PWD" && places_.directory.empty())
      return refuse(" is the directory of a file, and this is none");
    if (!value || value->empty()) {
      const bool below_home = is_xdg && !xdg->standard.empty();
      return refuse(" is not set", "set " + name + (below_home ? " or HOME" : ""));
    }
    if (!IsAbsolutePath(*value)) return refuse(" is not an absolute path");
    return std::move(*value);
  }

  const ExpansionPlaces& places_;
  const Host& host_;
};

Json* Inside(Json* object, std::string_view key) {
  if (object == nullptr) return nullptr;
  for (JsonMember& member : object->members) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

// What the reference reads on macOS, in paths and in the working directory.
bool IsOfHome(std::string_view path) { return path == "~" || path.starts_with("~/"); }

bool IsForSeatbelt(Json& document, const Host& host) {
  const Json* const containment = Inside(&document, "containment");
  const std::string_view name = containment != nullptr ? std::string_view(containment->text) : "process";
  if (name == "seatbelt" || name == "macos_sandbox") return true;
  return host.System() == OperatingSystem::kMacos && (name == "process" || name == "auto");
}

}  // namespace

std::optional<std::string> CallersHome(const Host& host) {
  const bool windows = host.System() == OperatingSystem::kWindows;
  std::optional<std::string> set = host.Environment(windows ? "USERPROFILE" : "HOME");
  if (windows || (set && !set->empty())) return set;
  std::vector<std::string> homes = WrittenHomes(host);
  return homes.empty() ? std::nullopt : std::optional(std::move(homes.front()));
}

Status ExpandDocument(const std::string& directory, const Host& host, Json& document) {
  const Json* const written = Inside(&document, "expand");
  const bool home_alone = written == nullptr && IsForSeatbelt(document, host);
  if (!home_alone && (written == nullptr || !written->boolean)) return Done{};
  const ExpansionPlaces places{.directory = directory};
  const Expander expander(places, host);
  const auto expand = [&](const Place& place, Json& value) {
    const bool stays = home_alone && !IsOfHome(value.text);
    return stays ? Status(Done{}) : expander.ExpandValue(place, value);
  };
  Json* const process = Inside(&document, "process");
  const std::pair<Place, Json*> single[] = {
      {Place{}.Key("process").Key("cwd"), Inside(process, "cwd")},
      {Place{}.Key("audit").Key("path"), Inside(Inside(&document, "audit"), "path")},
      {Place{}.Key("process").Key("workspace").Key("host"), Inside(Inside(process, "workspace"), "host")}};
  for (const auto& [place, value] : single) {
    if (value == nullptr) continue;
    if (Status status = expand(place, *value); !status) return status;
  }
  for (const char* key : {"readwritePaths", "readonlyPaths", "deniedPaths", "repositories"}) {
    Json* const list = Inside(Inside(&document, "filesystem"), key);
    for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i) {
      const Place place = Place{}.Key("filesystem").Key(key).Item(i);
      if (Status status = expand(place, list->items[i]); !status) return status;
    }
  }
  return Done{};
}

Result<std::string> ExpandPath(const std::string& path, const ExpansionPlaces& places, const Host& host) {
  return Expander(places, host).Expand(path);
}

}  // namespace mxc
