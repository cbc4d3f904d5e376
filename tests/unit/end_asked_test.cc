// Signals that wait for the end of what must not be interrupted.
#include "run/end_asked.h"

#include <gtest/gtest.h>

#include <csignal>

namespace mxc::end_asked_test {
namespace {

TEST(EndAsked, WhatWaitsIsSeenAndStays) {
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  for (const int number : {SIGTERM, SIGWINCH, SIGCONT}) sigaddset(&blocked, number);
  ASSERT_EQ(::pthread_sigmask(SIG_BLOCK, &blocked, &before), 0);
  EXPECT_FALSE(IsEndAsked());
  ::raise(SIGCONT);
  ::raise(SIGWINCH);
  EXPECT_FALSE(IsEndAsked());
  ::raise(SIGTERM);
  EXPECT_TRUE(IsEndAsked());
  EXPECT_TRUE(IsEndAsked());
  int taken = 0;
  while (taken != SIGTERM) ASSERT_EQ(::sigwait(&blocked, &taken), 0);
  EXPECT_FALSE(IsEndAsked());
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace
}  // namespace mxc::end_asked_test
