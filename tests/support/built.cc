#include "tests/support/built.h"

namespace mxc::test {

std::string SourceDirectory() { return MXC_SOURCE_DIR; }

std::string ProgramUnderTest() { return MXC_PROGRAM; }

std::string GuestProgram() { return MXC_GUEST; }

}  // namespace mxc::test
