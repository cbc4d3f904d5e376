#include "ceiling/cut_config.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/quoted.h"
#include "config/profile_pointer.h"
#include "policy/paths/glob.h"

namespace mxc {
namespace {

// Lowers `value` to `bound`, and returns whether it did. 0 stands for no limit.
template <class Number>
bool Lower(Number& value, Number bound) {
  if (bound == 0 || (value != 0 && value <= bound)) return false;
  value = bound;
  return true;
}

class ConfigCutter {
 public:
  ConfigCutter(const CeilingSection& section, Config& config, Cuts& cuts)
      : section_(section), bounds_(section.bounds), config_(config), cuts_(cuts) {}

  void CutProfiles() {
    if (!section_.require.profiles) return;
    Drop(config_.read_write, "grant");
    Drop(config_.read_only, "grant");
    Drop(config_.network.allow, "rule");
    if (!IsForeign(config_.tools_pointer)) return;
    cuts_.Add(section_, "/require/profiles", config_.tools_pointer, "the profile's `tools` does not count");
    config_.tools_pointer.clear();
  }

  void CutResources() {
    for (const ResourceLimit& bound : bounds_.resources) {
      const auto asked =
          std::find_if(config_.resources.begin(), config_.resources.end(),
                       [&](const ResourceLimit& limit) { return limit.resource == bound.resource; });
      ResourceLimit lowered = bound;
      lowered.pointer = section_.At(bound.pointer);
      if (asked == config_.resources.end()) {
        config_.resources.push_back(std::move(lowered));
      } else if (asked->amount > bound.amount) {
        cuts_.Add(section_, bound.pointer, asked->pointer, AmountText(*asked) + " are " + AmountText(bound));
        *asked = std::move(lowered);
      }
    }
  }

  void CutOutput() {
    Output& output = config_.output;
    const std::uint64_t asked = output.max_bytes;
    const bool lowered = Lower(output.max_bytes, bounds_.output.max_bytes);
    if (lowered && asked != 0)
      cuts_.Add(section_, "/output/maxBytes", config_.output_pointer,
                std::to_string(asked) + " bytes of output are " + std::to_string(output.max_bytes));
    output.redact_secrets = output.redact_secrets || bounds_.output.redact_secrets;
    output.redact_pii = output.redact_pii || bounds_.output.redact_pii;
    if (output.Pumped() && config_.output_pointer.empty()) config_.output_pointer = section_.At("/output");
  }

  void RaiseTier() {
    if (bounds_.minimum_tier <= config_.minimum_tier) return;
    config_.minimum_tier = bounds_.minimum_tier;
    config_.minimum_tier_pointer = section_.At("/require/minimumTier");
  }

  // With a list of repositories `git` would protect only those.
  void AddPresets() {
    for (std::size_t i = 0; i < section_.require.protect.size(); ++i) AddPreset(i);
    if (section_.require.protect.empty() || !config_.repositories_written) return;
    cuts_.Add(section_, "/require/protect", "/filesystem/repositories", "repositories are searched for");
    config_.repositories_written = false;
    config_.repositories.clear();
  }

  void AddSafeguards() {
    AddPins(section_, config_);
    if (section_.require.review) config_.review_pointer = section_.At("/require/review");
  }

  Status SetAudit() {
    const std::string& path = bounds_.audit.path;
    if (!path.empty()) {
      if (!config_.audit.path.empty() && config_.audit.path != path)
        cuts_.Add(section_, "/audit/path", config_.audit_pointer, "the record is written to " + Quoted(path));
      if (config_.audit.on_failure != Audit::OnFailure::kRefuse)
        cuts_.Add(section_, "/audit/path", config_.audit_pointer,
                  "a record that cannot be written refuses the run");
      config_.audit = {.path = path,
                       .on_failure = Audit::OnFailure::kRefuse,
                       .syslog = config_.audit.syslog || bounds_.audit.syslog};
      config_.audit_pointer = section_.At("/audit");
      return Done{};
    }
    if (!section_.require.audit) return Done{};
    if (config_.audit.path.empty())
      return Conflict("the ceiling of this machine asks for a record of every run (" +
                          section_.At("/require/audit") + ")",
                      "/audit", "write \"audit\": {\"path\": ...} in the policy");
    if (config_.audit.on_failure != Audit::OnFailure::kRefuse)
      cuts_.Add(section_, "/require/audit", config_.audit_pointer,
                "a record that cannot be written refuses the run");
    config_.audit.on_failure = Audit::OnFailure::kRefuse;
    return Done{};
  }

 private:
  // Whether it stems from a profile that the ceiling does not require.
  [[nodiscard]] bool IsForeign(std::string_view pointer) const {
    if (!IsOfProfile(pointer)) return false;
    return std::none_of(
        section_.require.profiles->begin(), section_.require.profiles->end(),
        [&](const std::string& name) { return pointer.starts_with(ProfilePointer(name, "")); });
  }

  template <class List>
  void Drop(List& list, std::string_view what) {
    std::erase_if(list, [&](const auto& entry) {
      const bool foreign = IsForeign(entry.pointer);
      if (foreign)
        cuts_.Add(section_, "/require/profiles", entry.pointer,
                  "the profile's " + std::string(what) + " does not count");
      return foreign;
    });
  }

  void AddPreset(std::size_t index) {
    const Preset preset = section_.require.protect[index];
    const std::string clause = "/require/protect/" + std::to_string(index);
    const auto asked = std::find_if(config_.protect.begin(), config_.protect.end(),
                                    [&](const PresetEntry& entry) { return entry.preset == preset; });
    if (asked == config_.protect.end()) {
      if (config_.protect_written)
        cuts_.Add(section_, clause, "/filesystem/protect", "a preset that is required stays in force");
      config_.protect.push_back({.preset = preset, .pointer = section_.At(clause), .required = true});
      return;
    }
    asked->required = true;
    if (asked->safe_config) {
      cuts_.Add(section_, clause, asked->pointer, "configurations of git's stay unwritable");
      asked->safe_config = false;
    }
  }

  const CeilingSection& section_;
  const Config& bounds_;
  Config& config_;
  Cuts& cuts_;
};

bool AllowVariableIn(const CeilingSection& section, const std::string& name, const std::string& pointer,
                     Cuts& cuts) {
  const bool allowed = !section.variables ||
                       std::any_of(section.variables->begin(), section.variables->end(),
                                   [&](const std::string& pattern) { return MatchesName(pattern, name); });
  if (!allowed) cuts.Add(section, "/process/env", pointer, "the variable " + Quoted(name) + " is not set");
  return allowed;
}

// The containments that `process` may stand for.
constexpr std::string_view kOfProcess[] = {"namespaces", "bubblewrap", "landlock", "seatbelt"};

}  // namespace

void CutTime(const CeilingSection& section, Config& config, Cuts& cuts) {
  const Config& bounds = section.bounds;
  ProcessConfig& process = config.process;
  const std::uint32_t asked = process.timeout_ms;
  if (Lower(process.timeout_ms, bounds.process.timeout_ms)) {
    const std::string lower = std::to_string(process.timeout_ms) + " ms";
    if (!process.timeout_pointer.empty())
      cuts.Add(section, "/process/timeout", process.timeout_pointer,
               asked == 0 ? "the time-out is " + lower
                          : "the time-out of " + std::to_string(asked) + " ms is " + lower);
    process.timeout_pointer = section.At("/process/timeout");
  }
  SessionConfig& session = config.session;
  if (Lower(session.idle_timeout_ms, section.idle_ms) && !session.idle_timeout_pointer.empty())
    cuts.Add(section, "/session/idleTimeoutMs", session.idle_timeout_pointer,
             "a sandbox without a command ends after " + std::to_string(section.idle_ms) + " ms");
  if (Lower(session.lifetime_ms, section.lifetime_ms) && !session.lifetime_pointer.empty())
    cuts.Add(section, "/session/lifetimeMs", session.lifetime_pointer,
             "the sandbox ends after " + std::to_string(section.lifetime_ms) + " ms");
}

bool AllowVariable(const Ceiling& ceiling, const std::string& name, const std::string& pointer, Cuts& cuts) {
  return std::all_of(ceiling.sections.begin(), ceiling.sections.end(), [&](const CeilingSection& section) {
    return AllowVariableIn(section, name, pointer, cuts);
  });
}

void CutVariables(const CeilingSection& section, Config& config, Cuts& cuts) {
  if (!config.process.environment) return;
  std::erase_if(*config.process.environment, [&](const Variable& variable) {
    return !AllowVariableIn(section, variable.name, "/process/env", cuts);
  });
}

void AddPins(const CeilingSection& section, Config& config) {
  for (HelperPin pin : section.bounds.helpers) {
    pin.pointer = section.At(pin.pointer);
    pin.of_operator = true;
    config.helpers.push_back(std::move(pin));
  }
  if (section.require.verify && config.verify_pointer.empty())
    config.verify_pointer = section.At("/require/verify");
}

Status CutConfig(const CeilingSection& section, Config& config, Cuts& cuts) {
  ConfigCutter cutter(section, config, cuts);
  cutter.CutProfiles();
  CutTime(section, config, cuts);
  CutVariables(section, config, cuts);
  cutter.CutResources();
  cutter.CutOutput();
  cutter.RaiseTier();
  cutter.AddPresets();
  cutter.AddSafeguards();
  if (section.network) CutNetwork(section, config.network, cuts);
  return cutter.SetAudit();
}

Status CheckContainment(const CeilingSection& section, const Config& config, Containment containment) {
  const std::string name{Name(containment)};
  const auto refused = [&](const std::string& clause) {
    return Conflict("the ceiling of this machine does not allow the containment '" + name + "' (" +
                        section.At(clause) + ")",
                    config.containment_pointer, "write \"containment\": \"process\", or ask the operator");
  };
  if (!TraitsOf(containment).isolates) return refused("");
  // Options of Seatbelt can open what no other clause speaks of.
  const bool options = !config.backend_section.members.empty();
  if (options && TraitsOf(containment).home == OperatingSystem::kMacos) return refused("");
  // The client of a remote one starts plug-ins that its configuration, the caller's or a command's, names: on
  // this machine, and bounded by nothing.
  if (!section.require.containments)
    return TraitsOf(containment).remote ? Status(refused("/require/containments")) : Done{};
  const std::vector<std::string>& allowed = *section.require.containments;
  const auto stands = [&](std::string_view word) {
    return std::find(allowed.begin(), allowed.end(), word) != allowed.end();
  };
  const bool of_process =
      std::find(std::begin(kOfProcess), std::end(kOfProcess), name) != std::end(kOfProcess);
  if (stands(name) || (of_process && stands("process"))) return Done{};
  return refused("/require/containments");
}

}  // namespace mxc
