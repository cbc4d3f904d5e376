#include "report/redact.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/unit/redact_text.h"

namespace mxc::redact_test {
namespace {

std::string Personal(const std::string& text) { return Redacted({.pii = true}, {text}); }

const std::string kWebToken =
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl";  // NOLINT(cert-err58-cpp)
const std::string kKeyBlock =                                 // NOLINT(cert-err58-cpp)
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nIBAAKC\n-----END RSA PRIVATE KEY-----";

std::vector<std::string> TokenShapes() {
  return {"AKIA" + Body(16),
          "ASIA" + Body(16),
          "AIza" + Body(35),
          "ya29." + Body(60),
          "GOCSPX-" + Body(28),
          "github_pat_" + Body(82),
          "ghp_" + Body(36),
          "gho_" + Body(36),
          "ghu_" + Body(36),
          "ghs_" + Body(36),
          "ghr_" + Body(76),
          "glpat-" + Body(20),
          "gldt-" + Body(20),
          "glrt-" + Body(20),
          "xoxb-123-456-" + Body(24),
          "xoxp-" + Body(30),
          "xapp-1-" + Body(30),
          "npm_" + Body(36),
          "pypi-" + Body(150),
          "hf_" + Body(34),
          "sk-ant-api03-" + Body(90),
          "sk-proj-" + Body(120),
          "sk-" + Body(48),
          "sk_live_" + Body(24),
          "rk_live_" + Body(24),
          "AGE-SECRET-KEY-1" + Body(58),
          "ATATT3xFfGF0" + Body(180),
          "ATBB" + Body(32),
          "HRKU-" + Body(60),
          "NRAK-" + Body(27),
          "PMAK-" + Body(59),
          "SG." + Body(22) + "." + Body(43),
          "dapi" + Body(32),
          "dckr_oat_" + Body(32),
          "dckr_pat_" + Body(27),
          "doo_v1_" + Body(64),
          "dop_v1_" + Body(64),
          "dor_v1_" + Body(64),
          "dp.pt." + Body(43),
          "dp.st.dev." + Body(43),
          "figd_" + Body(40),
          "glagent-" + Body(50),
          "glcbt-" + Body(20),
          "glptt-" + Body(40),
          "glc_" + Body(120),
          "glsa_" + Body(32) + "_" + Body(8),
          "gsk_" + Body(52),
          "hvb." + Body(100),
          "hvr." + Body(100),
          "hvs." + Body(90),
          "lin_api_" + Body(40),
          "ntn_" + Body(46),
          "pplx-" + Body(48),
          "pscale_oauth_" + Body(43),
          "pscale_pw_" + Body(43),
          "pscale_tkn_" + Body(43),
          "r8_" + Body(37),
          "rubygems_" + Body(48),
          "sbp_" + Body(40),
          "shpat_" + Body(32),
          "shpca_" + Body(32),
          "shppa_" + Body(32),
          "shpss_" + Body(32),
          "sntrys_" + Body(90),
          "sntryu_" + Body(64),
          "sq0atp-" + Body(22),
          "sq0csp-" + Body(43),
          "tskey-auth-" + Body(30),
          "xai-" + Body(80),
          kWebToken,
          kKeyBlock};
}

TEST(RedactPersonal, Addresses) {
  for (const std::string address :
       {"203.0.113.7", "10.1.2.3", "192.168.1.20", "2001:db8::1", "fd12:3456:789a::1", "fe80::1",
        "2001:db8:1:2:3:4:5:6", "2A00:1450::93"}) {
    for (const auto& [before, behind] :
         std::vector<std::pair<std::string, std::string>>{{"from ", " port 22"},
                                                          {"[", "]:443"},
                                                          {"host=", ", x"},
                                                          {"", ""},
                                                          {"at ", ".\n"},
                                                          {"ip:", ": refused"}}) {
      const std::string text = before + address + behind;
      EXPECT_EQ(Personal(text), before + "[REDACTED]" + behind) << text;
      for (std::size_t cut = 0; cut <= text.size(); ++cut)
        EXPECT_EQ(Redacted({.pii = true}, {text.substr(0, cut), text.substr(cut)}),
                  before + "[REDACTED]" + behind)
            << text << " cut at " << cut;
    }
  }
  EXPECT_EQ(Personal("10.1.2.3:8080/24 10.1.2.3/24"), "[REDACTED]:8080/24 [REDACTED]/24");
}

TEST(RedactPersonal, WhatOnlyLooksLikeAnAddress) {
  for (const std::string text : {"127.0.0.1:80",
                                 "0.0.0.0",
                                 "[::1]:80",
                                 "::",
                                 "255.255.255.255",
                                 "224.0.0.1",
                                 "1.2.3.4.5",
                                 "v1.2.3.4",
                                 "libx-1.2.3.4.tgz",
                                 "1.2.3.4-rc1",
                                 "1.2.3.4_2",
                                 "1.2.3.400",
                                 "2.0.0.0",
                                 "1.2.3",
                                 "std::string",
                                 "ab::cd",
                                 "12:34:56",
                                 "2026-11-23T10:00:00",
                                 "aa:bb:cc:dd:ee:ff",
                                 "2001:",
                                 "dead::",
                                 "face::Feed",
                                 "1::2",
                                 "2024:11:23 10:00"})
    EXPECT_EQ(Personal(text), text);
}

TEST(RedactSecrets, EveryTokenShape) {
  for (const std::string& token : TokenShapes()) {
    EXPECT_EQ(Secrets("x=" + token + " end\n"), "x=[REDACTED] end\n");
    EXPECT_EQ(Secrets(token), "[REDACTED]");
  }
}

TEST(RedactSecrets, EverySplitOfEveryShape) {
  for (const std::string& token : TokenShapes()) {
    const std::string text = "a \"" + token + "\" b";
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
      ASSERT_EQ(Redacted({.secrets = true}, {text.substr(0, cut), text.substr(cut)}), "a \"[REDACTED]\" b")
          << token << " cut at " << cut;
    }
    std::vector<std::string> bytes;
    for (const char c : text) bytes.emplace_back(1, c);
    ASSERT_EQ(Redacted({.secrets = true}, bytes), "a \"[REDACTED]\" b") << token;
  }
}

TEST(RedactSecrets, KeepsWhatNamesTheSecret) {
  EXPECT_EQ(Secrets("Authorization: Bearer " + Body(40) + "=\r\n"), "Authorization: Bearer [REDACTED]\r\n");
  EXPECT_EQ(Secrets("https://bob:hunter2@example.com/x"), "https://bob:[REDACTED]@example.com/x");
  EXPECT_EQ(Secrets("aws_secret_access_key = " + Body(40) + "\n"), "aws_secret_access_key = [REDACTED]\n");
  EXPECT_EQ(Secrets("AWS_SECRET_ACCESS_KEY=" + Body(40) + "\n"), "AWS_SECRET_ACCESS_KEY=[REDACTED]\n");
}

TEST(RedactSecrets, ByTheNameBeforeThem) {
  struct Case {
    std::string text;
    std::string redacted;
  };
  const std::vector<Case> cases = {
      {"password=hunter2\n", "password=[REDACTED]\n"},
      {"password=x", "password=[REDACTED]"},
      {"PASSWORD: hunter2\n", "PASSWORD: [REDACTED]\n"},
      {"DB_PASSWORD=a-b/c+d rest", "DB_PASSWORD=[REDACTED] rest"},
      {"my-password='two words' rest", "my-password='[REDACTED]' rest"},
      {"password = \"hunter2\";", "password = \"[REDACTED]\";"},
      {R"({"password":"hunter2","id":1})", R"({"password":"[REDACTED]","id":1})"},
      {R"({"access_token" : "ab c","id":1})", R"({"access_token" : "[REDACTED]","id":1})"},
      {"?token=abc&x=1", "?token=[REDACTED]&x=1"},
      {"API_KEY=1 ApiKey=2 api-key=3", "API_KEY=[REDACTED] ApiKey=[REDACTED] api-key=[REDACTED]"},
      {"client_secret_id=zzz", "client_secret_id=[REDACTED]"},
      {"--password=hunter2 --user bob", "--password=[REDACTED] --user bob"},
      {"Authorization: Bearer abc\r\nHost: x", "Authorization: Bearer [REDACTED]\r\nHost: x"},
      {"authorization: Basic dXNlcg==\n", "authorization: Basic [REDACTED]\n"},
      {"Authorization: ApiKey a, b\n", "Authorization: [REDACTED]\n"},
      {R"(-H "Authorization: token abc" url)", R"(-H "Authorization: token [REDACTED]" url)"},
      {R"("Authorization": "Bearer a.b")", R"("Authorization": "Bearer [REDACTED]")"},
  };
  for (const Case& sample : cases) {
    EXPECT_EQ(Secrets(sample.text), sample.redacted);
    for (std::size_t cut = 1; cut < sample.text.size(); ++cut) {
      EXPECT_EQ(Redacted({.secrets = true}, {sample.text.substr(0, cut), sample.text.substr(cut)}),
                sample.redacted)
          << cut;
    }
  }
}

TEST(RedactSecrets, NamesWithoutAValueStay) {
  for (const std::string text :
       {"password=\n", "password=", "password=\"\"", "Password: \n", "the password is wrong",
        "token = next();", "secret = value", "passwordless", "tokens=", "author: me", "authorization failed",
        "Authorization:\n", "secretary=", "std::string token;", "password = x"}) {
    EXPECT_EQ(Secrets(text), text);
  }
}

TEST(RedactSecrets, LeavesOrdinaryTextAlone) {
  for (const std::string text :
       {"desk-lamp task-force risk-averse sk-short", "AKIA", "ghp_tooshort", "notAKIA0123456789ABCDEF", "eyJ",
        "eyJab.cd", "bearer of bad news arrived late", "http://example.com:8080/a@b", "std::vector<int> a::b",
        "key: value", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
        "bob@example.com 4111 1111 1111 1111"}) {
    EXPECT_EQ(Secrets(text), text);
  }
}

TEST(RedactSecrets, ValuesAnywhere) {
  const RedactionRules rules{.secrets = true, .values = {"hunter2hunter2", "short"}};
  EXPECT_EQ(Redacted(rules, {"xhunter2hu", "nter2y short"}), "x[REDACTED]y short");
  EXPECT_EQ(Redacted(rules, {"hunter2hunter"}), "hunter2hunter");
  EXPECT_EQ(Redacted({.pii = true, .values = {"hunter2hunter2"}}, {"hunter2hunter2"}), "hunter2hunter2");
}

TEST(RedactSecrets, HoldsLittle) {
  Redactor redactor({.secrets = true, .pii = true});
  std::string out;
  for (const std::string& text :
       {"eyJ" + std::string(100000, 'a'), "a://" + std::string(100000, 'b'),
        "-----BEGIN " + std::string(100000, 'C'), std::string(100000, '1'), "x@" + std::string(100000, 'd'),
        "-----BEGIN PRIVATE KEY-----END " + Body(100000)}) {
    std::size_t fed = 0;
    out.clear();
    for (const char c : text + " ") {
      redactor.Feed({&c, 1}, out);
      ++fed;
      if (out.find(kRedacted) != std::string::npos) break;
      ASSERT_LE(fed - out.size(), ShapeScanner::kMaxHeldBytes + 64) << text.substr(0, 12);
    }
    out.clear();
    redactor.Finish(out);
  }
}

TEST(RedactPersonal, MailTelephoneCardSocialSecurity) {
  EXPECT_EQ(Personal("to john.doe+x@mail.example.co.uk, thanks"), "to [REDACTED], thanks");
  EXPECT_EQ(Personal("Write to a@b.io."), "Write to [REDACTED].");
  EXPECT_EQ(Personal("tel +49 170 1234567!"), "tel [REDACTED]!");
  EXPECT_EQ(Personal("(555) 123-4567 or 555-123-4567 or 555.123.4567"),
            "[REDACTED] or [REDACTED] or [REDACTED]");
  EXPECT_EQ(Personal("card 4111 1111 1111 1111 ok"), "card [REDACTED] ok");
  EXPECT_EQ(Personal("5500-0000-0000-0004\n378282246310005\n"), "[REDACTED]\n[REDACTED]\n");
  EXPECT_EQ(Personal("ssn 078-05-1120"), "ssn [REDACTED]");
}

TEST(RedactPersonal, LeavesOrdinaryNumbersAlone) {
  for (const std::string text :
       {"2026-11-21 22:15:03.123", "4111 1111 1111 1112", "127.0.0.1:8080", "v1.2.3-rc4", "1234567890123456",
        "user@host", "a @ b", "git@localhost:x", "0x1234567890", "<40-D5 66-76 64-55 00-00 80-D5",
        "00-00 63-68 20-76 61-72 69-61 50-BF", "1 2 3 4 5 6 7 8", "3.14159265358979",
        "-rw-r--r-- 1 root root 4096", "+1 line", "(1)", "AKIAIOSFODNN7EXAMPLE"}) {
    EXPECT_EQ(Personal(text), text);
  }
}

TEST(RedactPersonal, EverySplit) {
  const std::string text = "x john@example.com y +49 170 1234567 z 4111 1111 1111 1111 end";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    ASSERT_EQ(Redacted({.pii = true}, {text.substr(0, cut), text.substr(cut)}),
              "x [REDACTED] y [REDACTED] z [REDACTED] end")
        << cut;
  }
}

TEST(RedactIdle, LetsGoOfPromptsButNotOfSecrets) {
  Redactor redactor({.secrets = true, .pii = true});
  std::string out;
  redactor.Feed("Continue? [y/q", out);
  redactor.Idle(out);
  EXPECT_EQ(out, "Continue? [y/q");
  EXPECT_FALSE(redactor.Holding());
  out.clear();
  redactor.Feed(" ghp_" + Body(10), out);
  redactor.Idle(out);
  EXPECT_EQ(out, " ");
  redactor.Feed(Body(30), out);
  EXPECT_EQ(out, " [REDACTED]");
}

TEST(RedactIdle, APromptForAPasswordAppears) {
  Redactor redactor({.secrets = true});
  std::string out;
  redactor.Feed("Password: ", out);
  redactor.Idle(out);
  EXPECT_EQ(out, "Password: ");
}

TEST(RedactNames, LooksSecret) {
  for (const char* name :
       {"GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "db_password", "OPENAI_API_KEY", "SSH_AUTH_X", "SIGNING_KEY",
        "SIGNING_KEYS", "DB_PASS", "SSHPASS", "GH_PAT", "NUGET_PAT", "BEARER", "BEARER_X", "MYSQL_PWD",
        "DB_DSN", "PGPASSWORD", "dbPassword", "SIGNING_KEY2", "ACCESS_KEYID"}) {
    EXPECT_TRUE(LooksSecret(name)) << name;
  }
  for (const char* name : {"PATH", "HOME", "LANG", "KEYBOARD", "TERM", "MONKEY", "OLDPWD", "PWD", "GOPATH",
                           "X_PATH", "FILE_PATTERN", "XKB_KEYBOARD", "COMPASS"})
    EXPECT_FALSE(LooksSecret(name)) << name;
}

TEST(RedactNames, ValuesOfTheEnvironment) {
  EXPECT_EQ(SecretValues({{.name = "API_TOKEN", .value = Secret("first-value")},
                          {.name = "HOME", .value = Secret("/home/somebody")},
                          {.name = "PIN_TOKEN", .value = Secret("1234")},
                          {.name = "DB_PASSWORD", .value = Secret("second-value")}}),
            (std::vector<std::string>{"first-value", "second-value"}));
}

}  // namespace
}  // namespace mxc::redact_test
