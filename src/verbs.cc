#include "verbs.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/suggest.h"
#include "flag_table.h"
#include "flag_values.h"

namespace mxc {
namespace {

constexpr std::string_view kSdkNames[] = {"lxc-exec", "mxc-exec-mac", "wxc-exec", "wxc-exec.exe"};

constexpr std::string_view kPreparationNames[] = {"wxc-host-prep", "wxc-host-prep.exe"};

using FlagNames = std::span<const std::string_view>;

struct VerbTraits {
  std::string_view name;
  Verb verb;
  bool takes_all = false;  // every flag but `flags`, not these alone
  FlagNames flags = {};
};

constexpr std::string_view kNotOfStart[] = {"timeout", "background", "approve"};
constexpr std::string_view kOfExec[] = {"env",     "cwd",   "timeout",     "background",  "status-fd",
                                        "result",  "debug", "log-file",    "json-errors", "review",
                                        "approve", "quiet", "lifeline-fd", "terminal-fd", "report"};
// Nobody waits for its end, so nobody keeps its time or tells how it ends.
constexpr std::string_view kOfBackground[] = {"env", "cwd", "background", "json-errors", "review", "approve"};
constexpr std::string_view kOfOthers[] = {"json-errors"};

constexpr VerbTraits kVerbs[] = {{"start", Verb::kStart, true, kNotOfStart},
                                 {"exec", Verb::kExec, false, kOfExec},
                                 {"stop", Verb::kStop, false, kOfOthers},
                                 {"list", Verb::kList, false, kOfOthers}};

// A flag that reads like a verb in front.
constexpr std::string_view kVerbsOfFlags[] = {"import", "profile"};

bool IsIn(FlagNames names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Of the policy, or of the stay.
bool IsOfStart(std::string_view name) {
  if (IsIn(kOfExec, name) || IsIn(kNotOfStart, name)) return false;
  const std::span<const Flag> flags = AllFlags();
  const auto flag =
      std::find_if(flags.begin(), flags.end(), [&](const Flag& each) { return each.name == name; });
  return name == "foreground" || (flag != flags.end() && flag->group < FlagGroup::kReporting);
}

Status CheckFlags(const VerbTraits& traits, const Options& options, std::span<const std::string> given) {
  const bool alone = traits.verb == Verb::kExec && options.background;
  const FlagNames flags = alone ? FlagNames(kOfBackground) : traits.flags;
  for (const std::string& name : given) {
    if (IsIn(flags, name) != traits.takes_all) continue;
    const std::string verb = std::string(traits.name) + (alone ? " --background" : "");
    const bool late = traits.verb == Verb::kExec && IsOfStart(name);
    return UsageError("'" + verb + "' takes no --" + name,
                      late ? "what a sandbox may do is said when it is started" : "leave it out");
  }
  return Done{};
}

constexpr const char* kExecForm = "mxc-exec exec ID -- CMD ARGS...";

Result<Options> AsExec(Options options) {
  if (!options.config_path) return UsageError("'exec' needs the sandbox's identifier", kExecForm);
  if (options.command.empty()) return UsageError("no command to run", kExecForm);
  options.sandbox = *std::exchange(options.config_path, std::nullopt);
  return options;
}

Result<Options> AsStop(Options options) {
  if (!options.config_path)
    return UsageError("'stop' needs the sandbox's identifier", "`mxc-exec list` shows yours");
  if (!options.command.empty()) return UsageError("'stop' runs no command", "mxc-exec stop ID");
  options.sandbox = *std::exchange(options.config_path, std::nullopt);
  return options;
}

Result<Options> AsStart(Options options) {
  if (!NeedsPolicy(options.mode))
    return UsageError("'start' answers --explain and --dry-run alone", "leave it out of the question");
  if (options.command.empty()) return options;
  return UsageError("'start' runs no command", std::string("it prints an identifier for ") + kExecForm);
}

Result<Options> AsList(Options options) {
  if (options.config_path || !options.command.empty())
    return UsageError("'list' takes nothing else", "mxc-exec list");
  options.mode = Mode::kList;
  return options;
}

std::string_view FileName(std::string_view program) {
  return program.substr(program.find_last_of("/\\") + 1);
}

}  // namespace

bool CalledBySdk(std::string_view program) { return IsIn(kSdkNames, FileName(program)); }

bool CalledToPrepare(std::string_view program) { return IsIn(kPreparationNames, FileName(program)); }

std::vector<std::string> AsPreparation(std::vector<std::string> words) {
  constexpr std::string_view kTarget = "--target";
  if (words.empty()) return {"--help=all"};
  if (!words.front().starts_with('-')) words.front().insert(0, "--");
  std::erase(words, kTarget);
  for (std::string& word : words) {
    if (word.starts_with(std::string(kTarget) + "=")) word.erase(0, kTarget.size() + 1);
  }
  return words;
}

Verb VerbNamed(std::string_view word) {
  const auto* const known = std::find_if(std::begin(kVerbs), std::end(kVerbs),
                                         [&](const VerbTraits& traits) { return traits.name == word; });
  return known == std::end(kVerbs) ? Verb::kNone : known->verb;
}

bool TakesFlag(Verb verb, std::string_view flag) {
  return std::any_of(std::begin(kVerbs), std::end(kVerbs), [&](const VerbTraits& traits) {
    return traits.verb == verb && IsIn(traits.flags, flag) != traits.takes_all;
  });
}

bool IsVerbOfFlag(std::string_view word) { return IsIn(kVerbsOfFlags, word); }

std::string NearestVerb(std::string_view word) {
  std::vector<std::string_view> names{std::begin(kVerbsOfFlags), std::end(kVerbsOfFlags)};
  for (const VerbTraits& traits : kVerbs) names.push_back(traits.name);
  return Nearest(word, names);
}

Result<Options> WithVerb(Verb verb, Options options, std::span<const std::string> given) {
  options.verb = verb;
  if (options.mode == Mode::kHelp) return options;
  for (const VerbTraits& traits : kVerbs) {
    if (traits.verb != verb) continue;
    if (Status checked = CheckFlags(traits, options, given); !checked) return checked.error();
  }
  switch (verb) {
    case Verb::kStart:
      return AsStart(std::move(options));
    case Verb::kExec:
      return AsExec(std::move(options));
    case Verb::kStop:
      return AsStop(std::move(options));
    case Verb::kList:
      return AsList(std::move(options));
    case Verb::kNone:
      break;
  }
  if (options.background)
    return UsageError("--background is of 'exec'", "mxc-exec exec --background ID -- CMD ARGS...");
  if (options.foreground) return UsageError("--foreground is of 'start'", "mxc-exec start --foreground");
  return options;
}

}  // namespace mxc
