// From the command line to a decoded configuration: Read, Parse, Expand (`~`, `${PWD}`), Decode.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli.h"
#include "config/config.h"
#include "flag_document.h"
#include "mxc/error.h"
#include "mxc/host.h"

namespace mxc {

struct Request {
  bool lifecycle = false;       // the document names a phase: its answer goes to standard output
  std::string sandbox_id = {};  // that it or --container-id names, whatever is wrong with the rest
  Result<Config> config;
  std::vector<FlagPlace> flags = {};       // what flags gave
  std::optional<std::string> report = {};  // of the caller's settings, as Options::report
};

// The file with the configuration, absolute; "" where it is none, or has no place that is known.
[[nodiscard]] std::string ConfigFileOf(const Options& options, const Host& host);
// The same, or the file behind the descriptor that it is read from.
[[nodiscard]] std::string PolicyFileOf(const Options& options, const Host& host);
// Errors: those of the three stages, and of flags (kUsage).
[[nodiscard]] Request ReadRequest(const Options& options, const Host& host);

}  // namespace mxc
