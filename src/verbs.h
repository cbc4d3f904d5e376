// The verbs of persistent sandboxes, as the command line has them: `start`, `exec`, `stop` and `list`, each
// only as the first word.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli.h"
#include "mxc/error.h"

namespace mxc {

// Whether we are the program that the published SDKs start, by the name they look for. They know of no verbs.
[[nodiscard]] bool CalledBySdk(std::string_view program);

// Whether we are MXC's program that prepares Windows, and its words as flags of ours:
// `prepare-system-drive --target C:\` is `--prepare-system-drive C:\`.
[[nodiscard]] bool CalledToPrepare(std::string_view program);
[[nodiscard]] std::vector<std::string> AsPreparation(std::vector<std::string> words);

// The verb that this first word is. kNone: a flag or a configuration.
[[nodiscard]] Verb VerbNamed(std::string_view word);
// A flag that may be called without its dashes there: `mxc-exec profile list`.
[[nodiscard]] bool IsVerbOfFlag(std::string_view word);
// The word that was probably meant for a verb; empty: none.
[[nodiscard]] std::string NearestVerb(std::string_view word);

// Whether it may be given behind the verb.
[[nodiscard]] bool TakesFlag(Verb verb, std::string_view flag);

// What the words behind the verb have come to. `given` are the flags among them, without their dashes.
// Errors: kUsage, also for a flag that would do nothing there.
[[nodiscard]] Result<Options> WithVerb(Verb verb, Options options, std::span<const std::string> given);

}  // namespace mxc
