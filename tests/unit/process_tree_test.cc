#include "base/process_tree.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

namespace mxc::process_tree_test {
namespace {

TEST(ProcessText, OfAProcessThatEndsMeanwhileIsEmpty) {
  EXPECT_NE(ProcessText(::getpid(), "stat"), "");
  for (int i = 0; i < 300; ++i) {
    const pid_t process = ::fork();
    ASSERT_GE(process, 0);
    if (process == 0) ::_exit(0);
    std::thread reaper([&] { ::waitpid(process, nullptr, 0); });
    while (!ProcessText(process, "stat").empty()) {
    }
    reaper.join();
    EXPECT_EQ(ProcessText(process, "cmdline"), "");
  }
}

}  // namespace
}  // namespace mxc::process_tree_test
