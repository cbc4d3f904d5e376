#include "access/bfs.h"

#include <string_view>

namespace mxc {
namespace {

// Its exit status says nothing about a policy; negative ones are of programs that crashed.
constexpr std::string_view kFailure = "Unable to perform policy operation";

bool SaysFailure(std::string text) {
  std::erase(text, '\0');  // of UTF-16
  return text.find(kFailure) != std::string::npos;
}

Status Call(const RunBfs& run, const std::vector<std::string>& arguments, const std::string& what,
            const std::string& pointer = {}) {
  const ToolRun said = run(arguments);
  std::string why;
  if (!said.started) {
    why = "it could not be started";
  } else if (said.timed_out) {
    why = "it did not end in " + std::to_string(kBfsLimitMs / 1000) + " s, and was ended";
  } else if (said.exit_code < 0) {
    why = "it crashed";
  } else if (SaysFailure(said.out) || SaysFailure(said.err)) {
    why = "it was unable to";
  }
  if (why.empty()) return Done{};
  return Error{.code = ErrorCode::kSetupFailed,
               .message = "bfscfg.exe was to " + what + ": " + why,
               .pointer = pointer,
               .hint = "remove fallback.allowBfs: entries in access control lists take its place"};
}

}  // namespace

Status GrantByBfs(const std::vector<BfsGrant>& grants, const std::string& container, const RunBfs& run) {
  for (const BfsGrant& grant : grants) {
    const char* const broker = grant.read_write ? "--policybroker" : "--policybrokerreadonly";
    Status granted = Call(
        run, {"--addpolicy", broker, "--filename", grant.path, "--appid", container, "--containerinherit"},
        "grant '" + grant.path + "'", grant.pointer);
    if (!granted) return granted;
  }
  return Done{};
}

Status ClearBfs(const std::string& container, const RunBfs& run) {
  return Call(run, {"--clearpolicy", "--appid", container}, "clear the grants of '" + container + "'");
}

}  // namespace mxc
