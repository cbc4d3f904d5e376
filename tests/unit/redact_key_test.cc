// Private keys in the output, of any length and in any lines.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "report/redact.h"
#include "tests/unit/redact_text.h"

namespace mxc::redact_key_test {
namespace {

TEST(RedactKeys, KeyBlockWithoutEndDoesNotEatTheOutput) {
  std::string text = "-----BEGIN PRIVATE KEY-----\n";
  for (int i = 0; i < 3000; ++i) text += "some other output, line after line\n";
  const std::string out = Secrets(text + "last");
  EXPECT_EQ(out.substr(0, kRedacted.size()), kRedacted);
  EXPECT_TRUE(out.ends_with("last"));
}

// A key of `lines` lines, each behind `lead`; "#" stands for the number of the line.
std::string KeyOf(int lines, const std::string& lead, const std::string& line_end, bool with_end,
                  const std::string& kind = "RSA PRIVATE KEY", const std::string& headers = "") {
  const auto leads = [&](int number) {
    const std::size_t at = lead.find('#');
    return at == std::string::npos ? lead : lead.substr(0, at) + std::to_string(number) + lead.substr(at + 1);
  };
  std::string text = leads(1) + "-----BEGIN " + kind + "-----" + line_end + headers;
  for (int i = 0; i < lines; ++i) text += leads(i + 2) + "S3cr" + Body(60) + line_end;
  text += leads(lines + 2) + "S3crEQ==" + line_end;
  return with_end ? text + leads(lines + 3) + "-----END " + kind + "-----" : text;
}

TEST(RedactKeys, KeysOfAnyLengthInAnyLines) {
  for (const std::string lead :
       {"", "    ", "     #\t", "key.pem:", "> ", "+", "2026-01-01T00:00:00 web_1 | "}) {
    for (const std::string end : {"\n", "\r\n", "\\n", "\\n\" +\n\""}) {
      for (const int lines : {1, 20, 3000}) {
        for (const bool whole : {true, false}) {
          const std::string out = Secrets(KeyOf(lines, lead, end, whole));
          EXPECT_EQ(out.find("S3cr"), std::string::npos) << lead << end << lines << whole;
          EXPECT_LT(out.size(), 64U) << lead << end << lines << whole;
        }
      }
    }
  }
}

TEST(RedactKeys, KeysOfEveryKind) {
  const std::string headers = "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00FF\n\n";
  for (const std::string kind : {"PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "EC PRIVATE KEY",
                                 "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"}) {
    EXPECT_EQ(Secrets(KeyOf(2000, "", "\n", true, kind, headers) + "\nafter\n"), "[REDACTED]\nafter\n")
        << kind;
  }
  EXPECT_EQ(Secrets("---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: \"x\"\n" + Body(70) +
                    "\n---- END SSH2 ENCRYPTED PRIVATE KEY ----\nafter\n"),
            "[REDACTED]\nafter\n");
  EXPECT_EQ(
      Secrets("Private-Lines: 1\r\n" + Body(64) + "\r\nPrivate-MAC: " + Body(64) + "\r\n").find(Body(16)),
      std::string::npos);
  EXPECT_EQ(Secrets("-----BEGIN PRIVATE KEY-----\n" + Body(300000)), "[REDACTED]");
  EXPECT_EQ(Secrets("key" + KeyOf(2000, "", "\n", true) + "\nafter\n"), "key-[REDACTED]\nafter\n");
}

TEST(RedactKeys, ReleasesWhatFollowsAKeyWithoutEnd) {
  const std::string text = KeyOf(3, "", "\n", false) + "and then the program went on, for a long time\n";
  EXPECT_EQ(Secrets(text), "[REDACTED]and then the program went on, for a long time\n");
  Redactor redactor({.secrets = true});
  std::string out;
  redactor.Feed(text, out);
  redactor.Idle(out);
  EXPECT_EQ(out, "[REDACTED]and then the program went on, for a long time\n");
}

TEST(RedactKeys, EverySplitOfAKey) {
  const std::string text = KeyOf(3, "   #\t", "\r\n", true) + " after";
  for (std::size_t cut = 0; cut <= text.size(); ++cut)
    ASSERT_EQ(Redacted({.secrets = true}, {text.substr(0, cut), text.substr(cut)}), "   1\t[REDACTED] after")
        << cut;
}

TEST(RedactKeys, EscapedKeyBlockEndsWithItsLine) {
  EXPECT_EQ(
      Secrets("{\"key\":\"-----BEGIN PRIVATE KEY-----\\nMII\\n-----END PRIVATE KEY-----\\n\",\"id\":1}"),
      "{\"key\":\"[REDACTED]\\n\",\"id\":1}");
}

// As a command prints it that has megabytes of it: no part is held until the end has come.
TEST(RedactKeys, OfMegabytesInPieces) {
  constexpr int kLines = 60000;  // 4 MiB
  for (const std::string line_end : {"\n", "\\n", ""}) {
    const std::string text = "before " + KeyOf(kLines, "", line_end, true) + "\nafter\n";
    ASSERT_GT(text.size(), std::size_t{3} << 20U);
    for (const std::size_t size : {std::size_t{509}, std::size_t{4096}, std::size_t{65536}, text.size()})
      EXPECT_EQ(Secrets(InPiecesOf(size, text)), "before [REDACTED]\nafter\n") << size;
  }
}

TEST(RedactKeys, InOneLineOfAnyLength) {
  const std::string begin = "-----BEGIN PRIVATE KEY-----";
  const std::string end = "-----END PRIVATE KEY-----";
  for (std::size_t length = 2900; length < 3200; ++length) {
    EXPECT_EQ(Secrets(begin + Body(length) + end + " after"), "[REDACTED] after") << length;
    EXPECT_EQ(Secrets(begin + "\n" + Body(3000 + length) + end + " after"), "[REDACTED] after") << length;
  }
}

// Each is judged once, however many there are: minutes would pass here if every one looked at all that
// follow.
TEST(RedactKeys, ATextFullOfFirstLines) {
  struct Case {
    std::string unit;
    std::string redacted;
  };
  const std::vector<Case> cases = {
      {"-----BEGIN RSA PRIVATE KEY-----", ""},  // what is replaced becomes one
      {"-----BEGIN RSA PRIVATE KEY-----\n", ""},
      {"-----BEGIN RSA PRIVATE KEY-----; that is how one begins. ",
       "[REDACTED]-----; that is how one begins. "},
      {"Private-Lines: are what follows here, ", "[REDACTED]are what follows here, "},
  };
  for (const Case& sample : cases) {
    std::string text;
    std::string redacted = sample.redacted.empty() ? "[REDACTED]" : "";
    for (int i = 0; i < 100000; ++i) {
      text += sample.unit;
      redacted += sample.redacted;
    }
    for (const std::size_t size : {std::size_t{4096}, std::size_t{65536}, text.size()})
      EXPECT_TRUE(Secrets(InPiecesOf(size, text)) == redacted) << sample.unit << size;
  }
}

TEST(RedactKeys, EndWhereAnotherBegins) {
  const std::string other = "-----BEGIN EC PRIVATE KEY-----\nMIIE\n-----END EC PRIVATE KEY-----";
  const std::string text = "a -----BEGIN PRIVATE KEY-----\nno key, but words\n" + other + " b\n";
  for (std::size_t size = 1; size <= text.size(); ++size)
    EXPECT_EQ(Secrets(InPiecesOf(size, text)), "a [REDACTED]no key, but words\n[REDACTED] b\n") << size;
}

// The dashes between them may be of either.
TEST(RedactKeys, RightBehindOneAnother) {
  const std::string begin = "BEGIN PRIVATE KEY-----\nMIIE" + Body(60) + "\n-----END PRIVATE KEY";
  for (std::size_t dashes = 5; dashes < 14; ++dashes) {
    const std::string text = "-----" + begin + std::string(dashes, '-') + begin + "----- after";
    for (std::size_t size = 1; size <= text.size(); ++size) {
      const std::string out = Secrets(InPiecesOf(size, text));
      EXPECT_EQ(out, Secrets(text)) << dashes << " in pieces of " << size;
      EXPECT_EQ(out.find(Body(10)), std::string::npos) << dashes << " in pieces of " << size;
    }
  }
}

TEST(RedactKeys, WithoutAnEndHoldLittle) {
  for (std::size_t words = 2800; words < 3100; ++words) {
    Redactor redactor({.secrets = true});
    std::string out;
    std::string text;
    while (text.size() < words) text += "w ";
    redactor.Feed("-----BEGIN PRIVATE KEY-----" + text + "-----END of it is not what this is ", out);
    redactor.Feed(std::string(5000, '.') + " after\n", out);
    EXPECT_TRUE(out.ends_with("after\n")) << words;
  }
}

}  // namespace
}  // namespace mxc::redact_key_test
