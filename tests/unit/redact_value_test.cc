// Known values: each is found wherever it stands, whatever else begins or ends inside of it.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "report/redact.h"
#include "tests/unit/redact_text.h"

namespace mxc::redact_value_test {
namespace {

RedactionRules Knowing(std::vector<std::string> values) {
  return {.secrets = true, .values = std::move(values)};
}

// The same, however the text arrives.
void ExpectOf(const RedactionRules& rules, const std::string& text, const std::string& redacted) {
  ASSERT_EQ(Redacted(rules, {text}), redacted);
  for (std::size_t cut = 0; cut <= text.size(); ++cut)
    ASSERT_EQ(Redacted(rules, {text.substr(0, cut), text.substr(cut)}), redacted) << text << cut;
  ASSERT_EQ(Redacted(rules, InPiecesOf(1, text)), redacted) << text << " byte by byte";
}

TEST(RedactValues, BehindANameOrASign) {
  for (const std::string value :
       {"correct horse battery staple", "Xy7,kQ;zz&Pw)t9", "`tick`tock-tail5", "Zz'q-remains-here",
        R"({"type":"service_account","key":"JSONBODY77"})", R"({"a": 1, "k": "JSONBODY99"})",
        ",comma-first-88", R"("in quotes pass77"tail66)", R"(a"b\c'd$e-quoted7)",
        "first-line1\nsecond-line2"}) {
    const RedactionRules rules = Knowing({value});
    for (const std::string lead : {"DB_PASSWORD=", "PLAIN=", "x ",
                                   "password: ", "?token=", "https://u:", "Authorization: Bearer ", "ghp"})
      ExpectOf(rules, lead + value + "\nHOME=/\n", lead + "[REDACTED]\nHOME=/\n");
    ExpectOf(rules, "Bearer " + value + "\n", "Bearer [REDACTED]\n");
    std::string joined = "a";
    for (const std::string& part : {value, std::string("b"), value, value}) joined += part;
    ExpectOf(rules, joined, "a[REDACTED]b[REDACTED]");
  }
}

TEST(RedactValues, OneInsideOfAnotherOrBehindIt) {
  for (const bool swapped : {false, true}) {
    const auto both = [&](const std::string& one, const std::string& other) {
      return swapped ? Knowing({other, one}) : Knowing({one, other});
    };
    ExpectOf(both("abcdefgh", "abcdefgh-REST-OF-B"), "x abcdefgh-REST-OF-B y", "x [REDACTED] y");
    ExpectOf(both("abcdefgh", "abcdefgh-REST-OF-B"), "x abcdefgh-REST y", "x [REDACTED]-REST y");
    ExpectOf(both("AAAAAAAABBBBBBBB", "BBBBBBBBCCCCCCCC"), "xxAAAAAAAABBBBBBBBCCCCCCCCyy", "xx[REDACTED]yy");
    ExpectOf(both("inner-value", "an inner-value inside"), "an inner-value inside", "[REDACTED]");
    ExpectOf(both("inner-value", "an inner-value inside"), "an inner-value outside", "an [REDACTED] outside");
  }
  ExpectOf(Knowing({"abababab"}), "xababababababy", "x[REDACTED]y");
}

TEST(RedactValues, OverTheLinesOfATerminal) {
  const RedactionRules rules = Knowing({"first-line1\nsecond-line2\n"});
  ExpectOf(rules, "a first-line1\r\nsecond-line2\r\nb", "a [REDACTED]\r\nb");
  ExpectOf(rules, "a first-line1\nsecond-line2 b", "a [REDACTED] b");
  ExpectOf(Knowing({"first-line1\r\nsecond-line2"}), "first-line1\r\r\nsecond-line2.", "[REDACTED].");
}

TEST(RedactValues, AKeyHidesNothingBehindIt) {
  const std::string key =
      "-----BEGIN PRIVATE KEY-----\n" + Body(64) + "\n" + Body(48) + "\n-----END PRIVATE KEY-----\n";
  const std::string after = "deploy: finished with 3 errors\nsee log\n";
  ExpectOf(Knowing({key}), key + after, "[REDACTED]\n" + after);
  ExpectOf(Knowing({key}), "TLS_PRIVATE_KEY=" + key + after, "TLS_PRIVATE_KEY=[REDACTED]\n" + after);
}

// What any recogniser looks at, in any order and any pieces.
TEST(RedactValues, AnySplitOfAnyTextGivesTheSame) {
  const std::string key = "-----BEGIN PRIVATE KEY-----\n" + Body(64) + "\n-----END PRIVATE KEY-----\n";
  const std::vector<std::string> parts = {"password",
                                          "DB_",
                                          "token",
                                          "Authorization",
                                          "Bearer ",
                                          "digest ",
                                          "=",
                                          ":",
                                          " ",
                                          "\t",
                                          "\"",
                                          "'",
                                          "\\",
                                          "\n",
                                          "\r\n",
                                          "[",
                                          "]",
                                          "{",
                                          ",",
                                          ";",
                                          "&",
                                          "?",
                                          "b",
                                          "://",
                                          "@",
                                          "\x1b[1m",
                                          "x",
                                          "7",
                                          "abcdefgh",
                                          "-REST",
                                          "efgh-RESTx",
                                          key,
                                          "ghp_" + Body(30),
                                          "-----END",
                                          "a@b.io",
                                          "4111 1111 1111 1111"};
  RedactionRules rules = Knowing({"abcdefgh", "abcdefgh-REST", "efgh-RESTx", "x b\"7, \nx", key});
  rules.pii = true;
  std::mt19937 random(1);  // NOLINT(cert-msc51-cpp): the same every time
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (auto i = random() % 40; i != 0; --i) text += parts[random() % parts.size()];
    // Longer than what any of them holds.
    if (round % 8 == 0)
      text.insert(random() % (text.size() + 1), random() % 5000, "a1-\\ /@\n"[random() % 8]);
    std::vector<std::string> pieces;
    for (std::size_t at = 0; at < text.size(); at += pieces.back().size())
      pieces.push_back(text.substr(at, 1 + random() % (round % 8 == 0 ? 900 : 9)));
    const std::string out = Redacted(rules, pieces);
    ASSERT_EQ(out, Redacted(rules, {text})) << round << ": " << text;
    for (const std::string& value : rules.values) ASSERT_EQ(out.find(value), std::string::npos) << text;
  }
}

TEST(RedactValues, OfTheLongestVariable) {
  std::vector<std::string> values;
  for (int i = 0; i < 20; ++i) values.push_back(Body(65536) + std::to_string(i) + std::string(8, 'z'));
  const std::string text = "x " + values[3] + " " + values[19] + "\n";
  EXPECT_EQ(Redacted(Knowing(values), InPiecesOf(4096, text)), "x [REDACTED] [REDACTED]\n");
}

// Every end of a value here would look through all that is before it.
TEST(RedactValues, InATextOfNothingButOverlaps) {
  const RedactionRules rules = Knowing({std::string(65536, 'a'), std::string(60000, 'a') + "b"});
  const std::string text(std::size_t{8} << 20U, 'a');
  EXPECT_EQ(Redacted(rules, InPiecesOf(65536, text)), "[REDACTED]");
}

TEST(RedactValues, NothingButTheirStartIsHeld) {
  Redactor redactor(Knowing({"hunter2hunter2"}));
  std::string out;
  redactor.Feed("password: is hunter2, hunter2hu", out);
  EXPECT_EQ(out, "password: [REDACTED] hunter2, ");
  redactor.Idle(out);
  EXPECT_TRUE(redactor.Holding());
  redactor.Feed("man", out);
  EXPECT_EQ(out, "password: [REDACTED] hunter2, hunter2human");
  EXPECT_FALSE(redactor.Holding());
}

}  // namespace
}  // namespace mxc::redact_value_test
