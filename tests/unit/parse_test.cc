#include "document/parse.h"

#include <gtest/gtest.h>

#include "document/place.h"
#include "mxc/limits.h"

namespace mxc::parse_test {
namespace {

using namespace std::string_literals;

Result<Json> Parse(std::string bytes) { return ParseDocument({.name = "test", .bytes = std::move(bytes)}); }

// The message, or "ok".
std::string Answer(std::string bytes) {
  const Result<Json> json = Parse(std::move(bytes));
  return json ? "ok" : json.error().message;
}

std::string At(Position position) {
  return std::to_string(position.line) + ":" + std::to_string(position.column);
}

TEST(Parse, KeepsValuesAndTheirPositions) {
  const Result<Json> json =
      Parse("{\n  \"a\" : [1, -2, 2.5e3],\n\t\"b\": {\"c\": null, \"d\": true},\"e\":\"x\\\"y\"\n}");
  ASSERT_TRUE(json.ok());
  EXPECT_EQ(json->kind, Json::Kind::kObject);
  EXPECT_EQ(At(json->position), "1:1");
  ASSERT_EQ(json->members.size(), 3U);
  EXPECT_EQ(At(json->members[0].position), "2:3");

  const Json* list = json->Find("a");
  ASSERT_NE(list, nullptr);
  EXPECT_EQ(At(list->position), "2:9");
  ASSERT_EQ(list->items.size(), 3U);
  EXPECT_EQ(list->items[0].integer, 1U);
  EXPECT_EQ(At(list->items[0].position), "2:10");
  EXPECT_TRUE(list->items[1].negative);
  EXPECT_EQ(list->items[1].text, "-2");
  EXPECT_EQ(At(list->items[1].position), "2:13");
  EXPECT_EQ(list->items[2].kind, Json::Kind::kFloat);
  EXPECT_EQ(list->items[2].text, "2.5e3");
  EXPECT_EQ(At(list->items[2].position), "2:17");

  EXPECT_EQ(At(json->members[1].position), "3:2");
  EXPECT_EQ(json->Find("b")->Find("c")->kind, Json::Kind::kNull);
  EXPECT_TRUE(json->Find("b")->Find("d")->boolean);
  EXPECT_EQ(At(json->Find("b")->Find("d")->position), "3:24");
  EXPECT_EQ(json->Find("e")->text, "x\"y");
  EXPECT_EQ(At(json->Find("e")->position), "3:34");
}

TEST(Parse, KeepsIntegersOf64Bits) {
  EXPECT_EQ(Parse("18446744073709551615")->integer, UINT64_MAX);
  EXPECT_EQ(Parse("18446744073709551616")->kind, Json::Kind::kFloat);
  EXPECT_EQ(Parse("-9223372036854775808")->kind, Json::Kind::kInteger);
  EXPECT_EQ(Parse("1e3")->kind, Json::Kind::kFloat);
  EXPECT_EQ(Answer("1e999"), "Invalid JSON syntax: number out of range at line 1 column 5");
}

TEST(Parse, ReadsEscapesInKeysAndValues) {
  const Result<Json> json = Parse(R"({"\u0070rocess":"\ud83d\ude00"})");
  ASSERT_TRUE(json.ok());
  EXPECT_EQ(json->Find("process")->text, "\xF0\x9F\x98\x80");
}

TEST(Parse, SaysWhereTheSyntaxIsBroken) {
  EXPECT_EQ(
      Answer(""),
      "Invalid JSON syntax: unexpected end of input; expected '[', '{', or a literal at line 1 column 1");
  EXPECT_EQ(Answer("{\"a\":1} x"), "Invalid JSON syntax: invalid literal at line 1 column 9");
  EXPECT_EQ(Answer("{\n \"a\" 1}"),
            "Invalid JSON syntax: unexpected number literal; expected ':' at line 2 column 6");
  EXPECT_EQ(Answer("[1,]"),
            "Invalid JSON syntax: unexpected ']'; expected '[', '{', or a literal at line 1 column 4");
}

TEST(Parse, SaysWhatOtherReadersTake) {
  const auto hint = [](std::string text) { return Parse(std::move(text)).error().hint; };
  for (const char* text :
       {"{\n  // a\n  \"a\": 1}", "{\"a\": 1, /* a */ \"b\": 2}", "{\"a\": 1} // a", "// a"})
    EXPECT_EQ(hint(text), "JSON has no comments: `_comment`, a key of the document, holds anything") << text;
  for (const char* text : {"[1,]", "{\"a\": [1],\n}", "{\"a\": {\"b\": 1, }}"})
    EXPECT_EQ(hint(text), "no comma stands behind the last entry") << text;
  for (const char* text : {"", "{\"a\":1} x", "[1 2]", "{]", "{\"a\": http://x}", "}", "{\"a\":\"//"})
    EXPECT_EQ(hint(text), "") << text;
}

TEST(Parse, RefusesWhatIsNotJson) {
  for (const std::string& text : {"{'a':1}"s, "{\"a\":1,}"s, "// c\n{}"s, "NaN"s, "[01]"s, "\"\t\""s,
                                  R"("\ud800")"s, R"("\udc00x")"s, "\"\xC3\x28\""s, "\"\xED\xA0\x80\""s,
                                  "\xEF\xBB\xBF{}"s, "{}\0"s, "{}\0x"s, "{} {}"s, "\xFF\xFE{\0}\0"s}) {
    EXPECT_NE(Answer(text), "ok") << text;
    EXPECT_TRUE(Parse(text).error().code == ErrorCode::kMalformed) << text;
    EXPECT_GT(Parse(text).error().position.line, 0U) << text;
  }
}

TEST(Parse, RefusesNulInStringsAndKeys) {
  EXPECT_EQ(Answer(R"({"a":"x\u0000"})"), "Invalid JSON syntax: a string contains NUL at line 1 column 6");
  EXPECT_EQ(Answer(R"({"a\u0000":1})"), "Invalid JSON syntax: a key contains NUL at line 1 column 2");
}

TEST(Parse, RefusesDuplicateKeys) {
  const Result<Json> json = Parse("{\"a\":[{},\n{\"b\":1,\"c\":2,\"b\":3}]}");
  ASSERT_FALSE(json.ok());
  EXPECT_EQ(json.error().message, "Invalid configuration at `a[1]`: duplicate field `b` at line 2 column 14");
  EXPECT_EQ(json.error().pointer, "/a/1/b");
  EXPECT_EQ(json.error().code, ErrorCode::kMalformed);
  EXPECT_EQ(Answer(R"({"x":1,"y":1,"y":2,"x":2})"),
            "Invalid configuration: duplicate field `y` at line 1 column 14");
}

TEST(Parse, NeverRepeatsTheText) {
  for (const std::string& text : {R"({"env":["KEY=hunter2)"s, "{\"env\":[\"KEY=hunter2\n\"]}"s,
                                  R"({"env":["KEY=hunter2'; expected hunter2\x"]})"s, "[\"hunter2\xFF\"]"s,
                                  R"(["a" "hunter2"])"s, R"(["hunter2\ud800"])"s, "hunter2"s}) {
    const Result<Json> json = Parse(text);
    ASSERT_FALSE(json.ok()) << text;
    EXPECT_EQ(json.error().message.find("hunter2"), std::string::npos) << json.error().message;
  }
}

std::string Nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(Parse, BoundsTheDepth) {
  EXPECT_EQ(Answer(Nested(kMaxDocumentDepth)), "ok");
  EXPECT_EQ(Answer(Nested(kMaxDocumentDepth + 1)),
            "Invalid JSON syntax: nested deeper than 127 levels at line 1 column 128");
}

TEST(Parse, BoundsListsAndObjects) {
  std::string list = "[0";
  std::string object = "{\"k0\":0";
  for (std::size_t i = 1; i < kMaxListEntries; ++i) {
    list += ",0";
    object += ",\"k" + std::to_string(i) + "\":0";
  }
  EXPECT_EQ(Answer(list + "]"), "ok");
  EXPECT_EQ(Answer(object + "}"), "ok");
  const std::string reason = "Invalid JSON syntax: more than 10000 entries in one list or object";
  EXPECT_TRUE(Answer(list + ",0]").starts_with(reason));
  EXPECT_TRUE(Answer(object + ",\"more\":0}").starts_with(reason));
}

// Lists of lists: each is short, and all of them are too many.
TEST(Parse, BoundsTheValues) {
  const auto document = [](std::size_t values) {
    std::string text = "[";
    for (std::size_t left = values - 1; left > 0;) {
      const std::size_t inner = std::min<std::size_t>(left - 1, 999);
      if (text.size() > 1) text += ',';
      text += '[';
      for (std::size_t i = 0; i < inner; ++i) text += i == 0 ? "0" : ",0";
      text += ']';
      left -= inner + 1;
    }
    return text + "]";
  };
  EXPECT_EQ(Answer(document(kMaxDocumentValues)), "ok");
  EXPECT_TRUE(
      Answer(document(kMaxDocumentValues + 1)).starts_with("Invalid JSON syntax: more than 100000 values"));
}

TEST(Parse, BoundsTheSize) {
  EXPECT_EQ(Answer("{}" + std::string(kMaxDocumentBytes - 2, ' ')), "ok");
  EXPECT_EQ(Answer("{}" + std::string(kMaxDocumentBytes - 1, ' ')),
            "Invalid JSON syntax: larger than 4194304 bytes at line 1 column 1");
}

TEST(Place, NamesAPlaceInBothSpellings) {
  const Place place = Place{}.Key("a/b").Key("c").Item(3).Key("d~");
  EXPECT_EQ(place.pointer, "/a~1b/c/3/d~0");
  EXPECT_EQ(place.dotted, "a/b.c[3].d~");
}

TEST(Place, QuotesForATerminal) {
  EXPECT_EQ(Ticked("a\x1B[31m\x7F"), "`a\\x1b[31m\\x7f`");
  EXPECT_EQ(Ticked("\xC2\x9B\xC3\xA9"), "`\\x9b\xC3\xA9`");
  EXPECT_EQ(Ticked(std::string(65, 'a')), "`" + std::string(64, 'a') + "...`");
  EXPECT_EQ(Ticked(std::string(63, 'a') + "\xC3\xA9"), "`" + std::string(63, 'a') + "...`");
}

}  // namespace
}  // namespace mxc::parse_test
