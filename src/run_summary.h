// What --report prints at the end of a run: what was denied, and what would allow it.
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
  // The record of a connection to a port of the sandbox's loopback on which only a program of the host
  // listens; absent if that program is our own.
  std::function<std::optional<GatewayRecord>(std::uint16_t port)> loopback = {};
  bool brief = false;                     // --report=short
  bool as_root = false;                   // on Linux
  std::vector<std::string> secrets = {};  // values that a short report does not show

  // Writes to standard error. A short report has at most three lines, and none if the command did not fail.
  void Print(const Plan& plan, bool failed) const;

 private:
  [[nodiscard]] std::string Short() const;
};

// The form in which the caller wrote the policy: advice is given in the same.
[[nodiscard]] PolicyForm FormOf(const Config& config, const Options& options);

// `policy` and `host` are borrowed; the policy is first read when the command runs. A denial that one of
// `flags` decided names that flag.
[[nodiscard]] RunSummary SummaryFor(const Policy& policy, PolicyForm form, const Host& host,
                                    const std::vector<FlagPlace>& flags, bool brief);

// Passes the same from one call to another: the policy of a command of a persistent sandbox is the one that
// the sandbox was started with. The environment is the command's own.
[[nodiscard]] std::string PackBasis(const Policy& policy, PolicyForm form, const Host& host,
                                    const std::vector<FlagPlace>& flags);
// Absent: `basis` is not from PackBasis.
[[nodiscard]] std::optional<RunSummary> SummaryFrom(const std::string& basis,
                                                    std::vector<Variable> environment, const Host& host,
                                                    bool brief);

}  // namespace mxc
