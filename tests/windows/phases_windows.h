// Requests of the lifecycle as a client sends them, one call of the program for each phase.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/windows/program_windows.h"

namespace mxc::test {

class PhasesTest : public testing::Test {
 protected:
  static constexpr const char* kDone = "{\"result\":{}}\n";

  void SetUp() override;  // skips but under Wine; no sandbox is there
  void TearDown() override;

  // `members` of the document beside its version.
  Said Request(const std::string& members, const std::vector<std::string>& flags = {},
               const std::string& input = "") const;
  // `more` begins with a comma.
  [[nodiscard]] Said Phase(const std::string& phase, const std::string& id, const std::string& more = "",
                           const std::string& input = "") const;
  [[nodiscard]] Said ProvisionOf(const std::string& more = "") const;
  // Its identifier; whatever goes wrong, it goes by itself.
  std::string Provision(const std::string& more = "");
  std::string Started(const std::string& more = "");

  static std::string List();
  static std::string StateOf(const std::string& id);  // or "absent"
  static std::filesystem::path Sandboxes();
  static std::filesystem::path FolderOf(const std::string& id);
  static std::size_t FilesIn(const std::filesystem::path& folder);

  std::string containment = "windows_sandbox";
  std::string prefix = "wsb:";
  Scratch scratch;
  std::vector<std::string> provisioned = {};
  mutable int requests = 0;
};

}  // namespace mxc::test
