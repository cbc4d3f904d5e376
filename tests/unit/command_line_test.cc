#include "mxc/command_line.h"

#include <gtest/gtest.h>

namespace mxc::command_line_test {
namespace {

std::string Program(std::string_view argument) { return QuoteArgument(argument, QuoteFor::kProgram); }
std::string Cmd(std::string_view argument) { return QuoteArgument(argument, QuoteFor::kCmd); }
std::string Shell(std::string_view argument) { return QuoteArgument(argument, QuoteFor::kShell); }

TEST(CommandLine, LeavesPlainArgumentsAlone) {
  EXPECT_EQ(Program("C:\\a\\b"), "C:\\a\\b");
  EXPECT_EQ(Program("C:\\a\\"), "C:\\a\\");
  EXPECT_EQ(Program("a&b"), "a&b");
  EXPECT_EQ(Shell("/a/b-c_d.e:f,g@h%i+j=k"), "/a/b-c_d.e:f,g@h%i+j=k");
}

TEST(CommandLine, QuotesWhatWouldBeTakenApart) {
  EXPECT_EQ(Program(""), "\"\"");
  EXPECT_EQ(Program("a b"), "\"a b\"");
  EXPECT_EQ(Program("a\tb"), "\"a\tb\"");
  EXPECT_EQ(Shell(""), "''");
  EXPECT_EQ(Shell("a b"), "'a b'");
}

TEST(CommandLine, DoublesBackslashesOnlyBeforeQuotes) {
  EXPECT_EQ(Program("a \\ b"), "\"a \\ b\"");
  EXPECT_EQ(Program("a b\\"), "\"a b\\\\\"");
  EXPECT_EQ(Program("a\"b"), "\"a\\\"b\"");
  EXPECT_EQ(Program("a\\\"b"), "\"a\\\\\\\"b\"");
  EXPECT_EQ(Program("a\\\\\" b\\\\"), "\"a\\\\\\\\\\\" b\\\\\\\\\"");
}

TEST(CommandLine, HidesOperatorsFromCmd) {
  for (const char* text : {"a&b", "a|b", "a<b", "a>b", "a^b", "a(b", "a)b"}) {
    EXPECT_EQ(Cmd(text), "\"" + std::string(text) + "\"");
  }
  EXPECT_EQ(Cmd("a%b"), "a%b");
}

TEST(CommandLine, KeepsSingleQuotesOutOfSingleQuotes) { EXPECT_EQ(Shell("it's"), "'it'\\''s'"); }

TEST(CommandLine, JoinsWithSpaces) {
  EXPECT_EQ(JoinArguments({"a", "b c", ""}, QuoteFor::kProgram), "a \"b c\" \"\"");
  EXPECT_EQ(JoinArguments({}, QuoteFor::kProgram), "");
}

}  // namespace
}  // namespace mxc::command_line_test
