// The one error type and the one result type of the program.
//
//   Result<UniqueFd> OpenDirectory(const std::string& path) {
//     UniqueFd dir{::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
//     if (!dir) return SystemError(ErrorCode::kSetupFailed, "open '" + path + "'", errno);
//     return dir;
//   }
//
// Libraries may throw; nothing of ours does. `main` holds the only catch.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace mxc {

// Kinds of errors; docs/errors.md describes them. `WireCode` maps each onto the closed set of codes that the
// SDKs know, `ExitStatus` onto the process's exit status.
enum class ErrorCode {
  kUsage,             // the command line itself
  kMalformed,         // not JSON, or over a bound of limits.h
  kSchema,            // JSON, but not a configuration
  kConflict,          // a configuration that contradicts itself or this host's files
  kUnsupported,       // a containment that does not exist on this operating system
  kGated,             // an experimental containment without --experimental
  kNotBuilt,          // a containment of this system whose backend is not in this build
  kUnavailable,       // this host lacks what the backend needs
  kUnenforceable,     // a clause that no mechanism of the chosen backend can enforce
  kApprovalRequired,  // a destructive command that nobody has approved
  kSetupFailed,       // the sandbox could not be built
  kTimeout,           // the command ran longer than process.timeout
  kOutputLost,        // the command's output could not be written to the caller's stream
  // Lifecycle requests:
  kMalformedId,       // a sandboxId that no provision can have returned
  kStaleId,           // its sandbox is gone
  kUnsupportedPhase,  // a containment that has no persistent sandboxes
  kNotProvisioned,    // this user has provisioned nothing here
  kNotStarted,
  kAlreadyStarted,
  kAlreadyStopped,
  kInternal,  // a bug in mxc-exec
};

// The place of a value in the document. Both count from 1; 0 means unknown.
struct Position {
  std::uint32_t line = 0;
  std::uint32_t column = 0;  // in bytes
};

// A command that waits for a person's approval.
struct AwaitedApproval {
  std::string id = {};         // what --approve takes; "": there is none
  std::string command = {};    // as a shell command line
  std::string directory = {};  // in which it starts
};

// NOLINTNEXTLINE(misc-no-recursion): copies of `others`, which is one level deep.
struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message = {};  // one sentence, no secrets
  std::string pointer = {};  // RFC 6901 pointer of the offending value; empty when there is none
  Position position = {};
  std::string hint = {};           // what to do about it
  std::vector<Error> others = {};  // further errors of the same document, in document order
  AwaitedApproval approval = {};   // of kApprovalRequired
  bool outdated = false;           // nothing has run: a file of the plan has disappeared
};

// Something that the user should know and that does not stop the run. Categories: docs/errors.md.
struct Warning {
  std::string category = {};  // "path-missing", "network-unrestricted", "running-as-root", ...
  std::string message = {};
  std::string pointer = {};
  bool told = false;  // printed on standard error, whatever its category
};

// A value, or the error why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  // Implicit, so that `return value;` and `return error;` both read as they should.
  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  [[nodiscard]] T& value() { return std::get<0>(state_); }
  [[nodiscard]] const T& value() const { return std::get<0>(state_); }
  [[nodiscard]] T& operator*() { return value(); }
  [[nodiscard]] const T& operator*() const { return value(); }
  [[nodiscard]] T* operator->() { return &value(); }
  [[nodiscard]] const T* operator->() const { return &value(); }
  [[nodiscard]] Error& error() { return std::get<1>(state_); }
  [[nodiscard]] const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

// The value of an operation that returns nothing but success.
struct Done {};
using Status = Result<Done>;

// "<what>: <strerror(number)>".
[[nodiscard]] Error SystemError(ErrorCode code, std::string_view what, int number);

// The two refusals of a policy, usually with the pointer of its entry.
[[nodiscard]] Error Conflict(std::string message, std::string pointer = {}, std::string hint = {});
[[nodiscard]] Error Unenforceable(std::string message, std::string pointer = {}, std::string hint = {});
// Something that this version, or this system, does not have.
[[nodiscard]] Error Unsupported(std::string message, std::string pointer = {}, std::string hint = {});
// Something that this machine lacks, or refused when the sandbox was built.
[[nodiscard]] Error Unavailable(std::string message, std::string pointer = {}, std::string hint = {});
[[nodiscard]] Error SetupFailed(std::string message, std::string hint = {});

// The code of that name, in our own words; kInternal for any other.
[[nodiscard]] ErrorCode ErrorCodeNamed(std::string_view name);

// snake_case name of our own ("unenforceable"), and the wire code of contract 2.2 ("policy_validation").
[[nodiscard]] std::string_view Name(ErrorCode code);
[[nodiscard]] std::string_view WireCode(ErrorCode code);

// 1 parse, selection or lifecycle, 2 usage, 255 everything after (contract 2.1).
[[nodiscard]] int ExitStatus(ErrorCode code);

}  // namespace mxc
