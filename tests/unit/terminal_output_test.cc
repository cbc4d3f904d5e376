// What of a command's output goes to a terminal, and in which pieces.
#include "stdio/terminal_output.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace mxc::terminal_output_test {
namespace {

// In one piece, in two of every length, and byte by byte.
std::string Passed(const std::string& output, bool may_ask) {
  const auto feed = [&](const std::vector<std::string>& pieces) {
    TerminalOutput terminal([may_ask] { return may_ask; });
    std::string out;
    for (const std::string& piece : pieces) terminal.Feed(piece, out);
    return out;
  };
  const std::string whole = feed({output});
  std::vector<std::string> bytes;
  for (std::size_t at = 0; at < output.size(); ++at) {
    bytes.push_back(output.substr(at, 1));
    EXPECT_EQ(feed({output.substr(0, at), output.substr(at)}), whole) << output.substr(1) << " at " << at;
  }
  EXPECT_EQ(feed(bytes), whole) << output;
  return whole;
}
std::string Silent(const std::string& output) { return Passed(output, false); }

const std::vector<std::string> kAsking = {"\x1b[c",
                                          "\x1b[0c",
                                          "\x1b[>c",
                                          "\x1b[=c",
                                          "\x1b[5n",
                                          "\x1b[6n",
                                          "\x1b[?6n",
                                          "\x1b[?996n",
                                          "\x1b[14t",
                                          "\x1b[18t",
                                          "\x1b[21t",
                                          "\x1b[?25$p",
                                          "\x1b[4$p",
                                          "\x1b[1$w",
                                          "\x1b[1$u",
                                          "\x1b[1;1;1;1;1;1*y",
                                          "\x1b['|",
                                          "\x1b[x",
                                          "\x1b[?u",
                                          "\x1b[>q",
                                          "\x1b[?4m",
                                          "\x1b[#|",
                                          "\x1b[#R",
                                          "\x1b[?1;1S",
                                          "\x1b[5i",
                                          "\x1b[?1000h",
                                          "\x1b[?25;1004h",
                                          "\x1b[?2048h",
                                          "\x1b[?h",
                                          "\x1b[1?h",
                                          "\x1b[5\nn",
                                          "\x1b[6\x7fn",
                                          "\x1b[1$1p",
                                          "\x1bZ",
                                          "\x1b%@",
                                          "\x1b]11;?\x07",
                                          "\x1b]10;?\x1b\\",
                                          "\x1b]11;\n?\x07",
                                          "\x1b]4;1;#fff;2;?\x1b\\",
                                          "\x1b]52;c;?\x1b\\",
                                          "\x1b]22;?__current__\x1b\\",
                                          "\x1b]2;?\x07",
                                          "\x1b]60\x07",
                                          "\x1b]99;i=1:p=?;\x1b\\",
                                          "\x1b]1337;ReportCellSize\x07",
                                          "\x1b]0;a\x05\x07",
                                          "\x1b]l\x07",
                                          "\x1bP+q544e\x1b\\",
                                          "\x1bP$qm\x1b\\",
                                          "\x1bPtmux;a\x1b\\",
                                          "\x1b_Gi=1,a=q\x1b\\",
                                          "\x1b^a\x1b\\",
                                          "\x1bXa\x1b\\",
                                          "\x05",
                                          "\x01",
                                          "\x18",
                                          "\x1b[2h",
                                          "\x1b[4;20h",
                                          "\x1b[12l",
                                          "\x1b[h",
                                          "\x1b]9;5\x07",
                                          "\x1b]9;7;cmd\x07",
                                          "\x1b]9;10;1\x1b\\",
                                          "\x1b]777;x;y\x07",
                                          "\x1b]777\x07",
                                          "\x9a",
                                          "\xc2\x9a",
                                          "\x9b"
                                          "c",
                                          "\xc2\x9b"
                                          "6n",
                                          "\x90$qm\x9c",
                                          "\x9d"
                                          "11;?\xc2\x9c",
                                          "\xe0\x82\x9a",
                                          "\xe9\x9a"};

TEST(TerminalOutput, WhatATerminalAnswersDoesNotPass) {
  for (const std::string& asked : kAsking) {
    EXPECT_EQ(Silent(asked), "") << asked.substr(1);
    EXPECT_EQ(Silent("a\x1b[1m" + asked + "b\x1b[m"), "a\x1b[1mb\x1b[m") << asked.substr(1);
    EXPECT_EQ(Passed("a" + asked + "b", true), "a" + asked + "b") << asked.substr(1);
  }
}

// ESC and a control begin anew, whatever is open.
TEST(TerminalOutput, WhatIsCutOffDoesNotPass) {
  EXPECT_EQ(Silent("\x1b[1\x1b[6n"), "");
  EXPECT_EQ(Silent("\x1b[1\x1b[6mx"), "\x1b[6mx");
  EXPECT_EQ(Silent("\x1b]0;t\x1b[6n"), "");
  EXPECT_EQ(Silent("\x1b]0;t\x1b]1;u\x07"), "\x1b]1;u\x07");
  EXPECT_EQ(Silent("\x1b]0;t\x9b"
                   "6n."),
            ".");
  EXPECT_EQ(Silent("\x1b[6\x18n"), "n");
  EXPECT_EQ(Silent("\x1b[6\x1an"), "n");
  EXPECT_EQ(Silent("\x1b\xc3\xa9[6n"), "\xc3\xa9[6n");
  EXPECT_EQ(Silent("\x1b[\xc3\xa9"), "\xc3\xa9");
  EXPECT_EQ(Silent("\x1b\x1bZ"), "");
  for (const std::string cut : {"\x1b[1\x1b[6mx", "\x1b]0;t\x1b[6n", "\x1b[6\x18n", "\x1b\x1bOA",
                                "\x1bPtmux;\x1b\x1b]52;c;YQ==\x07\x1b\\", "\xe9 \xe9\x9bx"})
    EXPECT_EQ(Passed(cut, true), cut) << cut.substr(1);
}

TEST(TerminalOutput, WhatIsSilentPasses) {
  for (const std::string silent :
       {"",
        "text?\n",
        "a\tb\r\n\x07\x08\x0c\x0e\x0f",
        "\x1b[1;31mred\x1b[m",
        "\x1b[38;2;1;2;3m\x1b[4:3m",
        "\x1b[2J\x1b[H\x1b[K\x1b[1A\x1b[2B\x1b[3C\x1b[4D\x1b[5G\x1b[1;1f",
        "\x1b[L\x1b[M\x1b[P\x1b[@\x1b[X",
        "\x1b[?25l\x1b[?25h\x1b[?1049h\x1b[?1049l\x1b[?2004h\x1b[?1h\x1b=\x1b[?7;25h\x1b[?2026h",
        "\x1b[?1000l\x1b[4h\x1b[4l\x1b[10;20r\x1b[s\x1b[u\x1b[S\x1b[T\x1b[3g",
        "\x1b[2 q\x1b[!p\x1b[22;0;0t\x1b[23t",
        "\x1b]0;title\x07?",
        "\x1b]2;\xc3\x9c\xe2\x80\x9c?\x1b\\",
        "\x1b]8;id=1;http://a/?b=?\x1b\\link\x1b]8;;\x1b\\",
        "\x1b]7;file:///a\x1b\\\x1b]9;4;1;50\x07\x1b]133;A\x07\x1b]777;notify;a;b?\x07",
        "\x1b]9;done\x07\x1b]9;9;/a\x1b\\\x1b]9;12\x07\x1b]9;2 of 3; next\x07\x1b]777;precmd\x07",
        "\x1b[12h\x1b[2;4;20l",
        "\x1b]4;1;rgb:0/0/0\x1b\\\x1b]11;#fff\x07\x1b]104\x07\x1b]52;c;YQ==\x07",
        "\x1bP0;0;0q#0;2;0;0;0~-\x1b\\",
        "\x1b]R\x1b]P1ff0000text",
        "\x1b"
        "7\x1b"
        "8\x1b=\x1b>\x1b(B\x1b)0\x1b#8\x1b[\nm\x1bM\x1b"
        "c\x1bkt\x1b\\",
        "\xe2\x9c\x93 \xd0\x9b\xd1\x83"
        "6n \xd0\x9a \xe7\x9b\x9b"
        "c \xf0\x9f\x98\x80 done?",
        "Latin-1: \xe9t\xe9 \xfc.\xa0",
        "\x9b"
        "1m\xc2\x9bm"}) {
    EXPECT_EQ(Silent(silent), silent) << silent;
    EXPECT_EQ(Passed(silent, true), silent) << silent;
  }
}

TEST(TerminalOutput, WhatIsUnfinishedWaits) {
  for (const std::string open : {"\x1b", "\x1b[", "\x1b[1;3", "\x1b]0;t", "\x1b]0;t\x1b", "\x1b(", "\x1bP+q",
                                 "\x9b", "\xc2", "\xe2\x9c", "\x1b[1\x1b"}) {
    for (const bool may_ask : {false, true})
      EXPECT_EQ(Passed("text" + open, may_ask), "text") << open.substr(1);
    TerminalOutput terminal([] { return true; });
    std::string out;
    terminal.Feed(open, out);
    EXPECT_TRUE(terminal.Holding());
  }
  TerminalOutput terminal([] { return true; });
  std::string out;
  terminal.Feed("\x1b[1mtext", out);
  EXPECT_FALSE(terminal.Holding());
}

// As in the encodings of one byte, unless it is a control there.
TEST(TerminalOutput, TextEndsAsItIs) {
  for (const auto& [output, passed] : std::vector<std::pair<std::string, std::string>>{
           {"caf\xe9", "caf\xe9"}, {"\xe2\x9c", ""}, {"a\x1b[", "a"}, {"a\x1b]0;\xe9", "a"}, {"a", "a"}}) {
    TerminalOutput terminal([] { return false; });
    std::string out;
    terminal.Feed(output, out);
    terminal.Finish(out);
    EXPECT_EQ(out, passed);
  }
}

// While it is held it may become too late to ask.
TEST(TerminalOutput, IsJudgedAtItsEnd) {
  bool may_ask = true;
  TerminalOutput terminal([&] { return may_ask; });
  std::string out;
  terminal.Feed("\x1b[", out);
  may_ask = false;
  terminal.Feed("6n", out);
  EXPECT_EQ(out, "");
  EXPECT_FALSE(terminal.Asked());
  terminal.Feed("\x1b[6", out);
  may_ask = true;
  terminal.Feed("n", out);
  EXPECT_EQ(out, "\x1b[6n");
  EXPECT_TRUE(terminal.Asked());
}

const std::string kLong(200000, 'a');

TEST(TerminalOutput, LongStringsAreNotHeld) {
  const auto feed = [](const std::string& output, bool may_ask) {
    TerminalOutput terminal([may_ask] { return may_ask; });
    std::string out;
    for (std::size_t at = 0; at < output.size(); at += 1000) terminal.Feed(output.substr(at, 1000), out);
    return out;
  };
  const std::string sixel = "\x1bPq" + kLong + "\x1b\\.";
  const std::string clipboard = "\x1b]52;c;" + kLong + "\x07.";
  const std::string colours = "\x1b[" + std::string(100000, '1') + "c.";
  for (const std::string& output : {sixel, clipboard, colours}) EXPECT_EQ(feed(output, true), output);
  EXPECT_EQ(feed(sixel, false), sixel);
  EXPECT_EQ(feed(clipboard, false), ".");
  EXPECT_EQ(feed("\x1b]52;c;" + kLong + "\x1b[6n.", false), ".");
  EXPECT_EQ(feed("\x1bPq" + kLong + "\x1b[6n.", false), "\x1bPq" + kLong + ".");
  EXPECT_EQ(feed(colours, false).find('\x1b'), std::string::npos);
}

// Somebody else's "?" would end it.
TEST(TerminalOutput, ALongStringEndsWhenItMayAskNoMore) {
  bool may_ask = true;
  TerminalOutput terminal([&] { return may_ask; });
  std::string out;
  terminal.Feed("\x1b]4;1;" + kLong, out);
  ASSERT_NE(out, "");
  EXPECT_TRUE(terminal.Asked());
  may_ask = false;
  out.clear();
  terminal.Feed("1;?\x07.", out);
  EXPECT_EQ(out, "\x1b\\.");
}

TEST(WholeSequences, AreNotCut) {
  EXPECT_EQ(WholeSequences("abc", 10), 3U);
  EXPECT_EQ(WholeSequences("abcdef", 4), 4U);
  EXPECT_EQ(WholeSequences("ab\x1b[1mdef", 4), 2U);
  EXPECT_EQ(WholeSequences("ab\x1b[1mdef", 6), 6U);
  EXPECT_EQ(WholeSequences("\x1b[1111mdef", 4), 4U);
}

}  // namespace
}  // namespace mxc::terminal_output_test
