#include "report/hidden_values.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "base/quoted.h"
#include "tests/support/run_in_child.h"

namespace mxc::hidden_values_test {
namespace {

Variable Of(const std::string& name, const std::string& value) {
  return {.name = name, .value = Secret(value)};
}

TEST(HiddenValues, AreReplacedWhateverTheirCase) {
  HideValues({Of("MY_TOKEN", "Zq8vK3mP"), Of("OTHER_TOKEN", "K3mPx7Lw2"), Of("EDITOR", "plain-value")});
  EXPECT_EQ(WithoutHiddenValues("a Zq8vK3mP.test, zq8vk3mp, plain-value"),
            "a [REDACTED].test, [REDACTED], plain-value");
  EXPECT_EQ(WithoutHiddenValues("Zq8vK3mPx7Lw2b"), "[REDACTED]b") << "two values that overlap are one";
  EXPECT_EQ(WithoutHiddenValues("Zq8vK3m"), "Zq8vK3m");
}

TEST(HiddenValues, AreReplacedInQuotes) {
  HideValues({Of("QUOTE_TOKEN", "vR8k'mK4q")});
  EXPECT_EQ(WithoutHiddenValues(Quoted("/srv/vR8k'mK4q/.git")), "'/srv/[REDACTED]/.git'");
  EXPECT_EQ(WithoutHiddenValues(R"({"text":"'/srv/vR8k'\\''mK4q'"})"), R"({"text":"'/srv/[REDACTED]'"})");
}

// They would be replaced everywhere, and hide nothing that cannot be guessed.
TEST(HiddenValues, ShortOnesStay) {
  HideValues({Of("SHORT_TOKEN", "hunter2"), Of("LINE_TOKEN", "hunter3\n")});
  EXPECT_EQ(WithoutHiddenValues("/home/hunter2/hunter3"), "/home/hunter2/hunter3");
}

TEST(HiddenValues, APathOfThisHostIsNone) {
  const test::ScratchDirectory scratch;
  const std::string here = scratch.Path();
  HideValues({Of("SSH_AUTH_SOCK", here), Of("PATH_TOKEN", "/missing/9fK2qLw8")});
  EXPECT_EQ(WithoutHiddenValues(here + " /missing/9fK2qLw8"), here + " [REDACTED]");
}

TEST(HiddenValues, AreFoundAsTextAndJsonWriteThem) {
  HideValues({Of("MULTI_SECRET", "two\nlines\x01\"\\of-it\n")});
  EXPECT_EQ(WithoutHiddenValues("<two\\x0alines\\x01\"\\of-it>"), "<[REDACTED]>");
  EXPECT_EQ(WithoutHiddenValues(R"(<two\nlines\u0001\"\\of-it>)"), "<[REDACTED]>");
  const std::string record = nlohmann::json{{"path", "/x/two\nlines\x01\"\\of-it/y"}}.dump();
  EXPECT_EQ(RecordWithoutHiddenValues(record), R"({"path":"/x/[REDACTED]/y"})");
}

// The gateway writes what a command looks up as DNS tools do.
TEST(HiddenValues, AreFoundInNamesThatAreLookedUp) {
  HideValues({Of("BLANK_TOKEN", "correct horse.staple"), Of("BYTES_TOKEN", "t\xc3\xb6kenw\\rd99")});
  EXPECT_EQ(WithoutHiddenValues("Correct\\032horse\\046staple.test"), "[REDACTED].test");
  EXPECT_EQ(WithoutHiddenValues("correct\\032horse.staple.test"), "[REDACTED].test");
  EXPECT_EQ(WithoutHiddenValues("t\\195\\182kenw\\092rd99"), "[REDACTED]");
  EXPECT_EQ(RecordWithoutHiddenValues(R"({"host":"correct\\032horse\\046staple"})"),
            R"({"host":"[REDACTED]"})");
}

// A path and a host name are told without what says nothing in them.
TEST(HiddenValues, OfAConfigurationAreThoseOfItsCommand) {
  for (const char* text : {"", "7", "{", "[]", R"({"process":7})", R"({"process":{"env":7}})"})
    HideValuesIn(text);
  HideValuesIn(R"({"process":{"env":["DOC_TOKEN=wX5tR8nQ2","EDITOR=vim-as-ever",7,"DOC_SECRET"]}})");
  HideAssigned({"WRITTEN_TOKEN=hJ3=kL9pV", "WRITTEN_SECRET"});
  EXPECT_EQ(WithoutHiddenValues("wX5tR8nQ2 vim-as-ever DOC_SECRET hJ3=kL9pV WRITTEN_SECRET"),
            "[REDACTED] vim-as-ever DOC_SECRET [REDACTED] WRITTEN_SECRET");
}

TEST(HiddenValues, AreFoundAsPathsAndHostNamesAreTold) {
  HideValues({Of("SLASH_TOKEN", "Zm9vYmFyQUJD/"), Of("DOT_TOKEN", "Ym9vYmFyQUJE."),
              Of("PARTS_TOKEN", "Xm9v//./YmFy/"), Of("SHORT_TOKEN", "hunter7/"),
              Of("WORDS_TOKEN", "cGFy dHM5.")});
  EXPECT_EQ(WithoutHiddenValues("/opt/Zm9vYmFyQUJD, /opt/Zm9vYmFyQUJD/"), "/opt/[REDACTED], /opt/[REDACTED]");
  EXPECT_EQ(WithoutHiddenValues("ym9vymfyqujd, ym9vymfyquje:443"), "ym9vymfyqujd, [REDACTED]:443");
  EXPECT_EQ(WithoutHiddenValues("/opt/Xm9v/YmFy"), "/opt/[REDACTED]");
  EXPECT_EQ(WithoutHiddenValues("/opt/hunter7"), "/opt/hunter7") << "short ones stay";
  EXPECT_EQ(WithoutHiddenValues("cgfy\\032dhm5"), "[REDACTED]");
}

TEST(HiddenValues, ARecordKeepsItsFormAndItsOwnWords) {
  HideValues({Of("AUTH_TYPE", "container"), Of("AUTH_KIND", "durationMs")});
  const std::string line =
      R"({"event":"x","tier":"container","list":["a container"],"durationMs":7,"name":null})"
      "\n";
  const std::string shown = RecordWithoutHiddenValues(line);
  EXPECT_EQ(shown, R"({"event":"x","tier":"container","list":["a [REDACTED]"],"durationMs":7,"name":null})"
                   "\n");
  EXPECT_EQ(RecordWithoutHiddenValues("{\"none\":\"here\"}\n"), "{\"none\":\"here\"}\n");
}

}  // namespace
}  // namespace mxc::hidden_values_test
