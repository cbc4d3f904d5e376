// Statements to databases.
#pragma once

#include <optional>
#include <vector>

#include "review/destructive.h"
#include "review/shell_words.h"

namespace mxc {

// What is piped into a client is its statement as much as what stands behind it.
[[nodiscard]] std::optional<Destruction> FindStatement(const std::vector<ShellCommand>& commands);

}  // namespace mxc
