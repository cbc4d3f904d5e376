// The flags of the command line as data: what is parsed and what --help prints, of which completions and the
// manual page are made.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cli.h"

namespace mxc {

enum class FlagGroup { kPolicy, kConfiguration, kReporting, kCallers, kQuestions, kHousekeeping, kWindows };

// What a flag takes, by the spelling of Flag::value.
enum class FlagValues {
  kNone,      // ""
  kOne,       // "DIR"
  kSeveral,   // "PATH...": every word up to the next flag or --; with --flag=word only that word
  kOptional,  // "[VERSION]": the next word, unless it is a flag
  kAttached,  // "[=json]": only as --flag=word
};

using FlagTarget = std::variant<std::monostate, bool Options::*, std::string Options::*,
                                std::optional<std::string> Options::*, std::optional<int> Options::*,
                                std::vector<std::string> Options::*>;

// Where --help shows it.
enum class HelpPage { kFirstPage, kAllPages, kHidden };  // hidden: accepted, and of no use in this build

struct Flag {
  std::string_view name = {};  // without its dashes
  std::string_view value = {};
  std::string_view text = {};
  FlagGroup group = FlagGroup::kPolicy;
  FlagTarget target = {};
  HelpPage page = HelpPage::kAllPages;
  Mode mode = Mode::kRun;  // what the call asks for with it
  char letter = '\0';      // -h
};

[[nodiscard]] std::span<const Flag> AllFlags();
[[nodiscard]] std::string_view TitleOf(FlagGroup group);
[[nodiscard]] FlagValues ValuesOf(const Flag& flag);

}  // namespace mxc
