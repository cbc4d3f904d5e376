#include "ffi/request.h"

#include <string_view>

#include "ffi/scan.h"

namespace mxc::ffi {
namespace {

Failure Malformed(std::string message, std::string remediation) {
  return {
      .status = MXC_MALFORMED_REQUEST, .message = std::move(message), .remediation = std::move(remediation)};
}

Failure CheckPhase(const std::string& phase, Expected expected) {
  const bool exec = phase == "exec";
  if (expected == Expected::kExec && !exec)
    return Malformed("the request is none of the phase `exec`", "give it to mxc_run_state_aware_json");
  if (expected == Expected::kLifecycle && exec)
    return Malformed("the phase `exec` runs a command", "give it to mxc_exec_state_aware_json");
  for (const char* const known : {"provision", "start", "exec", "stop", "deprovision"})
    if (phase == known) return {};
  return Malformed("`phase` is not one of `provision`, `start`, `exec`, `stop`, `deprovision`",
                   "give a request without a phase to mxc_run_json or mxc_spawn_json");
}

}  // namespace

Failure CheckRequest(const char* document, Expected expected) {
  if (document == nullptr) return {.status = MXC_NULL_POINTER, .message = "the request is NULL"};
  const std::string_view text = document;
  if (!IsUtf8(text)) return {.status = MXC_NOT_UTF8, .message = "the request is not UTF-8"};
  if (text.empty()) return Malformed("the request is empty", "");
  const std::string_view phase = MemberOf(text, "phase");
  if (expected != Expected::kRun) return CheckPhase(TextOf(phase).value_or(""), expected);
  if (phase.empty() || phase == "null") return {};
  return Malformed("a request with a phase is one of a persistent sandbox",
                   "give it to mxc_run_state_aware_json or mxc_exec_state_aware_json");
}

Failure InWordsOfSdk(const char* document, Failure failure) {
  if (failure.status != MXC_UNSUPPORTED_CONTAINMENT) return failure;
  const std::string containment = TextMember(document, "containment");
  const std::string id = TextMember(document, "sandboxId");
  const bool known = containment == "isolation_session" || containment == "wslc" || id.starts_with("iso:") ||
                     id.starts_with("wslc:");
  if (known) failure.status = MXC_BACKEND_UNAVAILABLE;
  return failure;
}

Failure CheckSize(std::uint16_t rows, std::uint16_t columns) {
  constexpr std::uint16_t kMost = 32767;
  if (rows > 0 && rows <= kMost && columns > 0 && columns <= kMost) return {};
  return Malformed("the terminal must have 1 to 32767 rows and columns", "");
}

}  // namespace mxc::ffi
