// Where the commands of a line stand, as far as its text says.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "review/command_words.h"
#include "review/expansion.h"
#include "review/shell_words.h"

namespace mxc {

// After commands[at]: `cd`, `pushd`.
void ChangeDirectory(const std::vector<ShellCommand>& commands, std::size_t at, const std::string& home,
                     Expansion& expansion);

// `env -C DIR`, `sudo --chdir=DIR`: what they run may stand there.
void StandWhereTold(const Words& words, Expansion& expansion);

// A subshell changes its own directory: behind it the one of the shell outside is back.
class SubshellDirectories {
 public:
  void Enter(const std::vector<int>& subshells, Expansion& expansion);

 private:
  std::vector<std::pair<int, std::vector<std::string>>> outside_ =
      {};  // of each subshell, the outermost first
};

}  // namespace mxc
