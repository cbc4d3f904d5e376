// The orders to the first process of a sandbox on macOS, as bytes of a file (base/archive.h).
#pragma once

#include <string>
#include <vector>

#include "mxc/error.h"
#include "mxc/sandbox/linux_sandbox.h"
#include "mxc/sandbox/seatbelt_sandbox.h"

namespace mxc {

struct SeatbeltOrders {
  std::string profile = {};  // empty: no sandbox
  std::vector<SeatbeltParameter> parameters = {};
  std::vector<std::string> argv = {};
  std::vector<std::string> environment = {};  // "NAME=value"
  std::string cwd = {};
  ProcessLimits limits = {};
  bool take_terminal = false;  // standard input, output or error becomes its controlling terminal
};

[[nodiscard]] std::string Pack(const SeatbeltOrders& orders);
// Errors: kInternal for bytes that are no orders.
[[nodiscard]] Result<SeatbeltOrders> Unpack(const std::string& bytes);

// `value`, with `directory` in place of /tmp if it is a path at or below /tmp.
[[nodiscard]] std::string MovedTemp(const std::string& value, const std::string& directory);

}  // namespace mxc
