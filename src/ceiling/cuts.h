// Collects what was cut of a request, clause by clause.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ceiling/ceiling.h"
#include "mxc/error.h"

namespace mxc {

class Cuts {
 public:
  // `pointer`: the request's clause; `what`: what became of it; `clause`: the clause of the section that cut.
  void Add(const CeilingSection& by, const std::string& clause, std::string pointer, const std::string& what);
  // Does not report cuts of the clause with this pointer: the caller did not write it.
  void Ignore(std::string pointer) { ignored_ = std::move(pointer); }
  // The error of a section that refuses (onExcess) instead of cutting; Done if there is none.
  [[nodiscard]] Status Refusal() const;
  // A warning "clamped" for each cut, and one "ceiling", which is printed.
  [[nodiscard]] std::vector<Warning> Warnings() const;

 private:
  std::vector<Warning> all_ = {};
  std::vector<Error> refused_ = {};
  std::string ignored_ = {};
};

}  // namespace mxc
