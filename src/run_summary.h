// What --report says when a run has ended: what was denied, and how one would allow it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli.h"
#include "config/config.h"
#include "flag_places.h"
#include "mxc/host.h"
#include "mxc/plan.h"
#include "mxc/policy.h"
#include "report/file_summary.h"
#include "report/network_summary.h"

namespace mxc {

struct RunSummary {
  NetworkSummary network;
  FileSummary files;
  // Of a connection to a port of the sandbox's loopback at which only a program of the host listens; absent:
  // that program is our own.
  std::function<std::optional<GatewayRecord>(std::uint16_t port)> loopback = {};
  bool brief = false;                     // --report=short
  bool as_root = false;                   // on Linux
  std::vector<std::string> secrets = {};  // values that a short report does not show

  // On standard error. A short report is at most three lines, and none of a command that did not fail.
  void Tell(const Plan& plan, bool failed) const;

 private:
  [[nodiscard]] std::string Short() const;
};

// The form in which the caller wrote the policy: advice is given in the same.
[[nodiscard]] PolicyForm FormOf(const Config& config, const Options& options);

// `policy` and `host` are borrowed; the policy is first read when the command runs. A denial that one of
// `flags` decided is told with its words.
[[nodiscard]] RunSummary SummaryFor(const Policy& policy, PolicyForm form, const Host& host,
                                    const std::vector<FlagPlace>& flags, bool brief);

// The same from one call to another: a command of a persistent sandbox is under the policy that the sandbox
// was started with. The environment is the command's own.
[[nodiscard]] std::string PackBasis(const Policy& policy, PolicyForm form, const Host& host,
                                    const std::vector<FlagPlace>& flags);
// Absent: `basis` is none.
[[nodiscard]] std::optional<RunSummary> SummaryFrom(const std::string& basis,
                                                    std::vector<Variable> environment, const Host& host,
                                                    bool brief);

}  // namespace mxc
