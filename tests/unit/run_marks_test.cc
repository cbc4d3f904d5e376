// The marks by which runs find each other, as the kernel lists them.
#include "unix_sockets/run_marks.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

namespace mxc::run_marks_test {
namespace {

TEST(RunMarks, StandAsLongAsTheRun) {
  {
    const RunMark later = RunMark::Set(7, {"/no/such/a"});
    const RunMark mark = RunMark::Set(5, {"/no/such/a"});
    EXPECT_EQ(OldestRunMark({"/no/such/a"}), 5U);
  }
  EXPECT_NE(OldestRunMark({"/no/such/a"}), 5U);
  const RunMark none = RunMark::Set(std::nullopt, {"/no/such/a"});
  EXPECT_NE(OldestRunMark({"/no/such/a"}), 0U);
}

TEST(RunMarks, CountWhereGrantsMeet) {
  const RunMark mark = RunMark::Set(5, {"/no/such/b/c"});
  for (const char* const root : {"/no/such/b/c", "/no/such/b", "/no", "/", "/no/such/b/c/d/e"})
    EXPECT_EQ(OldestRunMark({root}), 5U) << root;
  for (const char* const root : {"/no/such/b/d", "/no/such/bc", "/else"})
    EXPECT_NE(OldestRunMark({root}), 5U) << root;
}

TEST(RunMarks, WithManyRootsCountEverywhere) {
  const RunMark mark = RunMark::Set(3, {"/no/1/2/3/4/5/6/7/8", "/no/a/b/c/d/e/f/g/h"});
  EXPECT_EQ(OldestRunMark({"/else"}), 3U);
}

}  // namespace
}  // namespace mxc::run_marks_test
