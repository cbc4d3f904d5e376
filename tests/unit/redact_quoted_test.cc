// Secrets in quotes: where the value ends, as JSON, shells and the usual languages escape it.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "report/redact.h"
#include "tests/unit/redact_text.h"

namespace mxc::redact_quoted_test {
namespace {

TEST(RedactQuoted, AnEscapedQuoteEndsNoValue) {
  ExpectAtEverySplit({
      {R"({"password":"a\"b","id":1})", R"({"password":"[REDACTED]","id":1})"},
      {R"({"password":"\"b","id":1})", R"({"password":"[REDACTED]","id":1})"},
      {R"({"password":"a\\\"b","id":1})", R"({"password":"[REDACTED]","id":1})"},
      {R"(password="a\"b c\"d" rest)", R"(password="[REDACTED]" rest)"},
      {R"(password='a\'b' rest)", R"(password='[REDACTED]' rest)"},
      {R"(password=`a\`b` rest)", R"(password=`[REDACTED]` rest)"},
      {R"("Authorization": "Digest u=\"b\", r=\"c\"", x)", R"("Authorization": "Digest [REDACTED]", x)"},
      {"password=\"a\\\nb\" rest", "password=\"[REDACTED]\" rest"},
      {"password=\"a\tb\x1b[0m\" rest", "password=\"[REDACTED]\" rest"},
  });
}

TEST(RedactQuoted, AQuoteBehindAnEscapedBackslashEndsIt) {
  ExpectAtEverySplit({
      {R"({"password":"a\\","id":1})", R"({"password":"[REDACTED]","id":1})"},
      {R"({"password":"\\\\","id":1})", R"({"password":"[REDACTED]","id":1})"},
      {R"(secret='C:\\' rest)", R"(secret='[REDACTED]' rest)"},
  });
}

TEST(RedactQuoted, ADocumentInAString) {
  ExpectAtEverySplit({
      {R"("{\"password\":\"a b\",\"id\":1}")", R"("{\"password\":\"[REDACTED]\",\"id\":1}")"},
      {R"("{\"password\":\"a\\\"b\",\"id\":1}")", R"("{\"password\":\"[REDACTED]\",\"id\":1}")"},
      {R"("{\"password\":\"a\\\\\",\"id\":1}")", R"("{\"password\":\"[REDACTED]\",\"id\":1}")"},
      {R"("\\\"token\\\":\\\"a b\\\\\\\"c\\\",")", R"("\\\"token\\\":\\\"[REDACTED]\\\",")"},
      {R"("password=\"a b\" rest")", R"("password=\"[REDACTED]\" rest")"},
      {R"("{\"Authorization\": \"Bearer a\"}")", R"("{\"Authorization\": \"Bearer [REDACTED]\"}")"},
  });
}

TEST(RedactQuoted, QuotesThatAreWrittenTwiceOrPutTogether) {
  ExpectAtEverySplit({
      {R"(password='it'\''s me' rest)", R"(password='[REDACTED]' rest)"},
      {R"(password='it'"'"'s me' rest)", R"(password='[REDACTED]' rest)"},
      {R"(password=''\''s me' rest)", R"(password='[REDACTED]' rest)"},
      {R"(password="a"\""b" rest)", R"(password="[REDACTED]" rest)"},
      {"password: 'it''s me'\nrest", "password: '[REDACTED]'\nrest"},
      {R"(password = """a b""" rest)", R"(password = "[REDACTED]" rest)"},
      {R"(x "--password='a b'" rest)", R"(x "--password='[REDACTED]'" rest)"},
      {R"(x "--password='a b'", 'y')", R"(x "--password='[REDACTED]'", 'y')"},
  });
}

TEST(RedactQuoted, LettersBeforeTheQuote) {
  ExpectAtEverySplit({
      {R"(password=$'it\'s me' rest)", R"(password=$'[REDACTED]' rest)"},
      {R"(password = b"a b" rest)", R"(password = b"[REDACTED]" rest)"},
      {"password=b rest", "password=[REDACTED] rest"},
      {"password=bob", "password=[REDACTED]"},
  });
}

TEST(RedactQuoted, EscapesOutsideOfQuotes) {
  ExpectAtEverySplit({
      {R"(password=it\'s rest)", R"(password=[REDACTED] rest)"},
      {R"(password=a\ b\"c\;d rest)", R"(password=[REDACTED] rest)"},
      {"password=a\\\nrest", "password=[REDACTED]\nrest"},
      {R"({"url":"?token=a\\","id":1})", R"({"url":"?token=[REDACTED]","id":1})"},
  });
}

TEST(RedactQuoted, ALineEndsAValue) {
  ExpectAtEverySplit({
      {"password=\"a b\nrest", "password=\"[REDACTED]\nrest"},
      {std::string("PASSWORD='a b\0HOME=/", 20), std::string("PASSWORD='[REDACTED]\0HOME=/", 27)},
  });
}

TEST(RedactQuoted, EmptyValuesStay) {
  for (const std::string text :
       {R"(password="")", R"({"password":"","id":1})", R"("{\"password\":\"\",\"id\":1}")", "password='' x",
        R"("password=''" x)"}) {
    EXPECT_EQ(Secrets({text}), text);
  }
}

TEST(RedactQuoted, ARunOfBackslashesOfAnyLength) {
  Redactor redactor({.secrets = true});
  std::string out;
  redactor.Feed(R"(\"password\":\")" + std::string(100003, '\\'), out);
  redactor.Feed("\" secret\\\" rest", out);
  redactor.Finish(out);
  EXPECT_EQ(out, R"(\"password\":\"[REDACTED]\" rest)");
}

TEST(RedactQuoted, AKeyAsAValue) {
  const std::string begin = "-----BEGIN PRIVATE KEY-----\n";
  const std::string body = "S3cr" + std::string(60, 'A') + "\nS3cr" + std::string(60, 'B') + "\nS3crEQ==\n";
  const std::string key = begin + body + "-----END PRIVATE KEY-----";
  ExpectAtEverySplit({
      {"PRIVATE_KEY=" + key + "\nHOME=/\n", "PRIVATE_KEY=[REDACTED]\nHOME=/\n"},
      {"private_key = \"" + key + "\"\nrest\n", "private_key = \"[REDACTED]\"\nrest\n"},
      {"secret: '" + key + "' rest\n", "secret: '[REDACTED]' rest\n"},
      {"password=-----BEG rest", "password=[REDACTED] rest"},
  });
}

}  // namespace
}  // namespace mxc::redact_quoted_test
