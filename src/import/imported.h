// What another program's settings come to, before it is written as a configuration.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mxc/error.h"
#include "mxc/json.h"

namespace mxc {

struct ImportedHost {
  std::string name = {};  // or an address; "*": every one
  std::string port = {};  // empty: each
};

// One that a rule's `cidr` takes, and no `host`.
[[nodiscard]] bool IsAddress(const ImportedHost& host);

struct Imported {
  std::string source = {};  // "srt"
  bool reads_all = true;    // but what is denied
  std::vector<std::string> read_only = {};
  std::vector<std::string> read_write = {};
  std::vector<std::string> denied = {};
  std::vector<std::string> no_write = {};  // wherever a grant stands
  std::vector<std::string> kept = {};      // the same, whatever the settings say
  bool safe_git_config = false;
  bool open_egress = false;
  std::vector<ImportedHost> allow = {};
  std::vector<ImportedHost> deny = {};
  std::vector<std::string> warnings = {};  // what is left out, and why
};

// A path as those programs write it, as an expanded one of ours: "./x" as "${PWD}/x". Empty: it has none.
[[nodiscard]] std::string ImportedPath(std::string_view written);
// The same for a denial, which must not lose what a pattern means there: "{a,b}" is none of ours.
[[nodiscard]] std::string ImportedDenial(std::string_view written);
[[nodiscard]] bool HasPattern(std::string_view path);
// "name:443", "[::1]:443"; one that is none of ours is left out. Errors: kUnsupported, where it denies.
[[nodiscard]] Status AddHost(const std::string& key, const std::string& written, bool allow,
                             Imported& imported);

[[nodiscard]] Status CheckKind(const std::string& key, const Json& value, Json::Kind kind);
// Strings of a list. Errors: kSchema, when `value` is none.
[[nodiscard]] Result<std::vector<std::string>> StringsOf(const std::string& key, const Json& value);
// kUnsupported: the settings mean more than a configuration may, or deny what it cannot.
[[nodiscard]] Error CannotImport(const std::string& key, const std::string& why);
// Of a key that may be one more list of what is denied.
inline constexpr const char* kUnknownDenial = "mxc-exec does not know it, and it may deny what would be open";
// Of one that limits a network which the configuration would open.
inline constexpr const char* kUnheldLimit =
    "it limits the network in a way that no configuration says, and without it the network would be open";
// Null, false, and what is empty.
[[nodiscard]] bool SaysNothing(const Json& value);
// By default, or every name.
[[nodiscard]] bool OpensAll(const Imported& imported);
void LeaveOut(const std::string& key, std::string_view why, Imported& imported);
// One line for all the keys that concern the agent itself.
void LeaveToAgent(const std::vector<std::string>& keys, Imported& imported);

// Of srt, and Claude Code's, which are the same within `sandbox`.
[[nodiscard]] Result<Imported> ImportSrt(const Json& settings);
[[nodiscard]] Result<Imported> ImportClaude(const Json& settings);
[[nodiscard]] Result<Imported> ImportCodex(const Json& settings);

}  // namespace mxc
