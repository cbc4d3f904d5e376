#include "cli.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/quoted.h"
#include "base/suggest.h"
#include "flag_table.h"
#include "flag_values.h"
#include "verbs.h"

namespace mxc {
namespace {

using Words = std::vector<std::string>;

constexpr const char* kSeeHelp = "see mxc-exec --help";

bool IsFlag(std::string_view word) { return word.size() > 1 && word.front() == '-'; }

std::string Joined(const Words& words, std::size_t first, std::size_t last) {
  std::string text;
  for (std::size_t i = first; i < last; ++i) text += " " + ShellWord(words[i]);
  return text;
}

// The call with `--` before the word at `command`.
std::string WithSeparator(const Words& words, std::size_t command) {
  return "mxc-exec" + Joined(words, 0, command) + " --" + Joined(words, command, words.size());
}

bool IsPhase(std::string_view word) {
  constexpr std::string_view kPhases[] = {"provision", "start", "exec", "stop", "deprovision"};
  return std::find(std::begin(kPhases), std::end(kPhases), word) != std::end(kPhases);
}

std::string NameOf(const Flag& flag) { return "--" + std::string(flag.name); }

const Flag* FindFlag(std::string_view word) {
  const auto named = [word](const Flag& flag) {
    return word.starts_with("--") && word.substr(2) == flag.name;
  };
  const auto found = std::find_if(AllFlags().begin(), AllFlags().end(), named);
  return found == AllFlags().end() ? nullptr : &*found;
}

// What people write who know docker, podman or bwrap.
struct KnownElsewhere {
  std::string_view word;
  std::string_view ours;
};
constexpr std::string_view kGrants =
    "directories are granted by --rw PATH or --ro PATH, and keep their paths; --workspace DIR:PATH gives one "
    "another";
constexpr std::string_view kHosts = "there is no network but what --allow-host HOST lets the command reach";
constexpr std::string_view kStart = "the directory to start in is --cwd PATH";
constexpr std::string_view kVariables = "variables are set by --env NAME=VALUE";
constexpr std::string_view kPassed = "stdin and the terminal are passed through: leave it out";
constexpr std::string_view kCaller = "the command runs as you: leave it out";
constexpr std::string_view kStays =
    "`mxc-exec start` makes a sandbox that stays, `mxc-exec exec --background ID -- CMD` runs a command in "
    "it";
constexpr std::string_view kPrivileges = "no command has privileges inside: leave it out";
constexpr KnownElsewhere kKnownElsewhere[] = {
    {"-v", kGrants},
    {"--volume", kGrants},
    {"--mount", kGrants},
    {"--bind", kGrants},
    {"--ro-bind", kGrants},
    {"-p", "ports are published by --publish 8080:80"},
    {"-e", kVariables},
    {"--setenv", kVariables},
    {"--env-file", "variables are set by --env NAME=VALUE, one by one"},
    {"-w", kStart},
    {"--workdir", kStart},
    {"--chdir", kStart},
    {"--net", kHosts},
    {"--network", kHosts},
    {"--unshare-net", kHosts},
    {"--share-net", kHosts},
    {"--allow-net", kHosts},
    {"--rm", "nothing stays of a run: leave it out"},
    {"-i", kPassed},
    {"-t", kPassed},
    {"-it", kPassed},
    {"-u", kCaller},
    {"--user", kCaller},
    {"-d", kStays},
    {"--detach", kStays},
    {"--name", kStays},
    {"--privileged", kPrivileges},
    {"--cap-add", kPrivileges},
};

Error Unknown(const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  for (const KnownElsewhere& known : kKnownElsewhere) {
    if (name == known.word) return UsageError("unknown option " + Quoted(word), std::string(known.ours));
  }
  Words names;
  for (const Flag& flag : AllFlags()) names.push_back(NameOf(flag));
  const std::string nearest = Nearest(name, {names.begin(), names.end()});
  return UsageError("unknown option " + Quoted(word),
                    nearest.empty() ? kSeeHelp : "did you mean " + nearest + "?");
}

Status StoreNumber(const Flag& flag, const std::string& text, std::optional<int>& number) {
  int value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || rest != end)
    return UsageError(NameOf(flag) + " takes a number, not " + Quoted(text), kSeeHelp);
  number = value;
  return Done{};
}

Status Store(const Flag& flag, std::string value, Options& options) {
  if (const auto* yes = std::get_if<bool Options::*>(&flag.target)) options.*(*yes) = true;
  if (const auto* text = std::get_if<std::string Options::*>(&flag.target))
    options.*(*text) = std::move(value);
  else if (const auto* given = std::get_if<std::optional<std::string> Options::*>(&flag.target))
    options.*(*given) = std::move(value);
  else if (const auto* list = std::get_if<Words Options::*>(&flag.target))
    (options.*(*list)).push_back(std::move(value));
  else if (const auto* number = std::get_if<std::optional<int> Options::*>(&flag.target))
    return StoreNumber(flag, value, options.*(*number));
  return Done{};
}

// What CLI11 stores for a flag without a value.
constexpr const char* kBare = "-";

// Takes the words before `--` apart, by the table of flags.
class Parser {
 public:
  Parser(Words words, Verb verb) : words_(std::move(words)), verb_(verb) {
    app_.set_help_flag();
    app_.allow_extras();
    app_.allow_windows_style_options(false);
    app_.add_option("CONFIG_PATH", positional_);
    for (const Flag& flag : AllFlags()) {
      if (IsWritten(flag)) Add(flag);  // the library takes 5 us for each, and no word needs the others
    }
  }

  Result<Options> Run() {
    try {
      Words spread = Spread();
      std::reverse(spread.begin(), spread.end());  // as CLI11 wants them
      app_.parse(std::move(spread));
    } catch (const CLI::ParseError& problem) {
      return Explain(problem);
    }
    if (const Words extra = app_.remaining(); !extra.empty()) return Unexpected(extra.front());
    for (const Added& added : added_) {
      if (Status taken = Take(*added.flag, *added.option); !taken) return taken.error();
    }
    return std::move(options_);
  }
  [[nodiscard]] Words AllGiven() const {
    Words given;
    for (const Added& added : added_) {
      if (added.option->count() > 0) given.emplace_back(added.flag->name);
    }
    return given;
  }
  [[nodiscard]] bool Given(std::string_view name) const {
    return std::any_of(added_.begin(), added_.end(), [&](const Added& added) {
      return added.flag->name == name && added.option->count() > 0;
    });
  }
  [[nodiscard]] const std::optional<std::string>& Positional() const { return positional_; }
  // Where the words begin that the last flag took behind its first value; the end when there are none.
  [[nodiscard]] std::size_t Further() const { return further_; }
  [[nodiscard]] const Words& All() const { return words_; }
  [[nodiscard]] Verb CalledAs() const { return verb_; }

 private:
  struct Added {
    const Flag* flag;
    const CLI::Option* option;
  };

  // By its name, or perhaps by its letter: letters stand together.
  [[nodiscard]] bool IsWritten(const Flag& flag) const {
    return std::any_of(words_.begin(), words_.end(), [&](const std::string& word) {
      if (word.starts_with("--")) return word.substr(2, word.find('=') - 2) == flag.name;
      return flag.letter != '\0' && IsFlag(word);
    });
  }

  void Add(const Flag& flag) {
    const std::string letter = flag.letter == '\0' ? "" : std::string("-") + flag.letter;
    const FlagValues values = ValuesOf(flag);
    CLI::Option* option = nullptr;
    if (values == FlagValues::kNone || values == FlagValues::kAttached) {
      const std::string bare = std::string("{") + kBare + "}";
      option = app_.add_flag((letter.empty() ? "" : letter + bare + ",") + NameOf(flag) + bare);
    } else {
      option = app_.add_option((letter.empty() ? "" : letter + ",") + NameOf(flag));
      option->type_size(1)->expected(values == FlagValues::kOptional ? 0 : 1, 1);
      option->allow_extra_args(false);
    }
    option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    added_.push_back({&flag, option});
  }

  // `--rw a b` as `--rw a --rw b`, but for exec, so that CLI11 knows where a list ends. It would also take a
  // word for the value of `--rw=`.
  Words Spread() {
    Words spread;
    std::size_t next = verb_ == Verb::kNone ? 0 : 1;
    const auto value_follows = [&] { return next < words_.size() && !IsFlag(words_[next]); };
    while (next < words_.size()) {
      const std::string& word = words_[next++];
      spread.push_back(word);
      if (word.starts_with("--") && word.ends_with('=')) {
        spread.back().pop_back();
        spread.emplace_back();
      }
      const Flag* flag = FindFlag(word);
      if (flag == nullptr || ValuesOf(*flag) != FlagValues::kSeveral || !value_follows()) continue;
      const std::string first = words_[next++];
      spread.push_back(first);
      if (verb_ == Verb::kExec || !value_follows()) continue;  // the identifier may stand behind it
      further_ = next;
      for (; value_follows(); ++next) {
        options_.further_words.push_back({.flag = NameOf(*flag), .first = first, .word = words_[next]});
        spread.insert(spread.end(), {word, words_[next]});
      }
      if (next < words_.size()) further_ = words_.size();
    }
    return spread;
  }

  Status Take(const Flag& flag, const CLI::Option& option) {
    if (option.count() == 0) return Done{};
    const FlagValues values = ValuesOf(flag);
    if (option.count() > 1 && values != FlagValues::kSeveral && values != FlagValues::kNone)
      return UsageError(NameOf(flag) + " is given twice", kSeeHelp);
    options_.mode = std::max(options_.mode, flag.mode);
    const bool by_name = flag.mode == Mode::kPrepare || flag.mode == Mode::kOfReference;
    if (by_name && options_.asked.empty()) options_.asked = flag.name;
    const bool attached = values == FlagValues::kAttached;
    for (const std::string& value : option.results()) {
      if (values == FlagValues::kNone && value != kBare)
        return UsageError(NameOf(flag) + " takes no value", kSeeHelp);
      Status stored = Store(flag, attached && value == kBare ? "" : value, options_);
      if (!stored) return stored;
    }
    return Done{};
  }

  // CLI11 begins its complaint with the flag.
  static Error Explain(const CLI::ParseError& problem) {
    const std::string text = problem.what();
    for (const Flag& flag : AllFlags()) {
      const std::string name = NameOf(flag);
      if (text.find(name) == std::string::npos || text.find(name + "-") != std::string::npos) continue;
      return UsageError(name + " needs a value", name + " " + std::string(flag.value));
    }
    return UsageError(text, kSeeHelp);
  }

  [[nodiscard]] Error Unexpected(const std::string& word) const {
    if (IsFlag(word)) return Unknown(word);
    if (verb_ == Verb::kStop)
      return UsageError("unexpected argument " + Quoted(word), "stop takes one identifier: call it for each");
    for (const std::string& variable : {positional_.value_or(""), word}) {
      if (verb_ == Verb::kExec && variable.find('=') != std::string::npos)
        return UsageError("unexpected argument " + Quoted(variable),
                          "exec takes one word for each flag: --env " + ShellWord(variable));
    }
    const bool begins_here = verb_ == Verb::kExec || (positional_ && positional_->ends_with(".json"));
    const std::string& begin = begins_here || !positional_ ? word : *positional_;
    const auto command = std::find(words_.begin(), words_.end(), begin) - words_.begin();
    return UsageError("unexpected argument " + Quoted(word),
                      "put a command behind --: " + WithSeparator(words_, static_cast<std::size_t>(command)));
  }

  Words words_;
  Verb verb_;
  std::size_t further_ = words_.size();
  Options options_ = {};
  std::optional<std::string> positional_ = {};
  CLI::App app_;
  std::vector<Added> added_ = {};  // in the order of the table
};

bool HasPolicyFlags(const Parser& parser) {
  const Words given = parser.AllGiven();
  return std::any_of(given.begin(), given.end(), [](const std::string& name) {
    return FindFlag("--" + name)->group == FlagGroup::kPolicy;
  });
}

bool AsksForProfiles(const Options& options) {
  if (options.profiles.empty()) return false;
  return options.profiles.front() == "list" || options.profiles.front() == "show";
}

// Of several configurations one counts.
void ChooseConfiguration(const Parser& parser, Options& options) {
  if (options.config_base64) options.config_path.reset();
  if (options.config_base64 || options.config_path) options.config_fd.reset();
  const bool chosen = options.config_base64 || options.config_path || options.config_fd;
  if (chosen) options.config_env.clear();
  if (!chosen && options.config_env.empty()) options.config_path = parser.Positional();
  if (!options.policy.empty() && !options.HasConfig()) options.config_path = options.policy;
}

// Why there is no command is mostly that a flag has taken it.
Error NoCommand(const Parser& parser, const Options& options) {
  if (parser.Further() == parser.All().size()) return UsageError("no command to run", "put it behind --");
  const FurtherWord& last = options.further_words.back();
  const std::string message = "no command to run: " + last.flag + " takes every word behind it";
  if (!last.word.ends_with(".json") || options.further_words.size() > 1)
    return UsageError(message, "put the command behind --: " + WithSeparator(parser.All(), parser.Further()));
  return UsageError(message, "a configuration stands before the flags: mxc-exec " + ShellWord(last.word) +
                                 Joined(parser.All(), 0, parser.All().size() - 1));
}

// Of the three ways to say what holds, one.
Status CheckModes(const Options& options, bool runs) {
  const std::string flag = options.policy.empty() ? "--base" : "--policy";
  if (options.policy.empty() && options.base.empty()) return Done{};
  const bool file = options.HasConfig() && options.config_path != options.policy;
  if (file || (!options.base.empty() && options.HasConfig()))
    return UsageError(flag + " takes the place of a configuration: leave one of them out", kSeeHelp);
  if (runs && options.command.empty()) return UsageError(flag + " needs a command behind --", kSeeHelp);
  return Done{};
}

// What is not imported would be missing from the policy without a word.
Status CheckImport(const Options& options) {
  if (options.HasConfig())
    return UsageError("import takes one file, not also " +
                          (options.config_path ? Quoted(*options.config_path) : "a configuration"),
                      "import each by itself");
  if (options.command.empty()) return Done{};
  return UsageError("import runs no command", "keep what it prints in a file: mxc-exec FILE --" +
                                                  Joined(options.command, 0, options.command.size()));
}

// What would be left out of the answer without a word.
Status CheckAlone(const Options& options) {
  if (options.mode == Mode::kImport) return CheckImport(options);
  const bool more = options.HasConfig() || !options.command.empty();
  const auto refuse = [](const std::string& question, const char* takes, const char* form) {
    return UsageError(question + " takes " + takes, form);
  };
  if (options.mode == Mode::kList && more) return refuse("--list", "nothing else", "mxc-exec --list");
  if (options.mode == Mode::kRecover && more)
    return refuse("--recover", "nothing else", "mxc-exec --recover");
  if (options.mode != Mode::kProfiles) return Done{};
  const bool list = options.profiles.front() == "list";
  if (!more && options.profiles.size() == (list ? 1U : 2U)) return Done{};
  return list ? refuse("'profile list'", "nothing else", "mxc-exec profile list")
              : refuse("'profile show'", "one name", "mxc-exec profile show NAME");
}

Status CheckWords(const Parser& parser, const Options& options) {
  if (Status alone = CheckAlone(options); !alone) return alone;
  const bool runs = NeedsPolicy(options.mode) && parser.CalledAs() == Verb::kNone;
  if (Status modes = CheckModes(options, runs); !modes) return modes;
  for (const auto& [name, file] :
       {std::pair{"result", &options.result_file}, std::pair{"log-file", &options.log_file}}) {
    if (parser.Given(name) && file->empty())
      return UsageError("--" + std::string(name) + " needs the path of a file", kSeeHelp);
  }
  for (const std::string name : {"explain", "probe", "available-backends", "list"}) {
    if (!parser.Given(name) || options.form.empty() || options.form == "text" || options.form == "json")
      continue;
    return UsageError("--" + name + " takes text or json, not " + Quoted(options.form),
                      "did you mean --" + name + "=json?");
  }
  if (options.report && !options.report->empty() && options.report != "short")
    return UsageError("--report takes short, not " + Quoted(*options.report), "did you mean --report=short?");
  if (!options.help.empty() && options.help != "all")
    return UsageError("--help takes all, not " + Quoted(options.help), "did you mean --help=all?");
  if (options.force && options.mode != Mode::kSetupHyperlight)
    return UsageError("--force requires --setup-hyperlight", kSeeHelp);
  if (!options.operation.empty() && !IsPhase(options.operation))
    return UsageError(
        "--operation takes provision, start, exec, stop or deprovision, not " + Quoted(options.operation),
        kSeeHelp);
  if (runs && !options.HasConfig() && options.command.empty() && HasPolicyFlags(parser))
    return NoCommand(parser, options);
  return Done{};
}

}  // namespace

Result<Options> ParseCommandLine(int argc, char** argv) {
  // The command behind `--` is not ours to interpret.
  const bool for_sdk = argc > 0 && CalledBySdk(argv[0]);
  const bool verbs = argc > 1 && !for_sdk && !CalledToPrepare(argv[0]);
  Words arguments{argv + 1, argv + argc};
  if (argc > 0 && CalledToPrepare(argv[0])) arguments = AsPreparation(std::move(arguments));
  if (verbs && IsVerbOfFlag(arguments.front())) {
    const bool helps = arguments.size() == 2 && (arguments.back() == "--help" || arguments.back() == "-h");
    if (helps) return Options{.mode = Mode::kHelp, .asked = arguments.front()};
    arguments.front().insert(0, "--");
  }
  const auto separator = std::find(arguments.cbegin(), arguments.cend(), "--");
  if (arguments.size() == 1 && arguments.front() == "help") return Options{.mode = Mode::kHelp};
  Parser parser({arguments.cbegin(), separator}, verbs ? VerbNamed(argv[1]) : Verb::kNone);
  Result<Options> options = parser.Run();
  if (!options) return options;
  options->for_sdk = for_sdk;
  if (separator != arguments.cend()) {
    options->command.assign(separator + 1, arguments.cend());
    if (options->command.empty()) return UsageError("no command behind --", kSeeHelp);
  }
  ChooseConfiguration(parser, *options);
  if (AsksForProfiles(*options)) options->mode = std::max(options->mode, Mode::kProfiles);
  if (const Status checked = CheckWords(parser, *options); !checked) return checked.error();
  return WithVerb(parser.CalledAs(), *std::move(options), parser.AllGiven());
}

}  // namespace mxc
