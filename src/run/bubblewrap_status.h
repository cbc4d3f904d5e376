// Parses bubblewrap's status pipe: one JSON object a line, {"child-pid": n, ...} when process 1 of the
// sandbox exists and {"exit-code": n} when the command has ended. A set-up that fails writes no exit-code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "mxc/sandbox/linux_sandbox.h"

namespace mxc {

class SandboxStatus {
 public:
  static constexpr std::size_t kMaxBytes = 65536;  // more is no report; what comes after it is ignored

  void Feed(std::string_view bytes);  // lines may arrive in pieces
  [[nodiscard]] std::optional<std::int64_t> ChildId() const { return child_id_; }
  [[nodiscard]] bool InALine() const { return !pending_.empty(); }  // the last line is incomplete
  [[nodiscard]] std::optional<int> ExitCode() const { return exit_code_; }

 private:
  void TakeLine(std::string_view line);
  std::string pending_;
  std::size_t received_ = 0;
  std::optional<std::int64_t> child_id_;
  std::optional<int> exit_code_;
};

// The path on the host of the mask for which bubblewrap says, in `message`, that it can make no place: it
// finds the places of masks by name, and makes those that it does not find. None: it says something else.
[[nodiscard]] std::optional<std::string> MaskWithoutPlace(std::string_view message,
                                                          const LinuxSandbox& sandbox);

}  // namespace mxc
