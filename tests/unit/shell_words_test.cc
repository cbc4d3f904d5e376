// Lines of a shell in, commands out.
#include "review/shell_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "review/command_words.h"

namespace mxc::shell_words_test {
namespace {

using testing::ElementsAre;

std::vector<std::vector<std::string>> Split(const std::string& line) {
  std::vector<std::vector<std::string>> commands;
  for (const ShellCommand& command : ReadShellLine(line).commands) commands.push_back(command.words);
  return commands;
}

TEST(ShellWords, SplitWhereAShellDoes) {
  EXPECT_THAT(
      Split("a 'b c' \"d e\" f\\ g;h|i&&j||k&l\nm >n 2>o"),
      ElementsAre(ElementsAre("a", "b c", "d e", "f g"), ElementsAre("h"), ElementsAre("i"), ElementsAre("j"),
                  ElementsAre("k"), ElementsAre("l"), ElementsAre("m", ">", "n", ">", "o")));
  EXPECT_THAT(Split("x $(y \"$(z)\") '"),
              ElementsAre(ElementsAre("z"), ElementsAre("y", "$(z)"), ElementsAre("x", "$(y \"$(z)\")", "")));
  std::string deep;
  for (int i = 0; i < 10000; ++i) deep += "$(";
  EXPECT_LE(ReadShellLine(deep).commands.size(), 100U);
}

std::string Commands(const std::string& line) {
  const ShellLine read = ReadShellLine(line);
  std::string text;
  for (const ShellCommand& command : read.commands) {
    for (const std::string& word : command.words) text += word + "|";
    if (!command.input.empty()) text += " <" + command.input;
    text += "; ";
  }
  return text + (read.closed ? "" : "open");
}

TEST(ShellWords, HereDocumentsBeginBehindTheirLine) {
  EXPECT_EQ(Commands("cat <<E | sh; b\nx\nE\nc"), "cat| <x\n; sh|; b|; c|; ");
  EXPECT_EQ(Commands("a <<E <<'F G'\nx\nE\n$(y)\nF G\nb"), "a| <x\n$(y)\n; b|; ");
  EXPECT_EQ(Commands("a <<-E\n\t$(b)\n\tE\nc"), "a| <$(b)\n; b|; c|; ");
  EXPECT_EQ(Commands("a <<E 'x\n'\ny\nE\nb"), "a|x\n| <y\n; b|; ");
  EXPECT_EQ(Commands("a $(b <<'E'\n:( \" '\nE\n) c"), "b| <:( \" '\n; a|$(b <<'E'\n:( \" '\nE\n)|c|; ");
}

TEST(ShellWords, WhatIsNoCommand) {
  EXPECT_EQ(Commands("case $x in a|b) c;; (d) e;; $(f)) g ;; *) esac; h"),
            "case|$x|in|; c|; e|; f|; g|; h|; ");
  EXPECT_EQ(Commands("x $(case y in z) w;; esac) v"), "case|y|in|; w|; x|$(case y in z) w;; esac)|v|; ");
  EXPECT_EQ(Commands("[[ a =~ ^(b|c)$ && d < e ]] && f"), "[[|a|=~|^(b|c)$|d|<|e|]]|; f|; ");
  EXPECT_EQ(Commands("((a<<1)); b $((c<<2)) $(((d)))\ne"), "((a<<1))|; b|$((c<<2))|$(((d)))|; e|; ");
  EXPECT_EQ(Commands("for ((i=0;i<2;i++)); do a; done"), "for|((i=0;i<2;i++))|; a|; ");
  EXPECT_EQ(Commands("$( (a); b ) $((c); d)"), "a|; b|; c|; d|; $( (a); b )|$((c); d)|; ");
  EXPECT_EQ(Commands("a ${b:-c d} \"${e//(/}\" ${f%%;*}"), "a|${b:-c d}|${e//(/}|${f%%;*}|; ");
  EXPECT_EQ(Commands("a # '(\nb"), "a|; b|; ");
}

TEST(ShellWords, FunctionsStandWithTheirBodies) {
  EXPECT_EQ(Commands("f() { a \"$1\"; }; f x"), "a|$1|; function|f|a \"$1\"; |; f|x|; ");
  EXPECT_EQ(Commands("function f { a; }"), "a|; function|f|a; |; ");
  EXPECT_EQ(Commands("f () ( a )"), "a|; function|f| a |; ");
  EXPECT_EQ(Commands("f() {\n  time { a; }\n  b\n}\nc"), "a|; b|; function|f|  time { a; }\n  b\n|; c|; ");
  const std::vector<ShellCommand> commands = ReadShellLine("f() { a; }; b").commands;
  EXPECT_TRUE(commands[0].in_function);
  EXPECT_FALSE(commands[2].in_function);
}

TEST(ShellWords, ArraysAreTheirValues) {
  EXPECT_EQ(Commands("a=(b 'c d' $e)\nf"), "a=|a=b|a=c d|a=$e|; f|; ");
  EXPECT_EQ(Commands("a+=(\nb # x\n[1]=c); d"), "a=|a=b|a=c|; d|; ");
}

TEST(ShellWords, WhatIsQuotedIsNotExpandedOrNotSplit) {
  const ShellCommand command = ReadShellLine("'$a' \\$b \"$c\" $d x\"$e\"$f").commands.front();
  const std::string literal(1, kLiteralDollar);
  EXPECT_THAT(command.words, ElementsAre(literal + "a", literal + "b", "$c", "$d", "x$e$f"));
  EXPECT_THAT(command.splits, ElementsAre(false, false, false, true, true));
}

TEST(ShellWords, LinesThatNothingCloses) {
  for (const std::string line :
       {"a 'b", "a \"b", "a `b", "a $(b", "a ${b", "a)", "a <<E\nb\n", "a $(b <<E)\nc\nE"})
    EXPECT_THAT(Commands(line), testing::EndsWith("open")) << line;
  for (const std::string line :
       {"a <<E\nE", "a <<E\nb\nE\n", "a \"'\" '\"'", "a \\' \\\"", "a # ' ( `", "${a:-')'}"})
    EXPECT_THAT(Commands(line), testing::EndsWith("; ")) << line;
}

TEST(ShellWords, TheLengthOfASubstitution) {
  EXPECT_EQ(SubstitutionLength("(a ')' \")\" \\) $(b)) c"), 19U);
  EXPECT_EQ(SubstitutionLength("(a <<E\n)\nE\n) c"), 12U);
  EXPECT_EQ(SubstitutionLength("(a"), 2U);
}

}  // namespace
}  // namespace mxc::shell_words_test
