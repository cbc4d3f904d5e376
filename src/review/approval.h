// Approvals of commands that destroy. A refusal leaves a note among the caller's runtime files, which no
// sandbox shows; --approve takes that note away and runs what it stands for, so each approval is good for one
// run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mxc/error.h"
#include "mxc/policy.h"
#include "review/destructive.h"

namespace mxc {

struct ReviewRequest {
  ReviewedCommand command = {};
  std::string policy_hash = {};
  std::string sandbox = {};              // the identifier of the persistent one that the command goes into
  std::vector<std::string> places = {};  // which directories those are that the names mean: IdentityOfPlace
  // A directory whose name leads elsewhere by now than in the sandbox: what would be destroyed cannot be
  // told.
  std::string moved = {};
};

// Milliseconds for which a refused command may be approved.
inline constexpr std::uint64_t kApprovalMs = 600000;
// Bytes of a command that a person can be asked to read.
inline constexpr std::size_t kMaxShownCommand = std::size_t{64} * 1024;

// SHA-256 of everything that would run: the command, its variables with their values, its directory, the
// policy, the sandbox and the directories themselves.
[[nodiscard]] std::string RequestHash(const ReviewRequest& request);

// The command as a shell would be given it, word by word: none of it is left out, and no two commands have
// one text.
[[nodiscard]] std::string WholeCommand(const ReviewedCommand& command);

// `approved`: the approval that was given; empty: none. Errors: kApprovalRequired, for a command that
// destroys and was not approved: without `approved` with the approval that it waits for; kUsage for an
// approval that nothing of this command waits for.
[[nodiscard]] Status CheckApproval(const ReviewRequest& request, const std::string& approved);

// What stands at the path, that nothing put in its place has: device, inode, time of birth, mount. Empty
// where nothing does. Linux; elsewhere nothing is approved.
[[nodiscard]] std::string IdentityOfPlace(const std::string& path);
[[nodiscard]] bool IsPlace(const std::string& path, const FileObject& object);

// A note for the request with this hash. What is returned approves it, and was never the name of a note
// before. Errors: kSetupFailed, kUnsupported.
[[nodiscard]] Result<std::string> LeaveNote(const std::string& request_hash);

enum class NoteTaken {
  kTaken,  // by this call and no other
  kNone,   // used, too old, or made up
  kOther,  // of another request, which it still waits for
};
[[nodiscard]] Result<NoteTaken> TakeNote(const std::string& approval, const std::string& request_hash);

}  // namespace mxc
