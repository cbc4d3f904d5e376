// Writes and parses a daemon's answers.
#pragma once

#include <string>
#include <vector>

#include "mxc/error.h"
#include "mxc/plan.h"
#include "persistent/persistent.h"

namespace mxc::session {

[[nodiscard]] std::string OkText(const std::vector<Warning>& left);
[[nodiscard]] std::string ErrorText(const Error& error);
// The sandbox that a command enters: its plan, and its control groups.
struct SandboxEntry {
  Plan plan = {};
  std::vector<RunGroup> groups = {};
};
[[nodiscard]] std::string EntryText(const Plan& plan, const std::vector<RunGroup>& groups);
// Those whose names look secret.
[[nodiscard]] std::string SecretsText(const std::vector<Variable>& environment);
[[nodiscard]] std::string BasisText(const std::string& basis);
[[nodiscard]] std::string ListedText(const Listed& listed);

// Errors: the one in the text, or kInternal for a text that is no answer.
[[nodiscard]] Result<std::vector<Warning>> ParseOk(const std::string& text);
[[nodiscard]] Result<SandboxEntry> ParseEntry(const std::string& text);
[[nodiscard]] Result<std::vector<Variable>> ParseSecrets(const std::string& text);
[[nodiscard]] Result<std::string> ParseBasis(const std::string& text);
[[nodiscard]] Result<Listed> ParseListed(const std::string& text);

}  // namespace mxc::session
