// Values that no line and no record of ours shows: what a command was given in a variable whose name looks
// secret, and has then used as a name of a file or of a host. A guard against accidents, as is redact.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mxc/secret.h"

namespace mxc {

// For the rest of this process: of SecretValues, and not the paths of what this host has, which a variable
// such as SSH_AUTH_SOCK or SSH_KEY_DIR names.
void HideValues(const std::vector<Variable>& environment);

// ... of variables that are written as "NAME=VALUE".
void HideAssigned(const std::vector<std::string>& variables);
// ... of those in `process` of a configuration, as JSON, that another mxc-exec runs.
void HideValuesIn(std::string_view configuration);

// With "[REDACTED]" for each value, whatever its case, as it is and as Escaped and JSON write it.
[[nodiscard]] std::string WithoutHiddenValues(std::string_view text);
// One JSON value, with line breaks around it: the same within its texts. Names of members stay, and those
// texts that are words of ours: programs go by them.
[[nodiscard]] std::string RecordWithoutHiddenValues(std::string_view json);

}  // namespace mxc
