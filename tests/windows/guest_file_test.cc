// What the host takes from a folder in which a hostile guest writes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <windows.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "mxc/command_line.h"
#include "tests/windows/program_windows.h"
#include "tests/windows/system_programs_windows.h"
#include "win32/wide_windows.h"
#include "windows/guest_file_windows.h"

namespace mxc::test::guest_file_test {
namespace {

// "true", "false", or "refused".
std::string Opened(const std::string& folder, const std::string& name) {
  GuestFile file;
  const Result<bool> open = file.Open(folder, name);
  if (!open) return "refused";
  EXPECT_EQ(file.IsOpen(), *open);
  return *open ? "true" : "false";
}

TEST(GuestFile, OpensAPlainFileAtItsPlace) {
  const Scratch scratch;
  std::filesystem::create_directories(Wide(scratch.Path("answers")));
  EXPECT_EQ(Opened(scratch.Path("answers"), "a"), "false");
  scratch.Write("answers\\a", "text");
  EXPECT_EQ(Opened(scratch.Path("answers"), "a"), "true");
  GuestFile file;
  ASSERT_TRUE(file.Open(scratch.Path("answers"), "a"));
  EXPECT_EQ(file.Take(2), "te");
  EXPECT_EQ(file.Take(9), "xt");
  EXPECT_EQ(::DeleteFileW(Wide(scratch.Path("answers\\a")).c_str()), 0);  // the name stays with this file
}

TEST(GuestFile, ADirectoryIsNone) {
  const Scratch scratch;
  std::filesystem::create_directories(Wide(scratch.Path("answers\\a")));
  EXPECT_EQ(Opened(scratch.Path("answers"), "a"), "refused");
}

// Wine makes no links, but follows those of the system below it.
bool MakeLink(const std::string& link, const std::string& target) {
  if (!IsWine()) {
    constexpr DWORD kUnprivileged = 2;
    return ::CreateSymbolicLinkW(Wide(link).c_str(), Wide(target).c_str(), kUnprivileged) != 0;
  }
  const auto below = [](const std::string& path) { return "\"`winepath -u '" + path + "'`\""; };
  const std::vector<std::string> line = {"start", "/unix", "/bin/sh", "-c",
                                         "ln -s " + below(target) + " " + below(link)};
  const bool told = std::system(JoinArguments(line, QuoteFor::kProgram).c_str()) == 0;  // it does not wait
  for (int i = 0; told && i < 200 && !std::filesystem::exists(Wide(link)); ++i) ::Sleep(50);
  return std::filesystem::exists(Wide(link));
}

TEST(GuestFile, ALinkInThePlaceOfAnAnswerIsRefused) {
  const Scratch scratch;
  std::filesystem::create_directories(Wide(scratch.Path("answers")));
  scratch.Write("secret", "text");
  ASSERT_TRUE(MakeLink(scratch.Path("answers\\a"), scratch.Path("secret")));
  EXPECT_EQ(scratch.Read("answers\\a"), "text");  // others would be led there
  EXPECT_EQ(Opened(scratch.Path("answers"), "a"), "refused");
}

}  // namespace
}  // namespace mxc::test::guest_file_test
