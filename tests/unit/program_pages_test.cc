#include "spawn/program_pages.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace mxc::program_pages_test {
namespace {

long MappedFilesKb() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    long kb = 0;
    if (word == "RssFile:" && status >> kb) return kb;
  }
  return -1;
}

TEST(ProgramPages, AreReleasedAndComeBackWhenNeeded) {
  const long before = MappedFilesKb();
  ReleaseProgramPages();
  const long after = MappedFilesKb();
  EXPECT_GT(after, 0);
  EXPECT_LT(after, before / 2) << before;
}

}  // namespace
}  // namespace mxc::program_pages_test
