#include "cli.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
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

// Takes the words before `--` apart, by the table of flags.
class Parser {
 public:
  Parser(Words words, Verb verb)
      : words_(std::move(words)), verb_(verb), next_(verb == Verb::kNone ? 0 : 1) {}

  Result<Options> Run() {
    while (next_ < words_.size()) {
      const Status status = IsFlag(words_[next_]) ? TakeFlag() : TakePositional();
      if (!status) return status.error();
    }
    return std::move(options_);
  }
  [[nodiscard]] Words AllGiven() const { return {given_.begin(), given_.end()}; }
  [[nodiscard]] bool Given(std::string_view name) const { return given_.contains(name); }
  [[nodiscard]] const std::optional<std::string>& Positional() const { return positional_; }
  // Where the words begin that the last flag took behind its first value; the end when there are none.
  [[nodiscard]] std::size_t Further() const { return further_; }
  [[nodiscard]] const Words& All() const { return words_; }
  [[nodiscard]] Verb CalledAs() const { return verb_; }

 private:
  Status TakePositional() {
    if (!positional_) {
      first_ = next_;
      positional_ = words_[next_++];
      return Done{};
    }
    const bool begins_here = verb_ == Verb::kExec || positional_->ends_with(".json");
    const std::size_t command = begins_here ? next_ : first_;
    return UsageError("unexpected argument " + Quoted(words_[next_]),
                      "put a command behind --: " + WithSeparator(words_, command));
  }

  static const Flag* Find(std::string_view name) {
    for (const Flag& flag : AllFlags()) {
      const bool letter = name.size() == 2 && name[0] == '-' && flag.letter != '\0' && name[1] == flag.letter;
      if (letter || (name.starts_with("--") && name.substr(2) == flag.name)) return &flag;
    }
    return nullptr;
  }

  static Error Unknown(const std::string& word) {
    Words names;
    for (const Flag& flag : AllFlags()) names.push_back("--" + std::string(flag.name));
    const std::string nearest = Nearest(word.substr(0, word.find('=')), {names.begin(), names.end()});
    return UsageError("unknown option " + Quoted(word),
                      nearest.empty() ? kSeeHelp : "did you mean " + nearest + "?");
  }

  Status TakeFlag() {
    const std::string word = words_[next_++];
    const std::size_t equals = word.find('=');
    const Flag* flag = Find(std::string_view(word).substr(0, equals));
    if (flag == nullptr) return Unknown(word);
    const bool again = !given_.insert(flag->name).second;
    const FlagValues values = ValuesOf(*flag);
    if (again && values != FlagValues::kSeveral && values != FlagValues::kNone)
      return UsageError(Name(*flag) + " is given twice", kSeeHelp);
    options_.mode = std::max(options_.mode, flag->mode);
    if (flag->mode == Mode::kPrepare && options_.prepare.empty()) options_.prepare = flag->name;
    if (equals == std::string::npos) return TakeValues(*flag, values);
    if (values == FlagValues::kNone) return UsageError(Name(*flag) + " takes no value", kSeeHelp);
    return Store(*flag, word.substr(equals + 1));
  }

  [[nodiscard]] bool ValueFollows() const { return next_ < words_.size() && !IsFlag(words_[next_]); }

  Status TakeValues(const Flag& flag, FlagValues values) {
    if (values == FlagValues::kNone || values == FlagValues::kAttached) return Store(flag, "");
    if (!ValueFollows()) {
      if (values == FlagValues::kOptional) return Done{};
      return UsageError(Name(flag) + " needs a value",
                        Name(flag) + (flag.value.empty() ? "" : " ") + std::string(flag.value));
    }
    const std::string first = words_[next_++];
    Status stored = Store(flag, first);
    if (values != FlagValues::kSeveral || !ValueFollows()) return stored;
    further_ = next_;
    for (; stored && ValueFollows(); ++next_) {
      options_.further_words.push_back({.flag = Name(flag), .first = first, .word = words_[next_]});
      stored = Store(flag, words_[next_]);
    }
    if (next_ < words_.size()) further_ = words_.size();
    return stored;
  }

  Status Store(const Flag& flag, std::string value) {
    if (const auto* yes = std::get_if<bool Options::*>(&flag.target)) options_.*(*yes) = true;
    if (const auto* text = std::get_if<std::string Options::*>(&flag.target))
      options_.*(*text) = std::move(value);
    else if (const auto* given = std::get_if<std::optional<std::string> Options::*>(&flag.target))
      options_.*(*given) = std::move(value);
    else if (const auto* list = std::get_if<Words Options::*>(&flag.target))
      (options_.*(*list)).push_back(std::move(value));
    else if (const auto* number = std::get_if<std::optional<int> Options::*>(&flag.target))
      return StoreNumber(flag, value, options_.*(*number));
    return Done{};
  }

  static Status StoreNumber(const Flag& flag, const std::string& text, std::optional<int>& number) {
    int value = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || rest != end)
      return UsageError(Name(flag) + " takes a number, not " + Quoted(text), kSeeHelp);
    number = value;
    return Done{};
  }

  static std::string Name(const Flag& flag) { return "--" + std::string(flag.name); }

  Words words_;
  Verb verb_;
  std::size_t next_;
  std::size_t first_ = 0;
  std::size_t further_ = words_.size();
  Options options_ = {};
  std::optional<std::string> positional_ = {};
  std::set<std::string_view> given_ = {};
};

bool HasPolicyFlags(const Parser& parser) {
  return std::any_of(AllFlags().begin(), AllFlags().end(), [&](const Flag& flag) {
    return flag.group == FlagGroup::kPolicy && parser.Given(flag.name);
  });
}

// Of several configurations one counts.
void ChooseConfiguration(const Parser& parser, Options& options) {
  if (options.config_base64) options.config_path.reset();
  if (options.config_base64 || options.config_path) options.config_fd.reset();
  const bool chosen = options.config_base64 || options.config_path || options.config_fd;
  if (chosen) options.config_env.clear();
  if (!chosen && options.config_env.empty()) options.config_path = parser.Positional();
}

// Why there is no command is mostly that a flag has taken it.
Error NoCommand(const Parser& parser, const Options& options) {
  if (parser.Further() == parser.All().size()) return UsageError("no command to run", "put it behind --");
  const FurtherWord& last = options.further_words.back();
  const std::string message = "no command to run: " + last.flag + " takes every word behind it";
  if (!last.word.ends_with(".json"))
    return UsageError(message, "put the command behind --: " + WithSeparator(parser.All(), parser.Further()));
  return UsageError(message, "a configuration stands before the flags: mxc-exec " + ShellWord(last.word) +
                                 Joined(parser.All(), 0, parser.All().size() - 1));
}

Status CheckWords(const Parser& parser, const Options& options) {
  for (const auto& [name, file] :
       {std::pair{"result", &options.result_file}, std::pair{"log-file", &options.log_file}}) {
    if (parser.Given(name) && file->empty())
      return UsageError("--" + std::string(name) + " needs the path of a file", kSeeHelp);
  }
  for (const std::string name : {"explain", "probe", "list"}) {
    if (!parser.Given(name) || options.form.empty() || options.form == "text" || options.form == "json")
      continue;
    return UsageError("--" + name + " takes text or json, not " + Quoted(options.form),
                      "did you mean --" + name + "=json?");
  }
  if (!options.help.empty() && options.help != "all")
    return UsageError("--help takes all, not " + Quoted(options.help), "did you mean --help=all?");
  if (options.force && options.mode != Mode::kSetupHyperlight)
    return UsageError("--force requires --setup-hyperlight", kSeeHelp);
  const bool runs = options.mode <= Mode::kExplain && parser.CalledAs() == Verb::kNone;
  if (runs && HasPolicyFlags(parser) && !options.HasConfig() && options.command.empty())
    return NoCommand(parser, options);
  return Done{};
}

}  // namespace

Result<Options> ParseCommandLine(int argc, char** argv) {
  // The command behind `--` is not ours to interpret.
  const Words arguments{argv + 1, argv + argc};
  const auto separator = std::find(arguments.begin(), arguments.end(), "--");
  if (arguments.size() == 1 && arguments.front() == "help") return Options{.mode = Mode::kHelp};
  const bool verbs = argc > 1 && !CalledBySdk(argv[0]);
  Parser parser({arguments.begin(), separator}, verbs ? VerbNamed(argv[1]) : Verb::kNone);
  Result<Options> options = parser.Run();
  if (!options) return options;
  if (separator != arguments.end()) {
    options->command.assign(separator + 1, arguments.end());
    if (options->command.empty()) return UsageError("no command behind --", kSeeHelp);
  }
  ChooseConfiguration(parser, *options);
  if (const Status checked = CheckWords(parser, *options); !checked) return checked.error();
  return WithVerb(parser.CalledAs(), *std::move(options), parser.AllGiven());
}

}  // namespace mxc
