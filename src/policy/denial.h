// Why the policy kept a file from the command, if it did.
//
//   DenialJudge judge(policy, host);
//   if (std::optional<FileDenial> denial = judge.Judge(call)) ...
//
// A call that the host itself would have refused, or a file that it does not have, is no denial.
#pragma once

#include <optional>
#include <string_view>

#include "mxc/file_call.h"
#include "mxc/host.h"
#include "mxc/policy.h"
#include "policy/advice.h"
#include "policy/paths/rules.h"

namespace mxc {

class DenialJudge {
 public:
  // Both borrowed; the policy is first read by Judge.
  DenialJudge(const Policy& policy, const Host& host) : policy_(policy), host_(host) {}
  [[nodiscard]] std::optional<FileDenial> Judge(const FileCall& call);

 private:
  [[nodiscard]] std::optional<FileDenial> JudgeFile(const FileCall& call) const;
  [[nodiscard]] std::optional<FileDenial> JudgeSocket(const FileCall& call) const;
  [[nodiscard]] std::optional<FileDenial> MissedAtHome(const FileCall& call) const;
  [[nodiscard]] std::optional<FileDenial> MissedOnPath(const FileCall& call) const;
  [[nodiscard]] bool ShownInPart(std::string_view path) const;
  [[nodiscard]] bool IsGiven(const PathRule* rule, std::string_view path, FileUse use) const;
  // `own`: the sandbox's own node that `path` is in; "" for none.
  [[nodiscard]] bool IsExpected(const PathRule* rule, std::string_view own, std::string_view path,
                                FileUse use) const;
  [[nodiscard]] bool WayIsShown(const Walked& walked) const;

  const Policy& policy_;
  const Host& host_;
  std::optional<RuleSet> rules_ = {};
  std::optional<Adviser> adviser_ = {};
};

}  // namespace mxc
