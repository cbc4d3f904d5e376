// Any bytes through Parse and Decode. Properties: no crash; an error says what and stays within its bounds;
// a configuration that comes out holds what its types promise; no message repeats what may be a secret.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "config/decode.h"
#include "document/parse.h"
#include "mxc/limits.h"

namespace mxc {
namespace {

// The corpus puts it where secrets stand: values of variables, credentials of proxies.
constexpr std::string_view kMarker = "5ecret-marker";

void Require(bool holds, std::string_view property) {
  if (holds) return;
  std::cerr << "violated: " << property << "\n";
  std::abort();
}

bool Shows(const std::string& text) { return text.find(kMarker) != std::string::npos; }

bool Shows(const Error& error) {
  for (const Error& other : error.others) {
    if (Shows(other.message) || Shows(other.hint)) return true;
  }
  return Shows(error.message) || Shows(error.hint);
}

bool IsSecretPlace(const std::string& pointer) {
  constexpr std::string_view kEnvironment = "/process/env/";
  return pointer.starts_with(kEnvironment) || pointer == "/network/proxy/url" ||
         pointer == "/runtimeConfig/networkProxy";
}

// The marker also stands in keys, or in values that are no secrets.
bool IsMarkedElsewhere(const Json& document) {
  struct Visit {
    const Json* json;
    std::string pointer;
  };
  std::vector<Visit> todo = {{&document, ""}};
  while (!todo.empty()) {
    const Visit visit = todo.back();
    todo.pop_back();
    if (Shows(visit.json->text) && !IsSecretPlace(visit.pointer)) return true;
    for (std::size_t i = 0; i < visit.json->items.size(); ++i) {
      todo.push_back({&visit.json->items[i], PointerTo(visit.pointer, i)});
    }
    for (const JsonMember& member : visit.json->members) {
      if (Shows(member.key)) return true;
      todo.push_back({&member.value, PointerTo(visit.pointer, member.key)});
    }
  }
  return false;
}

void CheckError(const Error& error) {
  Require(!error.message.empty(), "an error has a message");
  Require(error.others.size() < kMaxReportedErrors, "the number of errors is bounded");
  Require(ExitStatus(error.code) == 1, "an error of these stages ends with 1");
  for (const Error& other : error.others) Require(!other.message.empty(), "every error has a message");
}

void CheckRules(const std::vector<NetworkRule>& rules) {
  for (const NetworkRule& rule : rules) {
    Require(!rule.pointer.empty(), "a rule knows its place");
    for (const Peer& peer : rule.to) {
      Require(peer.cidr.empty() != peer.host.empty(), "a peer is a block or a name");
      Require(peer.except.empty() || !peer.cidr.empty(), "only blocks have exceptions");
    }
    for (const PortRange& range : rule.ports) Require(range.first <= range.last, "port ranges are in order");
  }
}

void CheckConfig(const Config& config, const DecodeOptions& options) {
  const ProcessConfig& process = config.process;
  Require(process.command_line.empty() != process.argv.empty(), "there is one command");
  Require(options.command.empty() || process.argv == options.command, "a command given apart wins");
  Require(process.cwd.empty() || !process.cwd_pointer.empty(), "cwd knows its place");
  if (process.environment) {
    for (const Variable& variable : *process.environment)
      Require(!variable.name.empty(), "variables have names");
  }
  for (const auto* list : {&config.read_write, &config.read_only, &config.denied}) {
    for (const PathEntry& entry : *list)
      Require(!entry.path.empty() && !entry.pointer.empty(), "paths are whole");
  }
  CheckRules(config.network.allow);
  CheckRules(config.network.deny);
  Require(config.network_written || config.network.egress == RuleAction::kDeny, "the network starts closed");
  Require(!config.network.share_host || config.network.egress == RuleAction::kAllow, "sharing is an opening");
}

void DecodeWith(const Json& document, bool marked_elsewhere, const DecodeOptions& options) {
  const Result<Config> config = Decode(document, options);
  if (!config) {
    CheckError(config.error());
    Require(marked_elsewhere || !Shows(config.error()), "no error shows a secret");
    return;
  }
  CheckConfig(*config, options);
  for (const Warning& note : config->notes) {
    Require(marked_elsewhere || !Shows(note.message), "no note shows a secret");
  }
}

void Run(std::string bytes) {
  const Result<Json> document = ParseDocument({.name = "fuzz", .bytes = std::move(bytes)});
  if (!document) {
    CheckError(document.error());
    // Only a key that stands twice is named.
    Require(!document.error().pointer.empty() || !Shows(document.error()), "no syntax error shows a secret");
    return;
  }
  const bool marked_elsewhere = IsMarkedElsewhere(*document);
  DecodeWith(*document, marked_elsewhere, {});
  DecodeWith(*document, marked_elsewhere, {.system = OperatingSystem::kWindows});
  DecodeWith(*document, marked_elsewhere, {.system = OperatingSystem::kMacos, .command = {"ls"}});
}

}  // namespace
}  // namespace mxc

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mxc::Run(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
