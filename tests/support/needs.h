// What a sandbox or a container around the tests may refuse them. Asked of the kernel; null when it is there,
// otherwise the reason to skip:
//
//   if (const char* missing = MissingNamespaces()) GTEST_SKIP() << missing;
#pragma once

#include <gtest/gtest.h>

#include <functional>

namespace mxc::test {

[[nodiscard]] const char* MissingNamespaces();  // a user namespace, and with it any other
[[nodiscard]] const char* MissingSetGroupId();  // on files of one's own group
[[nodiscard]] const char* MissingOpenat2();

// In a process of its own, for what cannot be taken back.
[[nodiscard]] bool HoldsInChild(const std::function<bool()>& attempt);

class NamespacesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const char* missing = MissingNamespaces()) GTEST_SKIP() << missing;
  }
};

}  // namespace mxc::test
