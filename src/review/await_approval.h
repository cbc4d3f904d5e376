// Between Plan and Launch: `review` holds commands back that destroy (review/approval.h).
#pragma once

#include "mxc/error.h"
#include "mxc/plan.h"
#include "mxc/policy.h"

namespace mxc {

// The clause `review`, in the ledger: a persistent sandbox keeps it for its commands.
void AddReview(const std::string& pointer, Policy& policy, Plan& plan);

// Done where nothing asks for a review. `approved`: of --approve. Errors: those of CheckApproval.
[[nodiscard]] Status AwaitApproval(const Policy& policy, const Plan& plan, const std::string& approved);
// ... of a command of the persistent sandbox with this identifier. `asked`: the command's own request says
// so.
[[nodiscard]] Status AwaitApproval(const Process& process, const Policy& visible, const Plan& plan,
                                   const std::string& sandbox, bool asked, const std::string& approved);

}  // namespace mxc
