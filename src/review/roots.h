// What may be written, and whether a path names all of it.
#pragma once

#include <string>
#include <vector>

#include "mxc/policy.h"
#include "review/command_words.h"
#include "review/expansion.h"

namespace mxc {

// The path, and its other names by these links.
[[nodiscard]] std::vector<std::string> NamesOf(const std::string& path, const std::vector<PathLink>& links);

class Roots {
 public:
  // All of them have to outlive it.
  Roots(const std::vector<std::string>& roots, const std::string& home, const Expansion& expansion)
      : roots_(roots), home_(home), expansion_(expansion) {}

  // A root of what may be written, everything in it, or what holds it.
  [[nodiscard]] bool Has(const std::string& operand) const;

 private:
  [[nodiscard]] bool HasAt(std::string path) const;

  const std::vector<std::string>& roots_;
  const std::string& home_;
  const Expansion& expansion_;
};

// Of find(1): a root is among where it starts, and no name leaves most files out before it acts.
[[nodiscard]] bool FindsRoots(const Words& words, const Roots& roots);
// A path without the components at its end that stand for all there is.
[[nodiscard]] std::string WithoutPatternsAtEnd(std::string path);

}  // namespace mxc
