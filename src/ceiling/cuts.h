// What a request asked for beyond a ceiling, clause by clause.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ceiling/ceiling.h"
#include "mxc/error.h"

namespace mxc {

class Cuts {
 public:
  // `pointer`: of the request's clause; `what`: became of it; `clause`: of the section that says so.
  void Add(const CeilingSection& by, const std::string& clause, std::string pointer, const std::string& what);
  // What is cut of the clause with this pointer is nobody's wish, and not reported.
  void Ignore(std::string pointer) { ignored_ = std::move(pointer); }
  // The error of a section that refuses what it would cut; Done when there is none.
  [[nodiscard]] Status Refusal() const;
  // A warning "clamped" for each, and the one, "ceiling", that is told.
  [[nodiscard]] std::vector<Warning> Warnings() const;

 private:
  std::vector<Warning> all_ = {};
  std::vector<Error> refused_ = {};
  std::string ignored_ = {};
};

}  // namespace mxc
