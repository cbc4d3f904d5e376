// Text that others chose, in what we print and record.
#include "base/quoted.h"

#include <gtest/gtest.h>

#include <string>

namespace mxc::quoted_test {
namespace {

TEST(Escaped, LeavesTextAsItIs) {
  for (const char* text : {"", "/srv/a b", "ä€😀 it's \"x\" \\ $(y)"}) EXPECT_EQ(Escaped(text), text);
}

TEST(Quoted, NothingInTheTextEndsIt) {
  EXPECT_EQ(Quoted("a b"), "'a b'");
  EXPECT_EQ(Quoted("x', '/srv/y"), R"('x'\'', '\''/srv/y')");
  EXPECT_EQ(Quoted("it's\n"), R"('it'\''s\x0a')");
}

TEST(Escaped, NamesWhatATerminalObeys) {
  EXPECT_EQ(Escaped(std::string("a\0\t\n\r\x1b[2J\x7f", 10)), "a\\x00\\x09\\x0a\\x0d\\x1b[2J\\x7f");
  EXPECT_EQ(Escaped("\xc2\x9b"
                    "2J"),
            "\\xc2\\x9b2J")
      << "CSI in one character";
  EXPECT_EQ(Escaped("\xe2\x80\xae"
                    "cod"),
            "\\xe2\\x80\\xaecod")
      << "right-to-left override";
  EXPECT_EQ(Escaped("\xe2\x81\xa6\xe2\x80\xa8\xe2\x80\x8b\xef\xbb\xbf"),
            "\\xe2\\x81\\xa6\\xe2\\x80\\xa8\\xe2\\x80\\x8b\\xef\\xbb\\xbf");
  EXPECT_EQ(Escaped("\xf3\xa0\x81\x81"), "\\xf3\\xa0\\x81\\x81") << "a tag";
}

TEST(Escaped, NamesWhatShowsNothing) {
  for (const char* text :
       {"\u034f",     "\u115f",     "\u1160",     "\u17b4",     "\u17b5",     "\u180b",    "\u180f",
        "\u2800",     "\u3164",     "\ufe00",     "\ufe0f",     "\uffa0",     "\ufff0",    "\U000e0100",
        "\U000e01ef", "\U000e0fff", "\U0001bca0", "\U0001d173", "\u00a0",     "\u1680",    "\u2003",
        "\u202f",     "\u205f",     "\u3000",     "\U00013441", "\U00016fe4", "\U0001d159"})
    EXPECT_EQ(Escaped(text).substr(0, 2), "\\x") << text;
  for (const char* text : {" ", "\u00a1", "\u0350", "\u1161", "\u2801", "\u3001", "\ufffd", "\U0001f600"})
    EXPECT_EQ(Escaped(text), text);
  EXPECT_EQ(ShellQuoted("a\u3164"), "$'a\\xe3\\x85\\xa4'");
}

TEST(Escaped, NamesWhatIsNotUtf8) {
  EXPECT_EQ(Escaped("\x9b"
                    "2J"),
            "\\x9b2J");
  EXPECT_EQ(Escaped("\xc0\x9b"), "\\xc0\\x9b") << "too long a form";
  EXPECT_EQ(Escaped("\xe2\x80"), "\\xe2\\x80");
  EXPECT_EQ(Escaped("\xed\xa0\x80\xf4\x90\x80\x80\xff"), "\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80\\xff");
}

TEST(EscapedJson, MeansTheSame) {
  EXPECT_EQ(EscapedJson("{\n  \"a\": \"\\u001bä\"\n}"), "{\n  \"a\": \"\\u001bä\"\n}");
  EXPECT_EQ(EscapedJson("\"\x7f\xc2\x9b\xe2\x80\xae\xf3\xa0\x81\x81\""),
            "\"\\u007f\\u009b\\u202e\\udb40\\udc41\"");
  EXPECT_EQ(EscapedJson("\"\xff\""), "\"\\ufffd\"");
}

TEST(ShellWord, QuotesWhatAShellActsOn) {
  EXPECT_EQ(ShellWord("api.example.com:443"), "api.example.com:443");
  EXPECT_EQ(ShellWord("[2001:db8::1]:80"), "'[2001:db8::1]:80'");
  EXPECT_EQ(ShellWord("*.example.com"), "'*.example.com'");
  EXPECT_EQ(ShellWord("=ls"), "'=ls'");
  EXPECT_EQ(ShellWord(""), "''");
  EXPECT_EQ(ShellQuoted("/a"), "'/a'");
  EXPECT_EQ(ShellQuoted("/it's $(x) `y` !z"), "'/it'\\''s $(x) `y` !z'");
  EXPECT_EQ(ShellQuoted("a\nb'\\\xff"), "$'a\\x0ab\\x27\\x5c\\xff'");
}

}  // namespace
}  // namespace mxc::quoted_test
