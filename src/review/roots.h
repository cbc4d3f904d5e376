// What may be written, and whether a path names all of it.
#pragma once

#include <string>
#include <vector>

#include "review/expansion.h"

namespace mxc {

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

}  // namespace mxc
