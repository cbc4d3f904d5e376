// The caller's environment as git configuration: GIT_CONFIG_KEY_0 and the like, GIT_EDITOR, GIT_TEMPLATE_DIR.
#pragma once

#include <string_view>
#include <vector>

#include "mxc/host.h"
#include "policy/protect/git/config.h"

namespace mxc {

[[nodiscard]] std::vector<GitVariable> GitEnvironment(const Host& host);

// GIT_CONFIG_PARAMETERS, by which `git -c` passes variables to the programs that it starts:
// 'core.pager'='less' 'core.pager=less'
[[nodiscard]] std::vector<GitVariable> ReadGitParameters(std::string_view text);

}  // namespace mxc
