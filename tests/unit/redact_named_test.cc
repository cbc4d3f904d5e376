// What is assigned to the name of a secret: which names, which signs, and where an unquoted value ends.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "report/redact.h"
#include "tests/unit/redact_text.h"

namespace mxc::redact_named_test {
namespace {

TEST(RedactNamed, EveryNameTakesEverySign) {
  for (const std::string name :
       {"password",     "PASSWD",     "passphrase",      "secret",         "token",
        "ACCESS_TOKEN", "credential", "credentials",     "api_key",        "api-key",
        "ApiKey",       "access_key", "private_key",     "accessToken",    "SessionToken",
        "clientSecret", "dbPassword", "PGPASSWORD",      "_authToken",     "spring.datasource.password",
        "password2",    "secret_key", "SECRET_KEY_BASE", "API_KEY_OPENAI", "secret_id"}) {
    ExpectAtEverySplit({
        {name + "=x", name + "=[REDACTED]"},
        {name + ": x\n", name + ": [REDACTED]\n"},
        {name + ": \"x y\"\n", name + ": \"[REDACTED]\"\n"},
        {"{\"" + name + "\": 'x y'}", "{\"" + name + "\": '[REDACTED]'}"},
        {"\"" + name + "\"=>\"x\"", "\"" + name + "\"=>\"[REDACTED]\""},
        {name + " := \"x\"", name + " := \"[REDACTED]\""},
        {name + " => 'x'", name + " => '[REDACTED]'"},
        {name + " ?= 'x'", name + " ?= '[REDACTED]'"},
        {name + "          = \"x\"", name + "          = \"[REDACTED]\""},
        {name + "\t\t=\t\t\"x\"", name + "\t\t=\t\t\"[REDACTED]\""},
        {name + ":         x", name + ":         [REDACTED]"},
    });
  }
}

TEST(RedactNamed, APackageOfThatName) {
  ExpectAtEverySplit({{"passwd:amd64 <none>", "passwd:amd64 <none>"},
                      {"passwd:arm64\n", "passwd:arm64\n"},
                      {"passwd: amd64 x", "passwd: [REDACTED] x"},
                      {"passwd:amd64x y", "passwd:[REDACTED] y"},
                      {"passwd:am", "passwd:[REDACTED]"},
                      {"passwd:\"amd64\"", "passwd:\"[REDACTED]\""},
                      {"passwd=amd64 y", "passwd=[REDACTED] y"},
                      {"password:amd64 y", "password:[REDACTED] y"}});
}

TEST(RedactNamed, NamesOfOtherThings) {
  for (const std::string text :
       {"token_range = \"%s..%s\"", "password_mgr=None", "tokens=512", "max_tokens: 4096", "tokenizer='fast'",
        "secretary=bob", "passwordless: true", "passwordField=input", "token_count=7", "Token::kEnd",
        "password", "install passwd:amd64 1:4.13", "passwd:all,", "password x=y", "/run/secret: No such file",
        "password != 'x'", "author='me'"})
    EXPECT_EQ(Secrets(text), text);
}

TEST(RedactNamed, ConnectionStringsAndSignedUrls) {
  ExpectAtEverySplit({
      {"Server=x;Uid=u;Pwd=a,b;Timeout=3", "Server=x;Uid=u;Pwd=[REDACTED];Timeout=3"},
      {"Pwd=a rest", "Pwd=[REDACTED] rest"},
      {";pwd=a;b", ";pwd=[REDACTED];b"},
      {"MYSQL_PWD=a rest", "MYSQL_PWD=[REDACTED] rest"},
      {R"({"pwd": "a b", "id": 1})", R"({"pwd": "[REDACTED]", "id": 1})"},
      {"AccountName=n;AccountKey=abc==;EndpointSuffix=e",
       "AccountName=n;AccountKey=[REDACTED];EndpointSuffix=e"},
      {"Endpoint=sb://h/;SharedAccessKeyName=Root;SharedAccessKey=abc=",
       "Endpoint=sb://h/;SharedAccessKeyName=Root;SharedAccessKey=[REDACTED]"},
      {"https://h/b?sv=2021&sig=a%2Fb%3D&se=1", "https://h/b?sv=2021&sig=[REDACTED]&se=1"},
      {"https://h/o?X-Amz-Signature=0a1b&X=1", "https://h/o?X-Amz-Signature=[REDACTED]&X=1"},
      {R"({"accountKey":"x","authKey":"y"})", R"({"accountKey":"[REDACTED]","authKey":"[REDACTED]"})"},
  });
  for (const std::string text : {"PWD=/home/me", "OLDPWD=/", "pwd=$(pwd)", "pwd: /home/me", "sig=TERM",
                                 "signature: ok", "SharedAccessKeyName=Root"})
    EXPECT_EQ(Secrets(text), text);
}

TEST(RedactNamed, AnUnquotedValueEndsAsItsContextSays) {
  ExpectAtEverySplit({
      {"password=ab,REST rest", "password=[REDACTED] rest"},
      {"password=a;b&c)d]e}f'g h'i\"j k\"l`m n` rest", "password=[REDACTED] rest"},
      {"password=&x rest", "password=[REDACTED] rest"},
      {"password=,x\nrest", "password=[REDACTED]\nrest"},
      {"TOKEN={\"a\":\"b\"} rest", "TOKEN=[REDACTED] rest"},
      {"/?token=a,b&x=1", "/?token=[REDACTED]&x=1"},
      {"/?x=1&token=a;b)c rest", "/?x=1&token=[REDACTED] rest"},
      {"'/?token=abc' rest", "'/?token=[REDACTED]' rest"},
      {"Server=x;Password=a,b;Uid=c", "Server=x;Password=[REDACTED];Uid=c"},
      {R"({"password":1234,"id":1})", R"({"password":[REDACTED],"id":1})"},
      {R"(["--password=a,b","rest"])", R"(["--password=[REDACTED]","rest"])"},
      {R"("[\"--password=a\",\"rest\"]")", R"("[\"--password=[REDACTED]\",\"rest\"]")"},
      {"//registry.example/:_authToken=x\n", "//registry.example/:_authToken=[REDACTED]\n"},
  });
}

TEST(RedactNamed, PartsThatAShellJoins) {
  ExpectAtEverySplit({
      {R"(password='x'"y" rest)", R"(password='[REDACTED]" rest)"},
      {R"(password="a"b rest)", R"(password="[REDACTED] rest)"},
      {R"(password=a"b c"d rest)", R"(password=[REDACTED] rest)"},
      {R"(password="a"$'b c' rest)", R"(password="[REDACTED]' rest)"},
      {R"(password="a"; rest)", R"(password="[REDACTED]"; rest)"},
      {R"(f(password="a", b="c"))", R"(f(password="[REDACTED]", b="c"))"},
  });
}

TEST(RedactNamed, EveryElementOfAList) {
  ExpectAtEverySplit({
      {R"({"secret":["x"],"id":1})", R"({"secret":["[REDACTED]"],"id":1})"},
      {R"({"secret":["x","y z"],"id":1})", R"({"secret":["[REDACTED]","[REDACTED]"],"id":1})"},
      {"\"token\": [\n  \"x\",\n  \"y\"\n],\n\"id\": 1",
       "\"token\": [\n  \"[REDACTED]\",\n  \"[REDACTED]\"\n],\n\"id\": 1"},
      {"secret: [a, b] rest", "secret: [[REDACTED], [REDACTED]] rest"},
      {R"({"secret":[["x"]],"id":"y"})", R"({"secret":[["[REDACTED]"]],"id":"y"})"},
      {R"({"secret":{"id":"y"}})", R"({"secret":{"id":"y"}})"},
      {R"({"secret":[],"id":"y"})", R"({"secret":[],"id":"y"})"},
  });
}

TEST(RedactNamed, ColoursAreNotInTheWay) {
  ExpectAtEverySplit({
      {"\x1b[34;1m\"password\"\x1b[0m\x1b[1;39m:\x1b[0m \x1b[0;32m\"x y\"\x1b[0m\x1b[1;39m\n}",
       "\x1b[34;1m\"password\"\x1b[0m\x1b[1;39m:\x1b[0m \x1b[0;32m\"[REDACTED]\"\x1b[0m\x1b[1;39m\n}"},
      {"\x1b[01;31mpass\x1b[mword=a\x1b[01;31mb\x1b[m rest",
       "\x1b[01;31mpass\x1b[mword=[REDACTED]\x1b[m rest"},
  });
}

TEST(RedactNamed, AHeaderToItsEnd) {
  ExpectAtEverySplit({
      {"Authorization: Digest username=\"u\", response=\"r\"\r\nx", "Authorization: Digest [REDACTED]\r\nx"},
      {R"(-H 'Authorization: Digest u="u"' rest)", R"(-H 'Authorization: Digest [REDACTED]' rest)"},
      {R"(-H \"Authorization: token abc\" rest)", R"(-H \"Authorization: token [REDACTED]\" rest)"},
      {"token: Basic dXNl rest", "token: [REDACTED] rest"},
      {"\"token\": \"Bearer a b\", x", "\"token\": \"[REDACTED]\", x"},
      {"token=basic rest", "token=[REDACTED]"},
      {R"(\"--password=\" \"--token=bear\" x)", R"(\"--password=\" \"--token=[REDACTED]\" x)"},
      {"Proxy-Authorization: basic\n", "Proxy-Authorization: [REDACTED]\n"},
  });
}

TEST(RedactNamed, PasswordsOfUrls) {
  const std::string password(2000, 'p');
  EXPECT_EQ(Secrets("https://aws:" + password + "@h/x\n"), "https://aws:[REDACTED]@h/x\n");
  ExpectAtEverySplit({
      {"http://u:a@b@h/x", "http://u:[REDACTED]@h/x"},
      {"http://u:a@h", "http://u:[REDACTED]@h"},
      {"https://ghp_" + Body(36) + ":x@h/x", "https://[REDACTED]:[REDACTED]@h/x"},
      {"http://h:80/a@b", "http://h:80/a@b"},
      {"https://x-token:abc@h/x y", "https://x-token:[REDACTED]@h/x y"},
  });
}

// A name is printed as it comes, and so is what cannot be of a value.
TEST(RedactNamed, HoldsNothingBeforeTheValue) {
  Redactor redactor({.secrets = true});
  std::string out;
  for (const std::string text : {"pass", "word", " ", "= ", "\"", "a", "b"}) redactor.Feed(text, out);
  EXPECT_EQ(out, "password = \"[REDACTED]");
  EXPECT_FALSE(redactor.Holding());
  redactor.Feed("\" x\npassword=a" + std::string("\x1b[") + std::string(100000, '0'), out);
  redactor.Feed("m", out);
  EXPECT_EQ(out, "password = \"[REDACTED]\" x\npassword=[REDACTED]");
}

}  // namespace
}  // namespace mxc::redact_named_test
