#include "read_request.h"

#include <unistd.h>

#include <utility>

#include "config/decode.h"
#include "config/endpoint.h"
#include "document/parse.h"
#include "document/source.h"
#include "mxc/windows/path.h"

namespace mxc {
namespace {

Json Text(std::string value) {
  Json json;
  json.kind = Json::Kind::kString;
  json.text = std::move(value);
  return json;
}

Json Number(std::uint32_t value) {
  Json json;
  json.kind = Json::Kind::kInteger;
  json.integer = value;
  json.text = std::to_string(value);
  return json;
}

Json Items(std::vector<Json> items) {
  Json json;
  json.kind = Json::Kind::kArray;
  json.items = std::move(items);
  return json;
}

Json List(const std::vector<std::string>& values) {
  std::vector<Json> items;
  items.reserve(values.size());
  for (const std::string& value : values) items.push_back(Text(value));
  return Items(std::move(items));
}

Json Map(std::vector<std::pair<std::string, Json>>&& members) {
  Json json;
  json.kind = Json::Kind::kObject;
  for (auto& [key, value] : members)
    json.members.push_back({.key = std::move(key), .value = std::move(value)});
  return json;
}

void Put(Json& object, const std::string& key, Json value) {
  for (JsonMember& member : object.members) {
    if (member.key != key) continue;
    member.value = std::move(value);
    return;
  }
  object.members.push_back({.key = key, .value = std::move(value)});
}

// Flags are typed in a shell, where "." means the directory one stands in; a document has no such place.
std::string Absolute(const std::string& path, const Host& host) {
  const std::string here = host.WorkingDirectory();
  // Without a name for the place the path stays relative, and Decode refuses it: never guess what is granted.
  if (path.empty() || path.front() == '/' || here.empty() || IsOnDrive(path)) return path;
  return here + "/" + path;
}

std::vector<std::string> Absolute(const std::vector<std::string>& paths, const Host& host) {
  std::vector<std::string> result;
  result.reserve(paths.size());
  for (const std::string& path : paths) result.push_back(Absolute(path, host));
  return result;
}

// "name:443", "10.0.0.0/8:443", "[::1]:443"; a colon of an IPv6 address alone is none of a port. What cannot
// be read is left to Decode.
struct HostFlag {
  std::string host = {};
  std::uint16_t port = 0;  // 0: every port
};
HostFlag SplitHostFlag(const std::string& text) {
  const Result<HostEntry> entry = ParseHostEntry(text);
  HostFlag flag{.host = text, .port = entry ? entry->port : std::uint16_t{0}};
  if (flag.port != 0) flag.host.resize(text.rfind(':'));
  if (entry && flag.host.starts_with('[')) flag.host = flag.host.substr(1, flag.host.find(']') - 1);
  return flag;
}

bool LooksLikeAddress(const std::string& host) {
  return host.find_first_not_of("0123456789./") == std::string::npos || host.find(':') != std::string::npos;
}

// The flags of a run without a file as the document one would have written, so that both go through the same
// checks.
Json DocumentFromFlags(const Options& options, const Host& host) {
  Json process = Map({{"argv", List(options.command)}});
  if (!options.cwd.empty()) Put(process, "cwd", Text(Absolute(options.cwd, host)));
  if (options.timeout_ms != 0) Put(process, "timeout", Number(options.timeout_ms));
  if (!options.environment.empty()) {
    Json yes;
    yes.kind = Json::Kind::kBool;
    yes.boolean = true;
    Put(process, "env", List(options.environment));
    Put(process, "inheritDefaultEnv", std::move(yes));
  }
  Json document = Map({{"version", Text("1.1.0-alpha")}, {"process", std::move(process)}});
  Json files = Map({{"readonlyPaths", List(Absolute(options.read_only, host))},
                    {"readwritePaths", List(Absolute(options.read_write, host))},
                    {"deniedPaths", List(Absolute(options.denied, host))}});
  Put(document, "filesystem", std::move(files));
  if (!options.allowed_hosts.empty()) {
    Json rules;
    rules.kind = Json::Kind::kArray;
    for (const std::string& text : options.allowed_hosts) {
      const auto [name, port] = SplitHostFlag(text);
      Json rule = Map({{"to", Items({Map({{LooksLikeAddress(name) ? "cidr" : "host", Text(name)}})})}});
      if (port != 0) Put(rule, "ports", Items({Map({{"port", Number(port)}})}));
      rules.items.push_back(std::move(rule));
    }
    Put(document, "network", Map({{"egress", Map({{"allow", std::move(rules)}})}}));
  }
  return document;
}

Result<Source> ReadVariable(const std::string& name, const Host& host) {
  std::optional<std::string> value = host.Environment(name);
  if (value) return Source{.name = "<variable " + name + ">", .bytes = std::move(*value)};
  return Error{.code = ErrorCode::kMalformed,
               .message = "Cannot read config: the environment variable '" + name + "' is not set"};
}

Result<Source> ReadSource(const Options& options, const Host& host) {
  if (options.config_base64) return DecodeBase64Source(*options.config_base64);
  if (!options.config_path && !options.config_fd) return ReadVariable(options.config_env, host);
  if (options.config_fd) {
    return ReadDescriptorSource(*options.config_fd, "<fd " + std::to_string(*options.config_fd) + ">");
  }
  if (*options.config_path == "-") return ReadDescriptorSource(STDIN_FILENO, "<stdin>");
  return ReadFileSource(*options.config_path);
}

Result<Json> ReadDocument(const Options& options, const Host& host) {
  if (!options.HasConfig()) return DocumentFromFlags(options, host);
  const Result<Source> source = ReadSource(options, host);
  if (!source) return source.error();
  return ParseDocument(*source);
}

}  // namespace

Request ReadRequest(const Options& options, const Host& host) {
  Result<Json> document = ReadDocument(options, host);
  if (!document) return {.config = document.error()};
  if (!options.containment.empty() && document->kind == Json::Kind::kObject) {
    Put(*document, "containment", Text(options.containment));
  }
  DecodeOptions decode{.system = host.System(), .testing_features = options.testing_features};
  if (options.HasConfig()) decode.command = options.command;
  return {.lifecycle = PhaseOf(*document).has_value(), .config = Decode(*document, decode)};
}

}  // namespace mxc
