#include "import/imported.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/cidr.h"
#include "config/endpoint.h"
#include "mxc/egress.h"
#include "mxc/fold.h"

namespace mxc {
namespace {

// "name:443" in two parts; one colon alone parts, unless the address is in brackets.
ImportedHost PartsOf(const std::string& written) {
  const std::size_t bracket = written.rfind(']');
  const std::size_t colon = written.rfind(':');
  const bool port = colon != std::string::npos && colon + 1 < written.size() &&
                    (bracket == std::string::npos || bracket < colon) &&
                    (bracket != std::string::npos || written.find(':') == colon);
  ImportedHost host{.name = port ? written.substr(0, colon) : written,
                    .port = port ? written.substr(colon + 1) : ""};
  if (host.name.starts_with('[') && host.name.ends_with(']') && host.name.find(':') != std::string::npos)
    host.name = host.name.substr(1, host.name.size() - 2);
  return host;
}

// Whether `host` or `cidr` of a rule takes it.
bool IsHost(const ImportedHost& host) {
  if (!host.port.empty() && !ParsePort(host.port)) return false;
  if (IsAddress(host)) return ParseCidr(host.name, HostBits::kRefuse).ok();
  return IsHostName(host.name, Wildcard::kAllowed) && Folded(host.name) != kHostLoopbackName;
}

}  // namespace

bool IsAddress(const ImportedHost& host) {
  return host.name.find(':') != std::string::npos ||
         host.name.find_first_not_of("0123456789./") == std::string::npos;
}

std::string ImportedPath(std::string_view written) {
  std::string path{written == "**" ? "." : written == "/**" ? "/" : written};
  for (const std::string_view end : {"/**", "/"})
    if (path.size() > end.size() && path.ends_with(end)) path.resize(path.size() - end.size());
  const bool of_windows = path.size() > 1 && path[1] == ':';
  const bool escapes = path.find("${") != std::string::npos || path.find('\\') != std::string::npos;
  if (path.empty() || of_windows || escapes) return "";
  if (path.starts_with('/') || path == "~" || path.starts_with("~/")) return path;
  if (path.starts_with('~') || path.starts_with('$')) return "";
  if (path == ".") return "${PWD}";
  return "${PWD}/" + (path.starts_with("./") ? path.substr(2) : path);
}

bool HasPattern(std::string_view path) { return path.find_first_of("*?[") != std::string_view::npos; }

std::string ImportedDenial(std::string_view written) {
  return written.find('{') == std::string_view::npos ? ImportedPath(written) : "";
}

Status AddHost(const std::string& key, const std::string& written, bool allow, Imported& imported) {
  ImportedHost host = PartsOf(written);
  if (host.port == "*") host.port.clear();
  if (IsHost(host)) {
    (allow ? imported.allow : imported.deny).push_back(std::move(host));
    return Done{};
  }
  const std::string at = key + " " + written;
  const std::optional<WrittenPort> port = FindWrittenPort(written);
  if (allow && port && !port->port) {
    LeaveOut(at, kNotAPort, imported);
    return Done{};
  }
  if (!allow) return CannotImport(at, "it denies what no rule of a configuration names");
  LeaveOut(at, "it is neither a name nor an address, with a port or without", imported);
  return Done{};
}

Status CheckKind(const std::string& key, const Json& value, Json::Kind kind) {
  if (value.kind == kind) return Done{};
  const char* const name = kind == Json::Kind::kObject  ? "table"
                           : kind == Json::Kind::kArray ? "list"
                                                        : "string";
  return Error{.code = ErrorCode::kSchema, .message = key + " is no " + name};
}

Result<std::vector<std::string>> StringsOf(const std::string& key, const Json& value) {
  std::vector<std::string> strings;
  bool fits = value.kind == Json::Kind::kArray;
  for (const Json& item : value.items) {
    fits = fits && item.kind == Json::Kind::kString;
    strings.push_back(item.text);
  }
  if (fits) return strings;
  return Error{.code = ErrorCode::kSchema, .message = key + " is no list of strings"};
}

Error CannotImport(const std::string& key, const std::string& why) { return Unsupported(key + ": " + why); }

bool SaysNothing(const Json& value) {
  switch (value.kind) {
    case Json::Kind::kNull:
      return true;
    case Json::Kind::kBool:
      return !value.boolean;
    case Json::Kind::kArray:
      return value.items.empty();
    case Json::Kind::kObject:
      return value.members.empty();
    case Json::Kind::kString:
    case Json::Kind::kInteger:
    case Json::Kind::kFloat:
      return false;
  }
  return false;
}

bool OpensAll(const Imported& imported) {
  return imported.open_egress || std::any_of(imported.allow.begin(), imported.allow.end(),
                                             [](const ImportedHost& host) { return host.name == "*"; });
}

void LeaveOut(const std::string& key, std::string_view why, Imported& imported) {
  imported.warnings.push_back(key + " is left out: " + std::string(why));
}

void LeaveToAgent(const std::vector<std::string>& keys, Imported& imported) {
  std::string all;
  for (const std::string& key : keys) all += (all.empty() ? "" : ", ") + key;
  if (!all.empty()) LeaveOut(all, "the agent itself reads it, not its sandbox", imported);
}

}  // namespace mxc
