// Whether one command destroys: by the table, or by what it names.
#pragma once

#include <optional>
#include <vector>

#include "review/command_words.h"
#include "review/destructive.h"
#include "review/expansion.h"
#include "review/line_input.h"
#include "review/roots.h"
#include "review/shell_words.h"

namespace mxc {

// The words are expanded.
[[nodiscard]] std::optional<Destruction> Destroys(const Words& words, Names names, const Roots& roots);
[[nodiscard]] bool RedirectsToDevice(const Words& words, const Expansion& expansion);

// A statement to a database: what is piped into a client is its statement as much as what stands behind it.
[[nodiscard]] std::optional<Destruction> FindStatement(const std::vector<ShellCommand>& commands);

}  // namespace mxc
