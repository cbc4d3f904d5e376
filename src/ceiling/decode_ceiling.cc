// Decodes the text of a ceiling, its bounds as a policy's clauses, and finds the caller's sections.
#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "base/lists.h"
#include "base/quoted.h"
#include "ceiling/ceiling.h"
#include "config/decode.h"
#include "config/decoding.h"
#include "config/endpoint.h"
#include "config/shape.h"
#include "document/make_json.h"
#include "document/parse.h"
#include "document/place.h"

namespace mxc {
namespace {

constexpr std::size_t kMaxNamesFile = std::size_t{64} * 1024 * 1024;

// ---- sections --------------------------------------------------------------------------------------------

void PutMember(Json& object, std::string_view key, const Json* value) {
  if (value != nullptr) object.members.push_back({.key = std::string(key), .value = *value});
}

// A policy does not name the proxy: ReadUpstreamOf.
void DropUpstream(Json& network) {
  for (JsonMember& member : network.members) {
    if (member.key != "egress") continue;
    std::erase_if(member.value.members, [](const JsonMember& own) { return own.key == "upstreamProxy"; });
  }
}

// What a section bounds, as a policy that could be run.
Json PolicyOf(const Json& section, std::uint32_t uid) {
  Json process = Empty(Json::Kind::kObject);
  const Json command = List(StringOf("true"));
  PutMember(process, "argv", &command);
  PutMember(process, "timeout", Member(Member(&section, "process"), "timeout"));
  Json policy = Empty(Json::Kind::kObject);
  const Json version = StringOf("1.1.0-alpha");
  PutMember(policy, "version", &version);
  PutMember(policy, "process", &process);
  for (const std::string_view key : {"filesystem", "network", "resources", "output", "helpers"})
    PutMember(policy, key, section.Find(key));
  for (JsonMember& member : policy.members)
    if (member.key == "network") DropUpstream(member.value);
  PutMember(policy, "minimumTier", Member(Member(&section, "require"), "minimumTier"));
  if (const Json* const path = Member(Member(&section, "audit"), "path")) {
    constexpr std::string_view kUid = "{uid}";
    std::string text = path->text;
    for (std::size_t at = text.find(kUid); at != std::string::npos; at = text.find(kUid, at))
      text.replace(at, kUid.size(), std::to_string(uid));
    Json audit = Map("path", StringOf(std::move(text)));
    PutMember(audit, "syslog", Member(Member(&section, "audit"), "syslog"));
    PutMember(policy, "audit", &audit);
  }
  return policy;
}

std::vector<std::string> TextsOf(const Json& list) {
  std::vector<std::string> texts;
  for (const Json& item : list.items) texts.push_back(item.text);
  return texts;
}

Requirements RequirementsOf(const Json& require) {
  Requirements requirements{.audit = require.At("audit").boolean,
                            .review = Member(&require, "review") != nullptr,
                            .verify = require.At("verify").boolean};
  for (const Json& item : require.At("protect").items) requirements.protect.push_back(PresetNamed(item.text));
  if (const Json* const list = Member(&require, "containments")) requirements.containments = TextsOf(*list);
  if (const Json* const list = Member(&require, "profiles")) requirements.profiles = TextsOf(*list);
  return requirements;
}

// A socket named by a variable would be the caller's choice.
Status CheckSocketsOf(const Config& bounds) {
  for (const PathEntry& socket : bounds.sockets) {
    if (!socket.path.starts_with('$')) continue;
    return Error{.code = ErrorCode::kSchema,
                 .message = "`" + socket.path + "` at " + socket.pointer + " is the caller's to choose",
                 .hint = "write the path of the socket"};
  }
  return Done{};
}

// The environment would be the caller's choice, too.
Status ReadUpstreamOf(const Json& section, Network& bounds) {
  const Json* const written = Member(Member(Member(&section, "network"), "egress"), "upstreamProxy");
  if (written == nullptr) return Done{};
  const Place place = Place{}.Key("network").Key("egress").Key("upstreamProxy");
  const auto refuse = [&](const std::string& message) {
    return Error{.code = ErrorCode::kSchema, .message = message, .hint = "write the proxy: http://HOST:PORT"};
  };
  if (written->text == "environment")
    return refuse("`environment` at " + place.pointer + " is the caller's to choose");
  const Result<ProxyUrl> url = ParseProxyUrl(written->text);
  if (!url) return refuse(url.error().message + ", at " + place.pointer);
  if (url->scheme != "http") return refuse("the gateway does not speak TLS to a proxy, at " + place.pointer);
  const UpstreamProxy proxy{.host = url->host, .port = url->port};
  bounds.upstream = {.pointer = place.pointer, .http = proxy, .others = proxy};
  return Done{};
}

Error InSection(const std::string& pointer, Error error) {
  if (!pointer.empty()) error.message = pointer + ": " + error.message;
  return error;
}

Result<CeilingSection> DecodeSection(const Json& json, const std::string& pointer, const Host& host) {
  if (json.kind != Json::Kind::kObject)
    return InSection(pointer, ErrorAt(Place{}, json.position, "invalid type, expected an object"));
  ShapeReport shape = CheckCeilingShape(json);
  if (!shape.errors.empty()) return InSection(pointer, std::move(shape.errors.front()));
  if (!pointer.empty() && (json.Find("users") != nullptr || json.Find("groups") != nullptr))
    return InSection(pointer, ErrorAt(Place{}, json.position, "a section has no `users` or `groups`"));
  Result<Config> bounds = Decode(PolicyOf(json, host.Caller().uid), {.system = host.System()});
  if (!bounds) return InSection(pointer, std::move(bounds.error()));
  if (const Status sockets = CheckSocketsOf(*bounds); !sockets) return InSection(pointer, sockets.error());
  if (const Status upstream = ReadUpstreamOf(json, bounds->network); !upstream)
    return InSection(pointer, upstream.error());
  CeilingSection section{.pointer = pointer,
                         .bounds = std::move(*bounds),
                         .filesystem = Member(&json, "filesystem") != nullptr,
                         .network = Member(&json, "network") != nullptr,
                         .require = RequirementsOf(json.At("require")),
                         .refuses = json.At("onExcess").text == "refuse"};
  const Json* const session = Member(&json, "session");
  if (const Json* const idle = Member(session, "idleTimeoutMs")) section.idle_ms = idle->integer;
  if (const Json* const life = Member(session, "lifetimeMs")) section.lifetime_ms = life->integer;
  if (const Json* const names = Member(Member(&json, "process"), "env")) section.variables = TextsOf(*names);
  return section;
}

// ---- the caller's sections --------------------------------------------------------------------------------

bool IsNumber(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Of /etc/passwd and /etc/group: "name:x:number:...".
struct Named {
  std::set<std::string> all = {};
  std::set<std::string> callers = {};        // names of the caller's numbers
  std::set<std::string> callers_known = {};  // numbers of the caller's that have a name
};

Named NamesIn(const Host& host, const std::string& file, const std::set<std::string>& numbers) {
  Named named;
  const Result<std::string> text = host.ReadFile(file, kMaxNamesFile);
  std::string_view rest = text ? std::string_view(*text) : std::string_view();
  while (!rest.empty()) {
    const std::string_view line = TakePiece(rest, '\n');
    const std::size_t password = line.find(':');
    const std::size_t number = password == std::string_view::npos ? password : line.find(':', password + 1);
    if (number == std::string_view::npos) continue;
    const std::string name{line.substr(0, password)};
    const std::string digits{line.substr(number + 1, line.find(':', number + 1) - number - 1)};
    named.all.insert(name);
    if (!numbers.contains(digits)) continue;
    named.callers.insert(name);
    named.callers_known.insert(digits);
  }
  return named;
}

// Whether it is a uid or gid as the system writes it: not "01001", not 4294967296.
bool IsSomebodys(std::string_view number) {
  constexpr std::uint64_t kNobody = 0xffffffff;
  constexpr std::size_t kMostDigits = 10;
  return number.size() <= kMostDigits && (number == "0" || number.front() != '0') &&
         std::stoull(std::string(number)) < kNobody;
}

// The members of `sections` that are about the caller. Errors: a number stands there that nobody has, or a
// name that may be the caller's.
Result<std::vector<const JsonMember*>> CallersIn(const Json& sections, const Host& host,
                                                 const std::string& file,
                                                 const std::set<std::string>& numbers) {
  std::vector<const JsonMember*> found;
  const bool names = std::any_of(sections.members.begin(), sections.members.end(),
                                 [](const JsonMember& member) { return !IsNumber(member.key); });
  const Named named = names ? NamesIn(host, file, numbers) : Named{};
  for (const JsonMember& member : sections.members) {
    if (IsNumber(member.key) && !IsSomebodys(member.key))
      return Error{.code = ErrorCode::kSchema,
                   .message = Quoted(member.key) + " is no number that a user or a group has",
                   .hint = "write it without zeros in front"};
    if (numbers.contains(member.key) || named.callers.contains(member.key)) {
      found.push_back(&member);
      continue;
    }
    if (IsNumber(member.key) || named.all.contains(member.key)) continue;
    for (const std::string& number : numbers) {
      if (named.callers_known.contains(number)) continue;
      return Error{.code = ErrorCode::kSchema,
                   .message = Quoted(member.key) + " is not in " + file + ", and may be the caller's " +
                              number + ", which has no name there",
                   .hint = "write the number"};
    }
  }
  return found;
}

// The caller's sections of a list. Errors in the sections of others are reported too, to whoever meets them
// first.
Result<std::vector<CeilingSection>> OwnOf(const Json& written, std::string_view list, const Host& host,
                                          const std::string& file, const std::set<std::string>& numbers) {
  const Result<std::vector<const JsonMember*>> callers = CallersIn(written, host, file, numbers);
  if (!callers) return callers.error();
  std::vector<CeilingSection> sections;
  for (const JsonMember& member : written.members) {
    Result<CeilingSection> section =
        DecodeSection(member.value, PointerTo("/" + std::string(list), member.key), host);
    if (!section) return section.error();
    const bool own = std::find(callers->begin(), callers->end(), &member) != callers->end();
    if (own) sections.push_back(std::move(*section));
  }
  return sections;
}

}  // namespace

Result<std::vector<CeilingSection>> DecodeCeiling(const std::string& text, const Host& host,
                                                  const std::vector<std::uint32_t>& groups) {
  const Result<Json> document = ParseDocument({.name = CeilingFile(host.System()), .bytes = text});
  if (!document) return document.error();
  Result<CeilingSection> general = DecodeSection(*document, "", host);
  if (!general) return general.error();
  std::set<std::string> gids{std::to_string(host.Caller().gid)};
  for (const std::uint32_t gid : groups) gids.insert(std::to_string(gid));
  const std::set<std::string> uids{std::to_string(host.Caller().uid)};
  const auto own = [&](std::string_view list, const std::string& file,
                       const std::set<std::string>& numbers) -> Result<std::vector<CeilingSection>> {
    const Json* const written = Member(&*document, list);
    return written == nullptr ? std::vector<CeilingSection>{} : OwnOf(*written, list, host, file, numbers);
  };
  Result<std::vector<CeilingSection>> user = own("users", "/etc/passwd", uids);
  Result<std::vector<CeilingSection>> group = own("groups", "/etc/group", gids);
  if (user && user->size() > 1)
    return Error{.code = ErrorCode::kSchema,
                 .message = Quoted(user->front().pointer) + " and " + Quoted(user->back().pointer) +
                            " are sections of one user",
                 .hint = "write one of them"};
  if (!user || !user->empty()) return user;
  if (!group || !group->empty()) return group;
  std::vector<CeilingSection> sections;
  sections.push_back(std::move(*general));
  return sections;
}

}  // namespace mxc
