// Where this build and its sources lie. Only built.cc is told, so that a checkout elsewhere compiles the same
// tests.
#pragma once

#include <string>

namespace mxc::test {

[[nodiscard]] std::string SourceDirectory();  // of the checkout
[[nodiscard]] std::string ProgramUnderTest();
[[nodiscard]] std::string GuestProgram();  // of tests/containment

}  // namespace mxc::test
