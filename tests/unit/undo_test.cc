#include "base/undo.h"

#include <gtest/gtest.h>

#include <string>

namespace mxc::undo_test {
namespace {

TEST(Undo, RunsInReverseWhenItGoesOutOfScope) {
  std::string order;
  {
    Undo undo;
    undo.Push([&] { order += '1'; });
    undo.Push([&] { order += '2'; });
    EXPECT_EQ(order, "");
  }
  EXPECT_EQ(order, "21");
}

TEST(Undo, RunsOnce) {
  int count = 0;
  {
    Undo undo;
    undo.Push([&] { ++count; });
    undo.Run();
    EXPECT_EQ(count, 1);
  }
  EXPECT_EQ(count, 1);
}

}  // namespace
}  // namespace mxc::undo_test
