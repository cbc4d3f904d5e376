#include "help.h"

#include <fmt/core.h>

#include "flag_table.h"
#include "verbs.h"

namespace mxc {
namespace {

constexpr std::size_t kColumns = 80;
constexpr std::size_t kTextColumn = 26;

constexpr std::string_view kUsage =
    "mxc-exec runs a command that reads, writes and reaches only what it is given.\n"
    "\n"
    "  mxc-exec --rw . --deny .env -- npm test    a policy of flags\n"
    "  mxc-exec policy.json                       the policy and command of a file\n"
    "  mxc-exec policy.json --rw build -- make    with more, and another command\n"
    "  mxc-exec start --rw .                      a sandbox for many commands\n"
    "\n";

constexpr std::string_view kVerbLines =
    "mxc-exec start prints the ID of a sandbox that stays:\n"
    "\n"
    "  mxc-exec exec ID -- CMD ARGS...            run a command in it\n"
    "  mxc-exec stop ID                           end it, and what runs in it\n"
    "  mxc-exec list                              show yours\n"
    "\n"
    "Profiles say what tools need:\n"
    "\n"
    "  mxc-exec profile list                      the names that --profile takes\n"
    "  mxc-exec profile show node                 what one of them adds\n"
    "  mxc-exec import ~/.srt-settings.json       another program's policy as ours\n"
    "\n"
    "The beginning of an ID is enough. A file of the name of a verb is ./start.\n"
    "\n";

constexpr std::string_view kStatus =
    "\n"
    "Exit status: the command's own, 128+N when signal N ended it; 255 when it could\n"
    "not run or timed out; 1: the configuration is not valid, 2: the command line.\n";

constexpr std::string_view kGrammar =
    "PATH... and the like take every word up to the next flag or --. A configuration\n"
    "stands before such a flag, or behind --config; --rw=PATH takes one word alone.\n"
    "A path may be relative, and begin with ~.\n";

constexpr std::string_view kStartHelp =
    "mxc-exec start [CONFIG] [FLAGS] starts a sandbox that stays, and prints its ID.\n"
    "\n"
    "  id=$(mxc-exec start --rw . --deny .env)    a policy of flags, or of a file\n"
    "  mxc-exec exec $id -- CMD ARGS...           run a command in it\n"
    "  mxc-exec stop $id                          end it, and what runs in it\n"
    "\n"
    "It takes the policy of a run: mxc-exec --help=all has all its flags. A time-out\n"
    "is given to each exec.\n"
    "\n";

constexpr std::string_view kExecHelp =
    "mxc-exec exec [FLAGS] ID -- CMD ARGS... runs a command in a sandbox of\n"
    "`mxc-exec start`, and exits with its status.\n"
    "\n"
    "  mxc-exec exec $id -- npm test\n"
    "  mxc-exec exec --background $id -- sh -c 'npm start >/tmp/log 2>&1'\n"
    "\n"
    "The second one returns when the command runs: its input and output are /dev/null\n"
    "unless they are redirected inside, and of the flags it takes --env, --cwd,\n"
    "--review, --approve and --json-errors. The beginning of an ID is enough.\n"
    "\n";

constexpr std::string_view kStopHelp =
    "mxc-exec stop ID ends a sandbox of `mxc-exec start`, and what runs in it.\n"
    "\n"
    "The beginning of an ID is enough; `mxc-exec list` shows yours.\n"
    "\n";

constexpr std::string_view kListHelp =
    "mxc-exec list shows your sandboxes: a table, JSON in a pipe; --list=json and\n"
    "--list=text choose.\n"
    "\n";

constexpr std::string_view kProfileHelp =
    "mxc-exec profile list                      the names that --profile takes\n"
    "mxc-exec profile show NAME...              what they add to a policy\n";

constexpr std::string_view kImportHelp =
    "mxc-exec import FILE prints another program's policy as one of ours: the\n"
    "settings of srt or Claude Code, or Codex's config.toml.\n";

// `text` from the column of texts on, wrapped at blanks.
std::string Wrapped(std::string_view text) {
  std::string result;
  while (text.size() > kColumns - kTextColumn) {
    const std::size_t blank = text.rfind(' ', kColumns - kTextColumn);
    if (blank == std::string_view::npos) break;
    result += std::string(text.substr(0, blank)) + "\n" + std::string(kTextColumn, ' ');
    text.remove_prefix(blank + 1);
  }
  return result + std::string(text) + "\n";
}

std::string Line(const Flag& flag) {
  std::string name = "  --" + std::string(flag.name);
  if (flag.letter != '\0') name = fmt::format("  -{}, --{}", flag.letter, flag.name);
  if (!flag.value.starts_with("[=") && !flag.value.empty()) name += ' ';
  name += flag.value;
  const bool fits = name.size() + 2 <= kTextColumn;
  name += fits ? std::string(kTextColumn - name.size(), ' ') : "\n" + std::string(kTextColumn, ' ');
  return name + Wrapped(flag.text);
}

std::string FirstPage() {
  std::string page{kUsage};
  for (const Flag& flag : AllFlags()) {
    if (flag.page == HelpPage::kFirstPage) page += Line(flag);
  }
  page += "  --help=all              every flag\n";
  return page + std::string(kStatus);
}

std::string AllPages(OperatingSystem system) {
  std::string pages{kUsage};
  pages += kVerbLines;
  pages += kGrammar;
  const Flag* before = nullptr;
  for (const Flag& flag : AllFlags()) {
    if (flag.page == HelpPage::kHidden ||
        (flag.group == FlagGroup::kWindows && system != OperatingSystem::kWindows))
      continue;
    if (before == nullptr || before->group != flag.group)
      pages += fmt::format("\n{}:\n", TitleOf(flag.group));
    pages += Line(flag);
    before = &flag;
  }
  return pages + std::string(kStatus);
}

std::string_view IntroductionOf(Verb verb) {
  switch (verb) {
    case Verb::kStart:
      return kStartHelp;
    case Verb::kExec:
      return kExecHelp;
    case Verb::kStop:
      return kStopHelp;
    case Verb::kList:
      return kListHelp;
    case Verb::kNone:
      break;
  }
  return kUsage;
}

}  // namespace

std::string HelpText(std::string_view what, OperatingSystem system) {
  return what == "all" ? AllPages(system) : FirstPage();
}

std::string VerbHelp(Verb verb) {
  std::string page{IntroductionOf(verb)};
  for (const Flag& flag : AllFlags()) {
    const bool long_list = verb == Verb::kStart && flag.name != "foreground";
    const bool shown = long_list ? flag.page == HelpPage::kFirstPage && NeedsPolicy(flag.mode)
                                 : flag.page != HelpPage::kHidden;
    if (shown && TakesFlag(verb, flag.name)) page += Line(flag);
  }
  return page;
}

std::string VerbHelp(std::string_view flag) {
  return std::string(flag == "import" ? kImportHelp : kProfileHelp);
}

}  // namespace mxc
